"""A program that writes its input back, and a line to stderr: `echo_program.py [EXIT_CODE]`."""

import os
import sys

if __name__ == "__main__":
    os.write(2, b"echo\n")
    while chunk := os.read(0, 65_536):
        view = memoryview(chunk)
        while view:
            view = view[os.write(1, view) :]
    sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
