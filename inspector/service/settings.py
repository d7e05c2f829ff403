"""The service's settings: one table for flags, environment, configuration file and documents.

Precedence: argument, environment (`INSPECTOR_…`), configuration file, default.
"""

from __future__ import annotations

import ipaddress
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from inspector.errors import SettingsError
from inspector.paths import SECTIONS as POLICY_SECTIONS
from inspector.paths import config_dir, data_dir
from inspector.service.history.address import HistoryAddress
from inspector.service.model.writer_names import WriterAddress
from inspector.service.sessions.retention import Retention

PREFIX = "INSPECTOR_"
NO_CONTENT = (
    "To keep no content, set INSPECTOR_CAPTURE_CONTENT=off where the agents run: the service "
    "stores what they send"
)
MIN_TOKEN_CHARS = 16
"""Least length of a token that other machines can try to guess."""


def _split(value: object) -> object:
    """Split `a, b`: lists are written like this in the environment."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _capture(value: object) -> object:
    mode = _lower(value)
    if mode not in ("redacted", "full", "off"):
        raise ValueError(f"{value!r} is not `redacted` or `full`. {NO_CONTENT}")
    return mode


def _port(value: object) -> int:
    text = str(value).strip()
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= 65_535):
        raise ValueError(f"{value!r} is not a port: use a number from 0 to 65535")
    return int(text)


def _retention(text: str) -> str:
    Retention.parse(text)
    return text


def _history(text: str) -> str:
    HistoryAddress.parse(text)
    return text


def _history_password(password: SecretStr) -> SecretStr:
    text = password.get_secret_value()
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("the password is not UTF-8")
    return SecretStr(text.rstrip("\r\n"))  # of a file that it was read from


def _origin(text: str) -> str:
    """Check that a text is one origin as browsers write it, without wildcards."""
    origin = text.lower().rstrip("/")
    parts = urlsplit(origin)
    is_origin = parts.scheme in ("http", "https") and origin == f"{parts.scheme}://{parts.netloc}"
    if not is_origin or not parts.hostname or "*" in origin or "@" in origin:
        raise ValueError(
            f"{text!r} is not one origin: the pages of a listed origin may read everything and "
            "control agents, so name each, such as https://app.example"
        )
    return origin


def _host(text: str) -> str:
    if "*" in text or "/" in text:
        raise ValueError(f"{text!r} is not one host name: name each, such as inspector.example")
    return text


def _proxy(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError as error:
        raise ValueError(
            f"{text!r} is not the address or network of a proxy, such as 127.0.0.1 or 10.0.0.0/8"
        ) from error


def _writer(text: str) -> str:
    WriterAddress.parse(text)
    return text


def _writer_tokens(tokens: SecretStr) -> SecretStr:
    for one in tokens.get_secret_value().split(","):
        name, equals, token = one.strip().partition("=")
        if not (name and equals and token):
            raise ValueError("it is not like `eu=TOKEN,us=TOKEN`")
        _token(SecretStr(token))
    return tokens


def _token(token: SecretStr) -> SecretStr:
    if not all("!" <= letter <= "~" for letter in token.get_secret_value()):
        raise ValueError("a token is sent in a header: printable ASCII without spaces")
    return token


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Hosts = Annotated[
    tuple[Annotated[str, AfterValidator(_host)], ...], NoDecode, BeforeValidator(_split)
]
Origins = Annotated[
    tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_split)
]
Proxies = Annotated[
    tuple[Annotated[str, AfterValidator(_proxy)], ...], NoDecode, BeforeValidator(_split)
]
Writers = Annotated[
    tuple[Annotated[str, AfterValidator(_writer)], ...], NoDecode, BeforeValidator(_split)
]
WriterTokens = Annotated[SecretStr, AfterValidator(_writer_tokens)]
Token = Annotated[SecretStr, AfterValidator(_token)]
Capture = Annotated[Literal["redacted", "full", "off"], BeforeValidator(_capture)]
Switch = Annotated[Literal["off", "on"], BeforeValidator(_lower)]
HistoryText = Annotated[str, AfterValidator(_history)]
HistoryPassword = Annotated[SecretStr, AfterValidator(_history_password)]
RetentionText = Annotated[str, AfterValidator(_retention)]
Port = Annotated[int, BeforeValidator(_port)]


def _default_store() -> str:
    return f"sqlite:///{data_dir() / 'inspector.sqlite3'}"


class Settings(BaseSettings):
    """The service's settings. Each field is a flag, an `INSPECTOR_` variable and a file key."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, env_ignore_empty=True
    )

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Port = Field(7800, description="Port of the web UI and the API; 0 picks a free port.")
    otlp_http_port: Port = Field(4318, description="Second port for OTLP/HTTP; 0 is off.")
    otlp_grpc_port: Port = Field(4317, description="Port for OTLP/gRPC; 0 is off.")
    store: str = Field(
        default_factory=_default_store,
        description="Store of sessions: `sqlite:///PATH`, or `memory:` for up to 1 GiB that is "
        "lost when the service stops and never written to disk.",
    )
    retention: RetentionText = Field(
        "30d,20GB",
        description="Limit of age and size: `30d`, `20GB`, or both; `off` keeps everything. The "
        "oldest sessions are deleted first, running and waiting ones never.",
    )
    token: Token | None = Field(
        None,
        description="Access token. Default: a generated token, stored in `token_file`.",
    )
    token_file: Path | None = Field(
        None, description="File of the generated token. Default: beside the store."
    )
    prices: Path | None = Field(
        None,
        description="File of your own model prices. They override the bundled list. Agents read "
        "`INSPECTOR_PRICES`, too.",
    )
    forward_otlp: Names = Field(
        (),
        description="OTLP receivers to forward everything to, comma-separated: `http(s)://` is "
        "OTLP/HTTP, `grpc://` is OTLP/gRPC.",
    )
    history: HistoryText | None = Field(
        None,
        description="Database that keeps everything: `clickhouse://USER@HOST:8123/DATABASE`. "
        "Several hosts are separated by commas; `?secure=1` uses TLS.",
    )
    history_password: HistoryPassword | None = Field(
        None, description="Password of the user in `history`."
    )
    history_copies: int = Field(
        1,
        ge=1,
        description="With several hosts in `history`: number of them that must have what counts as "
        "copied. With more than 1 the tables are replicated.",
    )
    ack: Annotated[Literal["disk", "history"], BeforeValidator(_lower)] = Field(
        "disk",
        description="When telemetry is acknowledged: once it is on this disk, or, with `history`, "
        "once it is in the history, about a second later.",
    )
    hot: RetentionText = Field(
        "3d,50GB",
        description="With `history`: limit of the content on this disk, as in `retention`. Older "
        "sessions are read from the history. The size in `retention` limits it, too.",
    )
    writers: Writers = Field(
        (),
        description="Services to show on one page, by name: `eu=https://eu.example,us=https://…`. "
        "This is then a reader: it stores nothing. Its token is that of the services.",
    )
    writer_tokens: WriterTokens | None = Field(
        None, description="Tokens of services in `writers` that have another: `eu=TOKEN,us=TOKEN`."
    )
    allowed_hosts: Hosts = Field(
        (), description="Host names, besides loopback ones, under which the service is reached."
    )
    allowed_origins: Origins = Field(
        (), description="Web origins, such as `https://app.example`, whose pages may call the API."
    )
    trusted_proxies: Proxies = Field(
        (),
        description="Addresses or networks of reverse proxies whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are trusted. Mounted in an app, its server decides that.",
    )
    require_ingest_token: bool = Field(
        False, description="Require the token for OTLP, even from this machine."
    )
    open_ingest: bool = Field(
        False,
        description="Accept OTLP from other machines without the token: for a container whose "
        "ports are published on this machine only.",
    )
    capture_content: Capture = Field(
        "redacted",
        description="`redacted` replaces secrets in received data; `full` stores it unchanged. "
        "`off` is for agents: `inspector serve` refuses the option, and takes the variable as "
        "`redacted`.",
    )
    mcp_control: Switch = Field(
        "off",
        description="`on` lets MCP clients of `/mcp` answer requests, and pause, step and cancel "
        "sessions; otherwise they can only read.",
    )
    tls_cert: Path | None = Field(None, description="Certificate chain (PEM) for HTTPS.")
    tls_key: Path | None = Field(None, description="Private key (PEM) of the certificate.")
    dangerously_allow_plain_http: bool = Field(
        False,
        description="Listen on other addresses without TLS. Whoever can read the traffic can read "
        "the token.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources by precedence; without a `.env` of the working directory."""
        arguments = dict(init_settings())
        config = arguments.pop("config", None)
        file = InitSettingsSource(settings_cls, _read_config(config))
        return InitSettingsSource(settings_cls, arguments), env_settings, file

    @model_validator(mode="after")
    def _check(self) -> Settings:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key go together: set both, or neither")
        if not is_loopback(self.host) and not (self.tls_cert or self.dangerously_allow_plain_http):
            raise ValueError(
                f"host {self.host} is reachable from other machines: set tls_cert and tls_key, "
                "or dangerously_allow_plain_http if the network itself is protected"
            )
        if self.ack == "history" and not self.history:
            raise ValueError("ack=history needs a history: set history to an address")
        hosts = HistoryAddress.parse(self.history).hosts if self.history else ()
        if self.history_copies > max(len(hosts), 1):
            raise ValueError(
                f"history_copies={self.history_copies} needs as many hosts in history: it names "
                f"{len(hosts)}"
            )
        if self.history and self.store == "memory:":
            raise ValueError("history copies a store with a file: set store to sqlite:///PATH")
        if self.require_ingest_token and self.open_ingest:
            raise ValueError("require_ingest_token and open_ingest contradict each other: set one")
        self._check_writers()
        if self.token:
            self.check_token(self.token.get_secret_value())
        return self

    def _check_writers(self) -> None:
        addresses = [WriterAddress.parse(one) for one in self.writers]
        names = [one.name for one in addresses]
        if len(set(names)) < len(names):
            raise ValueError("writers: each name can be used once")
        if len({one.url for one in addresses}) < len(addresses):
            raise ValueError("writers: each address can be used once")
        if unknown := self.tokens_of_writers().keys() - set(names):
            raise ValueError(f"writer_tokens: {', '.join(sorted(unknown))} is not in writers")
        if addresses and self.history:
            raise ValueError("a reader has no history of its own: set writers or history")
        for one in addresses:
            if not (one.is_protected or self.dangerously_allow_plain_http):
                raise ValueError(
                    f"the address of {one.name!r} is plain http, where others can read the token: "
                    "use https, or dangerously_allow_plain_http if the network is protected"
                )

    def tokens_of_writers(self) -> dict[str, str]:
        """Return the tokens of services that have one of their own, by name."""
        text = self.writer_tokens.get_secret_value() if self.writer_tokens else ""
        pairs = (one.strip().partition("=") for one in text.split(",") if one)
        return {name: token for name, _, token in pairs}

    def check_token(self, token: str) -> None:
        """Raise if others who reach the service could guess the token.

        Raises:
            ValueError: It is too short.
        """
        if not is_loopback(self.host) and len(token) < MIN_TOKEN_CHARS:
            raise ValueError(
                f"the token is too short for host {self.host}, where others may guess it: "
                f"at least {MIN_TOKEN_CHARS} characters, such as of `openssl rand -hex 24`"
            )

    def is_explicit(self, name: str) -> bool:
        """Return whether `name` was set, rather than left at its default."""
        return name in self.model_fields_set


def load_settings(config: Path | None = None, **arguments: Any) -> Settings:
    """Return the settings.

    Args:
        config: Configuration file; else `INSPECTOR_CONFIG`, else the user's `inspector.toml`.
        arguments: By field name; None: left out.

    Raises:
        SettingsError: One cannot be used; says which, and why.
    """
    values = {name: value for name, value in arguments.items() if value is not None}
    values["config"] = config  # taken out by `settings_customise_sources`
    try:
        return Settings(**values)
    except ValidationError as error:
        mistakes = []
        for item in error.errors():
            name = str(item["loc"][0]) if item["loc"] else ""
            why = item["msg"].removeprefix("Value error, ")
            mistakes.append(f"{name} ({PREFIX}{name.upper()}): {why}" if name else why)
        raise SettingsError(f"Cannot start with these settings: {'; '.join(mistakes)}.") from error


def is_loopback(host: str) -> bool:
    """Return whether `host` can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_config(config: Path | None) -> dict[str, Any]:
    name = config or os.environ.get(f"{PREFIX}CONFIG")
    path = Path(name) if name else config_dir() / "inspector.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if not name:
            return {}
        raise SettingsError(f"Cannot read the configuration: {path} does not exist.") from error
    except OSError as error:
        raise SettingsError(f"Cannot read the configuration {path}: {error.strerror}.") from error
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The configuration {path} is not TOML: {error}.") from error
    # Only agents read policies: a mistake in one must not stop the service.
    return {key: value for key, value in found.items() if key not in POLICY_SECTIONS}
