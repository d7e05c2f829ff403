"""`inspector` on a read-only root file system, without a temporary directory."""

import tempfile

from inspector.__main__ import main

tempfile.tempdir = "/nowhere"
main()
