"""Quantities as text for people and models."""

from __future__ import annotations

from datetime import datetime

LEAST_IDLE_NS = 1_000_000_000
"""The shortest idle time that lists show."""


def duration(ns: int | None) -> str:
    """Return `850 µs`, `12 ms`, `3.4 s`, `5 min 12 s` or `2 h 5 min`; nothing for None."""
    if ns is None:
        return ""
    if ns < 0:
        return f"-{duration(-ns)}"
    if ns < 1_000_000:
        return f"{ns / 1_000:.0f} µs"
    if ns < 9_950_000:
        return f"{ns / 1e6:.1f} ms"
    if ns < 999_500_000:
        return f"{ns / 1e6:.0f} ms"
    if ns < 59_950_000_000:
        return f"{ns / 1e9:.1f} s"
    seconds = round(ns / 1e9)
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3_600} h {seconds % 3_600 // 60} min"


def duration_ms(ms: float | None) -> str:
    """Return a duration in milliseconds as `duration` does."""
    return duration(None if ms is None else round(ms * 1e6))


def silence(since: str | None, now_s: float) -> str:
    """Return `no news for 9 min` since a time (RFC 3339, UTC); nothing in the first minute."""
    if since is None:
        return ""
    minutes = int(now_s - datetime.fromisoformat(f"{since[:19]}+00:00").timestamp()) // 60
    if minutes < 1:
        return ""
    long = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
    return f"no news for {long}"


def count(number: int) -> str:
    """Return `950`, `1.2k`, `34k` or `5.6M`."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if abs(number) >= size * 0.9995:
            short = number / size
            return f"{short:.1f}{unit}" if abs(short) < 9.95 else f"{short:.0f}{unit}"
    return str(number)


def money(usd: float) -> str:
    """Return `$0.0012` or `$3.40`."""
    return f"${usd:.4f}" if abs(usd) < 0.995 else f"${usd:,.2f}"


def tokens(sent: int | None, made: int | None) -> str:
    """Return `812→64 tokens`; nothing when neither is known or both are 0."""
    if not sent and not made:
        return ""
    return f"{count(sent or 0)}→{count(made or 0)} tokens"


def plural(number: int, noun: str) -> str:
    """Return `1 error` or `3 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
