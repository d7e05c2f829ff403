# /// script
# requires-python = ">=3.11,<3.14"
# dependencies = ["arize-phoenix==20.26.1"]
# ///
"""Run Arize Phoenix's command with our arguments, in its own environment."""

import os
import sys
from pathlib import Path

phoenix = Path(sys.executable).with_name("phoenix")
os.execv(phoenix, [str(phoenix), *sys.argv[1:]])
