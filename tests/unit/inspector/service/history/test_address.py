from __future__ import annotations

import pytest

from inspector.service.history.address import HistoryAddress


def test_an_address_names_user_hosts_and_database() -> None:
    found = HistoryAddress.parse("clickhouse://ada%40b@one,two:9000,[::1]/traces")
    assert (found.user, found.database) == ("ada@b", "traces")
    assert found.urls() == ["http://one:8123", "http://two:9000", "http://[::1]:8123"]
    assert str(found) == "clickhouse://one:8123,two:9000,[::1]:8123/traces"


def test_a_secure_address_has_another_port() -> None:
    found = HistoryAddress.parse("clickhouse://one/traces?secure=1")
    assert (found.user, found.urls()) == ("default", ["https://one:8443"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://one/traces", "is not an address such as clickhouse://"),
        ("http://ada:s3cret@one/traces", "is not an address such as clickhouse://"),
        ("clickhouse://ada@one:s3cret/traces", "is not a host"),
        ("clickhouse://one/traces?password=s3cret", "password: the only option"),
        ("clickhouse://ada:s3cret@one/traces", "INSPECTOR_HISTORY_PASSWORD"),
        ("clickhouse://ada%3As3cret@one/traces", "INSPECTOR_HISTORY_PASSWORD"),
        ("clickhouse://one", "names no database"),
        ("clickhouse:///traces", "names no host"),
        ("clickhouse://one,one:8123/traces", "a host twice"),
        ("clickhouse://one:port/traces", "is not a host"),
        ("clickhouse://one/traces?tls=1", "tls: the only option is secure=1"),
        ("clickhouse://one/traces?secure=yes", "yes: the only option is secure=1"),
    ],
)
def test_what_is_no_address_says_why(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says.replace("?", r"\?")) as raised:
        HistoryAddress.parse(text)
    assert "s3cret" not in str(raised.value)
