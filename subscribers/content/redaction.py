"""Redaction of secrets from text and keyed values, before truncation.

Each rule searches for a stem of its secrets: `in` and patterns that begin with a literal read 30 KB
in microseconds, others in milliseconds. A single character is found a hundred times faster still,
so a rule runs only where the text has a character that all its matches contain. Patterns are
possessive or bounded, and a match is not read again, so the cost grows with the length of the text,
whatever it contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

REDACTED = "[redacted]"

_BETWEEN = "\x1e"
"""Separator of texts that are scrubbed together: no pattern crosses it."""

MAX_REMEMBERED_CHARS = 64
_MAX_NAME_CHARS = 64

# Quotes are escaped once more for each JSON text that is a string in another.
_ASSIGN = r"\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}+"
_NOT_A_SECRET = r"(?!(?:null|none|true|false)(?:[\s\"',;&{}\\\])]|\Z))"
# Without quotes it may be code or prose: a type, a state, a keyword, a call, a lookup, a member of
# what programs keep settings in, a placeholder, or a word that a sentence goes on from.
_NOT_BARE = (
    r"(?!(?:string|bytes|bytearray|number|integer|float|double|bool|boolean|object|array|list|dict"
    r"|unknown|undefined|required|optional|missing|invalid|incorrect|expired|empty|unset|denied"
    r"|await|new|lambda|return|function)(?:[\s\"',;&{}\\\])?|<>\[.]|\Z)"
    r"|[a-z_.]{3,60}+[(\[]"
    r"|(?:self|this|cls|os|process|env|settings|config|args|secrets|vars|opts|options|params|props"
    r"|request|req|response|data|body|user)\.[a-z_]"
    r"|<[a-z][a-z0-9 _.-]{0,40}+>"
    r"|[a-z]{2,20}+ (?:the|a|an|of|your|my|our|their|its|each|every|this|that|these|must|can"
    r"|should|will|may|are|be) )"
)
# A quote before one of these has ended a text, not begun one: `input("Password: ")`.
_NO_OPENING = r"(?![)\],;}]+(?:[\s.;:,)\]}\\]|\Z))"
# The last choice in a possessive group that looks ahead. Before 3.11.5, Python goes on behind what
# the last look saw, a quote, unless another choice is tried. (A greedy group needs 200 bytes for
# each of its rounds.)
_OR_BACK = r"|(?!)"
# A header's value is never four words in a row.
_NO_PROSE = r"(?!(?:[a-z]{1,20} ){3}[a-z])"
_LINE = rf"{_ASSIGN}\\{{0,15}}[\"']?+{_NOT_A_SECRET}{_NO_PROSE}"
_ASSIGNED = (
    rf"{_ASSIGN}{_NOT_A_SECRET}(?:"
    rf"([\"']){_NO_OPENING}(?P<plain>(?:(?!\1)[^\\\r\n\x1e]|\\[^\x1e]{_OR_BACK})++)"
    rf"|(\\{{1,15}}[\"']){_NO_OPENING}(?P<escaped>(?:(?!\3)[^\r\n\x1e]{_OR_BACK})++)"
    rf"|{_NOT_BARE}"
    r"(?P<bare>(?:(?:bearer|basic)[ \t]{1,4})?[^\s\"',;&{}\\]{4,}+))"
)
# The message of pydantic about a field contains the refused value.
_REFUSED = (
    r"(?:\n|\\{1,15}n)  [^\n\x1e]{1,400}?\[type=[a-z_]{1,64}+, "
    r"input_value=(?P<refused>[^\n\x1e]{1,400}?)(?=, input_type=|\x1e|\Z)"
)
# Of SQL, whose quotes are doubled within.
_IDENTIFIED = (
    r"[ \t\r\n]{1,8}(?:with[ \t\r\n]{1,8}[\"'`]?[a-z0-9_]{1,64}[\"'`]?[ \t\r\n]{1,8})?"
    r"(?:by|as)[ \t\r\n]{1,8}(?:password[ \t\r\n]{1,8})?"
)
_QUOTED = (
    r"(?:(?P<quote>[\"'])"
    rf"(?P<plain>(?:\\[^\x1e]|(?P=quote){{2}}|(?!(?P=quote))[^\\\r\n\x1e]{_OR_BACK}){{1,256}}+)"
    r"|(?P<mark>\\{1,15}[\"'])"
    rf"(?P<escaped>(?:(?!(?P=mark))[^\r\n\x1e]{_OR_BACK}){{1,256}}+))"
)
_VALUE = rf"[a-z]{{0,8}}+[0-9]{{0,2}}+(?:{_ASSIGNED}|{_REFUSED})"


class _Rule:
    """A rule: a stem, and the pattern that follows it in a secret."""

    def __init__(
        self,
        stem: str,
        tail: str,
        *,
        needs: str = "",
        is_first: bool = False,
        is_named: bool = False,
    ) -> None:
        """Make a rule.

        Args:
            stem: Literal; in lower case it matches any case.
            tail: Pattern; its named group is hidden, else the whole match with the stem.
            needs: Characters, one of which is in every match.
            is_first: The stem begins a word.
            is_named: The stem is part of a name, which decides whether the value is a secret.
        """
        self.stem, self.is_named = stem, is_named
        self.gate = needs or next((char for char in stem if not char.islower()), "")
        """Characters, one of which is in every match; a quick test."""
        self.is_any_case = stem == stem.lower()
        # After the stem, so that the pattern begins with a literal.
        begins = rf"(?<![A-Za-z0-9]{re.escape(stem)})" if is_first else ""
        self.pattern = re.compile(re.escape(stem) + begins + tail)

    def spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each secret."""
        searched = lowered if self.is_any_case else text
        match = self.pattern.search(searched)
        while match is not None:
            after = match.end()
            start, end = match.span(match.lastgroup or 0)
            if self.is_named and not _names_secret(text, match):
                after = match.start() + len(self.stem)
            elif self.stem in _SIGNS:
                yield start - _letters_before(text, start), end
            else:
                yield start, end
            match = self.pattern.search(searched, after)


