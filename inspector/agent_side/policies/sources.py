"""Load policy files; one in the working directory is trusted less.

The user's own file may have any rule. One in the working directory may have come with the code of
others, and only tightens: its `allow` is ignored.

An existing file that cannot be used was meant to guard something. The agent runs on, but the
operations that the file may have guarded are denied until it is mended.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from dataclasses import replace

from inspector.agent_side.policies.file import HERE, HOOKS, Rules, parse
from inspector.agent_side.policies.locations import NAME, SWITCH, PolicyFile
from inspector.agent_side.policies.rules import BEFORE_TOOL_CALL, Policy, RuleList, SourceLine
from inspector.errors import PolicyError
from inspector.paths import SECTIONS, config_dir

MAX_FILE_BYTES = 1 << 20

_logger = logging.getLogger("inspector")


def load(source: PolicyFile) -> Rules | None:
    """Return the rules of a file; None if it is missing or has none.

    Raises:
        PolicyError: It cannot be used, or a setting names it and it does not exist.
    """
    text = _read(source)
    if text is None:
        return None
    rules = parse(text, source.file)
    if source.only_tightens:
        rules = _tightening(rules)
    return None if rules.is_empty else rules


def load_or_deny(source: PolicyFile) -> Rules | None:
    """Return the rules of a file; of an unusable one, rules that deny what it may guard."""
    try:
        return load(source)
    except PolicyError as error:
        hooks = _guarded(source)
        if not hooks:
            _logger.debug("No policies loaded: %s", error)
            return None
        _logger.error(
            "Cannot use the policies in %s, so everything they may guard is denied (%s). %s Fix "
            "the file (`inspector policies check`), or set %s=off.",
            source.file,
            ", ".join(hooks),
            " ".join(error.mistakes[:10]),
            SWITCH,
        )
        reason = f"the policies are invalid: {' '.join(error.mistakes[:3])[:1_000]}"
        policy = Policy("broken file", "deny", SourceLine(source.file, None), hooks, reason=reason)
        return Rules(source.file, RuleList([policy]), RuleList([]), ())


def _guarded(source: PolicyFile) -> tuple[str, ...]:
    """Return the events that an unusable file may guard.

    A readable file without our keys guards none. An unreadable one may guard any tool call.
    """
    try:
        text = _read(source)
    except PolicyError:
        return (BEFORE_TOOL_CALL,)
    keys = "|".join(SECTIONS)
    if text is None or not re.search(rf"^[ \t]*(\[\[?)?[ \t\"']*({keys})\b", text, re.MULTILINE):
        return ()
    is_about_models = re.search(r"budgets|step", text) is not None
    return tuple(
        hook
        for hook in HOOKS
        if hook == BEFORE_TOOL_CALL
        or hook in text
        or (hook == "before_llm_generate" and is_about_models)
    )


def _tightening(rules: Rules) -> Rules:
    tightening = [one for one in rules.policies.policies if one.action != "allow"]
    left_out = len(rules.policies.policies) - len(tightening)
    if left_out:
        _logger.warning(
            "%s has %d `allow` policies, which are ignored: a file in the working directory can "
            "only tighten. Move them to your own %s.",
            rules.file,
            left_out,
            config_dir() / NAME,
        )
    return Rules(
        rules.file,
        RuleList([replace(one, name=HERE + one.name) for one in tightening]),
        RuleList([replace(one, name=HERE + one.name) for one in rules.breakpoints.policies]),
        tuple(replace(one, name=HERE + one.name) for one in rules.budgets),
    )


def _read(source: PolicyFile) -> str | None:
    try:
        if not (stat.S_ISREG(source.file.stat().st_mode) or source.file.samefile(os.devnull)):
            raise PolicyError(
                [f"{source.file} is not a regular file."]
            )  # to read it might never end
        with source.file.open("rb") as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise PolicyError([f"{source.file} is longer than {MAX_FILE_BYTES} bytes."])
        return data.decode("utf-8-sig")
    except FileNotFoundError as error:
        if not source.is_named:
            return None
        raise PolicyError([f"{source.file} does not exist."]) from error
    except OSError as error:
        raise PolicyError([f"{source.file} cannot be read: {error.strerror}."]) from error
    except UnicodeDecodeError as error:
        raise PolicyError([f"{source.file} is not UTF-8: {error}."]) from error
