"""`inspector` where the root file system cannot be written: nothing temporary has a place."""

import tempfile

from inspector.__main__ import main

tempfile.tempdir = "/nowhere"
main()