def _letters_before(text: str, place: int) -> int:
    letters = _LETTERS.match(text[max(place - 10, 0) : place][::-1])
    return letters.end() if letters is not None else 0


def _names_secret(text: str, match: re.Match[str]) -> bool:
    """Return whether `match` begins in the name of a secret."""
    place = match.start()
    before = _NAME.match(text[max(place - _MAX_NAME_CHARS, 0) : place][::-1])
    name = _NAME.match(text, place - (before.end() if before is not None else 0))
    if name is None or (name[0] in _OUTCOMES and match.lastgroup == "bare"):
        return False
    return is_secret_key(name[0].rpartition(".")[2])


_OUTCOMES = ("PASS", "Pass")
"""Words of test runners: `--- PASS: TestParse (0.00s)`."""

_LETTERS = re.compile(r"[A-Za-z0-9]*")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}+")

TOKENS: tuple[tuple[str, int, str], ...] = (
    (
        "A-Za-z0-9_-",
        16,
        "sk- rk- pypi- xai- nvapi- gocspx- xapp- pplx- tvly- sq0atp- sq0csp- pmak- nrak- nrii- "
        "p8e- dnkey- glpat- gldt- glrt- glptt- glft- glffct- glimt- glagent- gloas- glsoat- glcbt- "
        "xkeysib- xsmtpsib- flwseck- flwseck_test- s-s4t2ud- s-s4t2af- whsec_ github_pat_ "
        "dckr_pat_ pcsk_ pscale_tkn_ pscale_oauth_ pscale_pw_ duffel_test_ duffel_live_ "
        "ya29. hvs. hvb. GR1348941 "
        "HRKU-AA",
    ),
    (
        "A-Za-z0-9",
        16,
        "sk_ sk_live_ sk_test_ sk_prod_ rk_ rk_live_ rk_test_ rk_prod_ ghp_ gho_ ghu_ ghs_ ghr_ "
        "hf_ api_org_ npm_ gsk_ lsv2_pt_ lsv2_sk_ r8_ shpat_ shpca_ shppa_ shpss_ jina_ doo_v1_ "
        "dop_v1_ dor_v1_ glsa_ lin_api_ ntn_ pnu_ rdme_ rubygems_ sntryu_ sm_aat_ sm_pat_ sm_sat_ "
        "shippo_live_ shippo_test_ clojars_ sgp_ sgp_local_ dp.pt. ATATT3 AGE-SECRET-KEY-1 LTAI",
    ),
    ("A-Za-z0-9_-", 35, "AIza AQVN"),
    ("A-Za-z0-9_-", 40, "fo1_ fio-u- tk-us- sha256~"),
    ("A-Za-z0-9_=-", 59, "tfp_"),
    ("A-Za-z0-9+/=", 32, "glc_ fm1r_ fm1a_ fm2_ sntrys_ ops_eyJ ZXlK ABSK bedrock-api-key-"),
    ("A-Za-z0-9", 32, "AKCp EZAK EZTK EAAM EAAC ico- cmVmdGtuOj"),
    ("0-9a-f", 32, "dapi pul-"),
    ("0-9A-Fa-f", 32, "SK"),
    ("0-9A-Z", 16, "AKIA ASIA ABIA ACCA A3T"),
    ("A-Za-z0-9.", 60, "dt0c01."),
    ("0-9a-f-", 36, "access-sandbox- access-development- access-production-"),
    ("0-9a-f-", 100, "v1.0-"),
)
"""Tokens: their characters, least length and prefixes. Lower case matches upper case too."""

