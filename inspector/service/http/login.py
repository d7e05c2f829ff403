"""The login page: one form, with no script and no other file."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from html import escape
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse

MAX_FORM_BYTES = 8_192
MAX_FORM_S = 10.0

_STYLE = """
:root { color-scheme: light dark; --edge: light-dark(#767d8c, #8b92a1);
  --wrong: light-dark(#b3261e, #ffb4ab); --accent: light-dark(#3a4fb8, #aab6ff);
  --on-accent: light-dark(#fff, #10163a); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; display: grid; padding: 1.5rem;
  grid-template-columns: minmax(0, 26rem); place-content: center;
  font: 1rem/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; }
p { margin: 0 0 1rem; }
code { font-family: ui-monospace, monospace; white-space: nowrap; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
.row { display: flex; gap: .5rem; }
input, button { font: inherit; min-height: 2.75rem; padding: 0 .75rem; border-radius: 6px;
  border: 1px solid var(--edge); }
input { flex: 1; min-width: 0; background: Field; color: FieldText; }
button { background: var(--accent); color: var(--on-accent); border-color: transparent; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.wrong { color: var(--wrong); font-weight: 600; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inspector: access token</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Inspector</h1>
<p>An access token is required. <code>inspector serve</code> prints it with its address, and
<code>inspector token</code> prints it where the service runs.</p>
<form method="post">
{wrong}<label for="token">Access token</label>
<div class="row">
<input name="username" value="inspector" autocomplete="username" hidden>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password"
autocapitalize="off" spellcheck="false"{described}>
<button type="submit">Open</button>
</div>
</form>
</main>
</body>
</html>
"""
_WRONG = '<p class="wrong" id="wrong" role="alert">{message}</p>\n'
_DESCRIBED = ' aria-invalid="true" aria-describedby="wrong"'
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    # Only the one style sheet that is in the page, and the form goes back to where it came from.
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    # With `no-referrer` browsers send `Origin: null` with a form, which is refused.
    "Referrer-Policy": "same-origin",
    "WWW-Authenticate": "Bearer",
}


def login_page(wrong: str = "") -> HTMLResponse:
    """Return the login page; `wrong` is the error message of the previous attempt."""
    page = _PAGE.format(
        style=_STYLE,
        wrong=_WRONG.format(message=escape(wrong)) if wrong else "",
        described=_DESCRIBED if wrong else "",
    )
    return HTMLResponse(page, status_code=401, headers=_HEADERS)


async def sent_token(request: Request) -> str | None:
    """Return the token in a submitted form; None for any other body."""
    body = bytearray()
    try:
        async with asyncio.timeout(MAX_FORM_S):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_FORM_BYTES:
                    return None
    except (TimeoutError, ClientDisconnect):
        return None
    tokens = parse_qs(body.decode("utf-8", "replace"), max_num_fields=8).get("token")
    return tokens[0].strip() if tokens else None
