"""Open an address with a token in the browser, hidden from other users of the machine.

What is on a command line can be read by every user of the machine. So the browser is started with
a page that only this user may read, and that page leads to the address.
"""

from __future__ import annotations

import webbrowser
from html import escape

from inspector import runfile
from inspector.paths import write_private

_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>Inspector</title>'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0;url={address}"><a href="{address}">Inspector</a>\n'
)


def open_address(address: str) -> bool:
    """Open `address`; return whether there is a browser to open it."""
    for directory in runfile.directories():
        path = directory / "open.html"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, _PAGE.format(address=escape(address)))
        except OSError:
            continue
        try:
            return webbrowser.open(path.resolve().as_uri())
        except webbrowser.Error:
            return False
    return False