_SIGNS = "-_.~"
_TOKEN_END = r"[A-Za-z0-9_-]*+(?:\.[0-9a-z]{9}\b)?"  # ... and a checksum of GitLab's


def _token_rules() -> Iterator[_Rule]:
    """Yield a rule for each sign that ends prefixes, for each capital, and for each other prefix.

    A single character is found quickly; the pattern then looks at the rarest neighbour.
    """
    found: dict[str, list[str]] = {}
    for chars, at_least, listed in TOKENS:
        groups: dict[str, list[str]] = {}
        for prefix in listed.split():
            is_capital = prefix[0].isupper()
            stem = prefix[-1] if prefix[-1] in _SIGNS else prefix[0] if is_capital else prefix
            groups.setdefault(stem, []).append(prefix)
        for stem, prefixes in groups.items():
            rest = "|".join(re.escape(prefix.removeprefix(stem)) for prefix in prefixes)
            is_first = f"(?<![A-Za-z0-9]{re.escape(stem)})"
            begins = _ends(prefixes) if stem in _SIGNS else f"{is_first}(?:{rest})"
            found.setdefault(stem, []).append(f"{begins}[{chars}]{{{at_least},}}+{_TOKEN_END}")
    for stem, tails in found.items():
        yield _Rule(stem, f"(?:{'|'.join(tails)})")


def _ends(prefixes: list[str]) -> str:
    """Return a pattern for the place behind one of `prefixes`, all of which end with one sign."""
    last_two = (
        f"[{''.join(sorted({prefix[place] for prefix in prefixes}))}]" for place in (-3, -2)
    )
    places = []
    for size, alike in groupby(sorted(prefixes, key=len), len):
        any_of = "|".join(re.escape(prefix) for prefix in alike)
        places.append(rf"(?<={any_of})(?<![A-Za-z0-9][\s\S]{{{size}}})")
    return f"(?<={''.join(last_two)}{prefixes[0][-1]})(?:{'|'.join(places)})"


