from pathlib import Path
from typing import Any

import pytest

from inspector.errors import SettingsError
from inspector.service.settings import Settings, is_loopback, load_settings


@pytest.fixture(autouse=True)
def config_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let nothing of this machine's user be found; return where a configuration would be."""
    import os

    for name in list(os.environ):
        if name.startswith("INSPECTOR_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / "mcp-agent-inspector" / "inspector.toml"
    path.parent.mkdir()
    return path


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    settings = load_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 7800)
    assert (settings.otlp_http_port, settings.otlp_grpc_port) == (4318, 4317)
    assert settings.store == f"sqlite:///{tmp_path}/mcp-agent-inspector/inspector.sqlite3"
    assert settings.token is None


def test_an_argument_wins_over_the_environment_over_the_file_over_the_default(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text("port = 1001")
    assert load_settings().port == 1001
    monkeypatch.setenv("INSPECTOR_PORT", "1002")
    assert load_settings().port == 1002
    assert load_settings(port=1003).port == 1003
    assert load_settings(port=None).port == 1002, "a flag that was not given says nothing"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_its_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = {"port": "1", "otlp_http_port": "1", "otlp_grpc_port": "1"}.get(name, "true")
    other = {"tls_cert": "TLS_KEY", "tls_key": "TLS_CERT"}
    if name in other:
        monkeypatch.setenv(f"INSPECTOR_{other[name]}", "x")
    own = {"host": "127.0.0.2", "capture_content": "FULL", "retention": "1d", "mcp_control": "ON"}
    own |= {"history": "clickhouse://a/b", "history_copies": "1", "hot": "1d", "ack": "disk"}
    own |= {"writers": "eu=https://eu.example", "writer_tokens": "eu=t"}
    if name == "writer_tokens":
        monkeypatch.setenv("INSPECTOR_WRITERS", own["writers"])
    own |= {"allowed_origins": "https://app.example", "trusted_proxies": "10.0.0.0/8"}
    text = own.get(name, text)
    monkeypatch.setenv(f"INSPECTOR_{name.upper()}", text)
    assert load_settings().is_explicit(name)


def test_a_file_is_named_by_argument_or_environment(
    config_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text("port = 1")
    other = tmp_path / "other.toml"
    other.write_text('port = 2\nforward_otlp = ["http://a", "http://b"]')
    monkeypatch.setenv("INSPECTOR_CONFIG", str(other))
    assert load_settings().port == 2
    assert load_settings().forward_otlp == ("http://a", "http://b")
    assert load_settings(config_file).port == 1


def test_a_file_in_the_working_directory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "inspector.toml").write_text("port = 1")
    (tmp_path / "here" / ".env").write_text("INSPECTOR_PORT=1")
    monkeypatch.chdir(tmp_path / "here")
    assert load_settings().port == 7800


def test_lists_are_comma_separated_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_ALLOWED_HOSTS", " a , b,,")
    assert load_settings().allowed_hosts == ("a", "b")


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_PORT", "")
    assert load_settings().port == 7800


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = 99999", "INSPECTOR_PORT"),
        ("prot = 1", "prot"),
        ('port = "abc"', "'abc' is not a port: use a number from 0 to 65535"),
        ('capture_content = "none"', "'none' is not `redacted` or `full`. To keep no content"),
        ("port = = 1", "not TOML"),
        ('host = "192.0.2.1"', "dangerously_allow_plain_http"),
        ('tls_cert = "x"', "tls_key"),
        ('allowed_origins = "*"', "name each, such as https://app.example"),
        ('allowed_origins = ["https://*.example"]', "INSPECTOR_ALLOWED_ORIGINS"),
        ('allowed_origins = "null"', "INSPECTOR_ALLOWED_ORIGINS"),
        ('allowed_origins = "app.example"', "INSPECTOR_ALLOWED_ORIGINS"),
        ('allowed_origins = "https://app.example/page"', "INSPECTOR_ALLOWED_ORIGINS"),
        ('allowed_hosts = "*"', "INSPECTOR_ALLOWED_HOSTS"),
        ('allowed_hosts = "http://box"', "INSPECTOR_ALLOWED_HOSTS"),
        ('trusted_proxies = "*"', "INSPECTOR_TRUSTED_PROXIES"),
        ('token = "ä-token-of-many-letters"', "INSPECTOR_TOKEN"),
        ('token = "two words, or many more"', "INSPECTOR_TOKEN"),
        ("history_copies = 2", "history_copies=2 .* names 0"),
        ('history = "clickhouse://a,b/c"\nhistory_copies = 3', "names 2"),
        ("open_ingest = true\nrequire_ingest_token = true", "contradict"),
    ],
)
def test_what_cannot_be_used_is_reported(config_file: Path, text: str, message: str) -> None:
    config_file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        load_settings()


def test_a_missing_file_that_was_configured_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml"):
        load_settings(tmp_path / "none.toml")


def test_the_token_is_not_shown() -> None:
    assert "secret" not in repr(load_settings(token="secret"))


def test_the_password_of_the_history_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_HISTORY_PASSWORD", " pässwörd \r\n")
    password = load_settings().history_password
    assert password is not None
    assert password.get_secret_value() == " pässwörd "
    monkeypatch.setenv("INSPECTOR_HISTORY_PASSWORD", "hunt\udce4r")
    with pytest.raises(SettingsError, match=r"_PASSWORD.* not UTF-8") as raised:
        load_settings()
    assert "hunt" not in str(raised.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_addresses_need_nothing_more(host: str) -> None:
    assert is_loopback(host)
    load_settings(host=host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])
def test_other_addresses_need_tls_or_the_flag_that_names_the_danger(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(SettingsError):
        load_settings(host=host)
    load_settings(host=host, dangerously_allow_plain_http=True)
    load_settings(host=host, tls_cert="c", tls_key="k")


def test_a_token_that_can_be_guessed_is_for_this_machine_only() -> None:
    beyond: dict[str, Any] = {"host": "0.0.0.0", "dangerously_allow_plain_http": True}
    for short in ("x", "x" * 15):
        load_settings(token=short)
        with pytest.raises(SettingsError, match="at least 16 characters"):
            load_settings(token=short, **beyond)
    load_settings(token="x" * 16, **beyond)


def test_origins_are_as_a_browser_writes_them() -> None:
    loaded = load_settings(allowed_origins="HTTPS://App.example/, http://[::1]:3000")
    assert loaded.allowed_origins == ("https://app.example", "http://[::1]:3000")


def test_policies_in_the_file_are_not_the_services_to_judge(config_file: Path) -> None:
    config_file.write_text(
        'port = 1001\nstep = true\n[[policies]]\naction = "nonsense"\n'
        "[[budgets]]\nat = 1\n[[breakpoints]]\n"
    )
    assert load_settings().port == 1001
    config_file.write_text("polices = []")
    with pytest.raises(SettingsError, match="polices"):
        load_settings()
