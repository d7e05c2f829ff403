# /// script
# requires-python = ">=3.11,<3.14"
# dependencies = ["arize-phoenix==20.26.1"]
# ///
"""Arize Phoenix in an environment of its own: its `phoenix` command with our arguments."""

import os
import sys
from pathlib import Path

phoenix = Path(sys.executable).with_name("phoenix")
os.execv(phoenix, [str(phoenix), *sys.argv[1:]])