_RULES: tuple[_Rule, ...] = (
    _Rule(
        "-----BEGIN ",
        r"[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[^\x1e]*?"
        r"(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?=\x1e)|\Z)",
    ),
    # user:password@ or token@ of a URI
    *(
        _Rule(
            slashes,
            r"(?!git@)(?P<user>[^/\s:@\"'<>?#\\]{0,256}+:[^/\s\"'<>\\]{1,1024}"
            r"|[^/\s:\"'<>?#\\]{1,1024})@",
            needs="@",
        )
        for slashes in ("://", r":\/\/")  # escaped, as some JSON has it
    ),
    # ... and of one inside another's query
    _Rule("%3a%2f%2f", r"(?P<user>[^\s\"'<>&/]{1,512}?)%40", needs="%"),
    *_token_rules(),
    _Rule("-", r"(?<=xox[abeoprs]-)[A-Za-z0-9-]{10,}+"),
    _Rule("-", r"(?<=xoxe\.xox[bp]-)[A-Za-z0-9-]{10,}+"),
    _Rule("SG.", r"[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}+", is_first=True),
    _Rule("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", needs=".", is_first=True),  # Airtable
    _Rule(":AA", r"(?<=[0-9]{6}:AA)[A-Za-z0-9_-]{33,}+"),  # Telegram
    _Rule("Q~", r"(?<=[0-9]Q~)[A-Za-z0-9_~.-]{31,}+"),  # Entra
    # Addresses that are keys themselves
    _Rule("hooks.slack.com/", r"(?:services|workflows|triggers)/(?P<path>[A-Za-z0-9/_-]{16,}+)"),
    _Rule(".webhook.office.com/", r"webhookb2/(?P<path>[A-Za-z0-9@/-]{64,}+)"),
    _Rule("/api/webhooks/", r"(?P<path>[0-9]{6,24}/[A-Za-z0-9_-]{32,}+)"),
    _Rule("/bot", r"(?P<path>[0-9]{6,12}:[A-Za-z0-9_-]{30,}+)"),
    # A JSON web token, or another long object in base64 (which also bounds the search for a dot).
    _Rule(
        "eyJ",
        r"(?:[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?|[A-Za-z0-9_-]{200,}+)",
    ),
    _Rule("bearer", r"[ \t]{1,4}(?P<token>[a-z0-9._~+/=-]{16,}+)", is_first=True),
    # ... with a digit, unlike prose.
    _Rule(
        "Basic",
        r"[ \t]{1,4}(?P<token>(?=[A-Za-z+/]{0,64}[0-9])[A-Za-z0-9+/]{12,}+={0,2})",
        is_first=True,
    ),
    # A header's value goes up to the end of its line, or of its string.
    _Rule(
        "authorization",
        _LINE + r"(?P<line>[^\r\n\"'\\&{}\x1e]{4,}+)",
        needs=":=",
        is_named=True,
    ),
    _Rule(
        "cookie",
        _LINE + r"(?P<line>[^\r\n\"'\\{}=\x1e]{1,256}+=[^\r\n\"'\\{}\x1e]++)",
        needs="=",
        is_named=True,
    ),
    # key=value, key: value, "key": "value"
    *(
        _Rule(stem, _VALUE, needs=":=", is_named=True)
        for stem in ("key", "pass", "secret", "token", "signature", "pwd")
    ),
    # `curl -u user:password`; `IDENTIFIED BY 'password'` of SQL
    _Rule(
        "curl",
        r"[ \t][^\r\n\x1e]{0,400}?(?<=[ \t])(?:-u|--user|--proxy-user)[ \t=]{0,4}[\"']?"
        r"(?P<user>[^\s\"':]{1,128}:[^\s\"']{1,256})",
        needs=":",
        is_first=True,
    ),
    _Rule(
        "identified",
        _IDENTIFIED + r"\\{0,15}([\"'])(?P<bare>[^\s\x1e\"'\\]{1,256})(?=\\{0,15}[\"'])",
        needs="'\"",
        is_first=True,
    ),
    # ... with spaces, where it is no prose.
    _Rule("IDENTIFIED", f"(?i:{_IDENTIFIED}){_QUOTED}", needs="'\"", is_first=True),
    *(
        _Rule(
            noun,
            rf"(?:(?<=create {noun})|(?<=alter {noun}))[ \t\r\n][^;\x1e]{{0,200}}?"
            rf"(?:identified{_IDENTIFIED}|password[ \t\r\n]{{1,8}}){_QUOTED}",
            needs="'\"",
        )
        for noun in ("user", "role")
    ),
    # The signature in an address of Azure's.
    _Rule("sig=", r"(?P<bare>[^\s\"',;&{}\\]{16,}+)", is_first=True),
    _Rule(
        "--",
        r"[a-z0-9-]{0,40}(?:key|password|passwd|pwd|secret|token)[ \t]{1,4}[\"']?"
        r"(?!(?:flag|option|argument|parameter|value|is|to|and|or|for|with|if|when|as|in)\b)"
        r"(?P<flag>[^\s\"'-][^\s\"']++)",
    ),
)

_BY_GATE = tuple(
    (gate[:1], gate[1:], tuple(rule for rule in _RULES if rule.gate == gate))
    for gate in dict.fromkeys(rule.gate for rule in _RULES)
)
"""Rules by the one or two characters of their gate; all texts pass an empty one."""

_SECRET_KEYS = frozenset(
    {"token", "authorization", "proxyauthorization", "cookie", "cookies", "setcookie", "auth",
     "credential", "credentials", "creds", "pass", "passcode", "jwt", "bearer", "authheader",
     "sig", "signature", "xamzsignature", "xgoogsignature", "xhubsignature"}
)  # fmt: skip
_SECRET_SUFFIXES = (
    "password", "passwd", "passphrase", "passwords", "passwordconfirm", "passwordconfirmation",
    "secret", "secrets", "secretkey", "apikey", "apikeys", "openaikey", "anthropickey",
    "signingkey", "encryptionkey", "masterkey", "subscriptionkey", "functionskey", "rolekey",
    "consumerkey", "licensekey", "sshkey", "accesskey", "accountkey", "privatekey", "accesstoken",
    "authtoken",
    "refreshtoken", "idtoken", "sessiontoken", "bearertoken", "apitoken", "securitytoken", "pwd",
    "authorization",
)  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PUBLIC_TOKENS = frozenset(
    {"progress", "page", "next", "prev", "previous", "continuation", "sync", "cursor", "resume",
     "cancel", "cancellation", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop", "start",
     "end", "first", "last", "new", "per", "max", "min", "input", "output", "prompt", "special"}
)  # fmt: skip
"""Words before `token` that make it a position or a unit."""


