# /// script
# requires-python = ">=3.11,<3.14"
# dependencies = ["mlflow==3.17.2"]
# ///
"""Run the `mlflow` command with our arguments, in its own environment."""

import os
import sys
from pathlib import Path

mlflow = Path(sys.executable).with_name("mlflow")
# It starts others of its commands by name.
os.environ["PATH"] = f"{mlflow.parent}{os.pathsep}{os.environ['PATH']}"
os.execv(mlflow, [str(mlflow), *sys.argv[1:]])