@lru_cache(maxsize=2048)
def is_secret_key(key: str) -> bool:
    """Return whether `key` names a secret (`api_key`, not `max_tokens`)."""
    if "…" in key:  # cut: the whole name is unknown
        return False
    name = "".join(char for char in key.lower() if char.isalnum()).rstrip("0123456789")
    if name in _SECRET_KEYS or name.endswith(_SECRET_SUFFIXES):
        return True
    words = [word.lower() for word in _WORD.findall(key)]
    match words:
        case [*_, before, "token"]:
            return before not in _PUBLIC_TOKENS
        case [_, *_, "pass"]:
            return True
    return False


def is_secret_attribute(key: str) -> bool:
    """Return whether a dotted key's last part is secret; `mcp.progress.token` is a position."""
    name = key.rpartition(".")[2]
    return is_secret_key(name) and (name != "token" or is_secret_key(key))


def is_secret_flag(word: object) -> bool:
    """Return whether a command-line word is followed by a secret (`--api-key`)."""
    return isinstance(word, str) and word[:1] == "-" and len(word) <= 64 and is_secret_key(word)


class Redactor:
    """Removes secrets from strings; `patterns` and `callback` add your own rules, which run last.

    If the callback raises, the whole string is replaced: better nothing than a secret. It runs on
    the agent's threads and on the thread that sends (`docs/redaction.md`).
    """

    def __init__(
        self,
        patterns: Iterable[str | re.Pattern[str]] = (),
        callback: Callable[[str], str] | None = None,
    ) -> None:
        self._patterns = tuple(re.compile(pattern) for pattern in patterns)
        self._callback = callback
        self.has_own_rules = bool(self._patterns) or callback is not None
        """Whether your own rules may change any text, not only secrets."""

    def text(self, text: str) -> str:
        """Return `text` with every secret replaced by `[redacted]`; idempotent."""
        return self._own(_scrubbed(text))

    def texts(self, texts: Sequence[str]) -> dict[str, str]:
        """Return the redacted form of each of `texts` that changed.

        Much cheaper than one by one for many short texts.
        """
        joined = _BETWEEN.join(texts)
        scrubbed = _scrubbed(joined)
        if scrubbed == joined and not self.has_own_rules:
            return {}
        parts = scrubbed.split(_BETWEEN)
        if len(parts) != len(texts):  # one of them holds the separator itself
            parts = [_scrubbed(text) for text in texts]
        pairs = ((text, self._own(part)) for text, part in zip(texts, parts, strict=True))
        return {text: part for text, part in pairs if part != text}

    def value(self, key: str, value: Any) -> Any:
        """Return a plain value (strings, mappings, sequences) of `key`, without secrets."""
        if isinstance(value, str):
            return REDACTED if is_secret_attribute(key) else self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.value(str(name), v) for name, v in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            before = ("", *value)
            return [
                REDACTED if is_secret_flag(previous) else self.value(key, item)
                for previous, item in zip(before, value, strict=False)
            ]
        return value

    def _own(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        if self._callback is None:
            return text
        try:
            return str(self._callback(text))
        except Exception:  # noqa: BLE001 - the user's function; see the class docstring
            return REDACTED


def _scrubbed(text: str) -> str:
    """Return `text` without secrets."""
    return _scrubbed_short(text) if len(text) <= MAX_REMEMBERED_CHARS else _search(text)


@lru_cache(maxsize=512)
def _scrubbed_short(text: str) -> str:
    """Return short `text` without secrets; cached, as names of tools and models recur."""
    return _search(text)


def _search(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals are two letters when they are small
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
    rules = [
        rule
        for first, other, group in _BY_GATE
        if first in text or (other and other in text)
        for rule in group
        if rule.stem in (lowered if rule.is_any_case else text)
    ]
    if not rules:
        return text
    # No set: each rule's come in their order, which makes sorting them next to nothing. It holds
    # the interpreter, and there may be a million.
    spans = sorted(span for rule in rules for span in rule.spans(text, lowered))
    if not spans:
        return text
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        if start > done or not pieces:
            pieces += [text[done:start], REDACTED]
        done = max(done, end)
    return "".join([*pieces, text[done:]])
