"""Conditions of a policy on argument values. Pure but for `under`.

A result is True, False, or None for *undecidable*: a glob on a list, a number compared with a text,
a value nested too deep. Undecidable counts against the call: a deny or an ask applies, an allow
does not.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import partial
from typing import Any, Final, TypeAlias, cast

Truth: TypeAlias = bool | None
Test: TypeAlias = Callable[[Any], Truth]

MAX_VALUES = 10_000
"""Limit of values that one condition inspects."""
MAX_DEPTH = 64
MAX_TEXT_CHARS = 1024 * 1024
"""Longer texts are not searched."""

ANY = "*"
"""Every value of an object or a list."""
DEEP = "**"
"""Everything inside a value at any depth; at the end of a path only values without parts."""

_STEP = re.compile(r"""\.?(?:(\*\*|\*)|\[(\d{1,9})\]|\[\*\]|\["([^"]*)"\]|([^.\[\]*"]+))""")
_SCALAR = (str, bytes, int, float, type(None))


class _Mark:
    """A marker in the place of a value."""


UNREADABLE: Final = _Mark()
"""A value that is not inspected: there are too many, or its type is unknown."""
ABSENT: Final = _Mark()
NOT_PLAIN: Final = _Mark()


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of `where`: a path, and the condition on the value there."""

    path: str
    steps: tuple[str | int, ...]
    test: Test | None
    """The test of the value; None: no such value may exist."""
    words: str
    """The condition in words."""
    is_plain: bool
    """Whether the path has names only, so that it leads to one value at most."""

    def holds(self, root: object, *, in_doubt: bool) -> bool:
        """Return whether the condition holds for the values at the path.

        Args:
            root: The arguments.
            in_doubt: The result if undecidable. True needs *one* matching value, as a deny does;
                False needs *all* to match, and at least one, as an allow does.
        """
        test = self.test
        if test is not None and self.is_plain:
            value = _plain_value(root, self.steps)
            if value is ABSENT:
                return False
            if value is not NOT_PLAIN:
                answer = test(value)
                return answer is not False if in_doubt else answer is True
        if test is None:
            found = list(_find(root, self.steps))
            return all(value is UNREADABLE for value in found) and (in_doubt or not found)
        if in_doubt:
            return any(test(value) is not False for value in _find(root, self.steps))
        answers = [test(value) for value in _find(root, self.steps)]
        return bool(answers) and all(answer is True for answer in answers)


def read_condition(path: str, wanted: object) -> Condition:
    """Return the condition of an entry `path = wanted`.

    Args:
        path: Names and indexes, such as `options.force`, `files[0].name`, `files[*]`, `**`; a
            name with a dot or bracket in it is `["a.b"]`.
        wanted: A glob; an equal number or boolean; a list of alternatives; or a table of
            comparisons, see `COMPARISONS`.

    Raises:
        ValueError: The path or the condition is invalid.
    """
    steps = _steps(path)
    is_plain = all(isinstance(one, str) and one not in (ANY, DEEP) for one in steps)
    if isinstance(wanted, Mapping) and "exists" in wanted:
        if len(wanted) > 1 or not isinstance(wanted["exists"], bool):
            raise ValueError("`exists` must be true or false, and the only comparison")
        if wanted["exists"]:
            return Condition(path, steps, lambda _: True, f"{path} exists", is_plain)
        return Condition(path, steps, None, f"{path} does not exist", is_plain)
    test, words = _read_test(wanted)
    return Condition(path, steps, test, f"{path} {words}", is_plain)


def _steps(path: str) -> tuple[str | int, ...]:
    text = path[1:].removeprefix(".") if path.startswith("$") else path
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or (at > 0 and text[at] not in ".["):
            break
        star, index, quoted, name = found.groups()
        steps.append(int(index) if index is not None else star or quoted or name or ANY)
        at = found.end()
    if not steps or at < len(text) or text.startswith("."):
        raise ValueError(f'{path!r} is not a path. Use a.b, a[0], a[*], ** or ["a.b"]')
    return tuple(steps)


# --- finding values -------------------------------------------------------------------------------


def _plain_value(value: object, names: Sequence[str | int]) -> object:
    """Follow names through plain dicts, as most arguments are; ten times as fast as `_find`."""
    for name in names:
        if type(value) is not dict:
            return NOT_PLAIN
        value = value.get(name, ABSENT)
        if value is ABSENT:
            break
    return value


def _find(root: object, steps: Sequence[str | int]) -> Iterator[object]:
    """Yield the values at the path; `UNREADABLE` for values that are not inspected."""
    left = MAX_VALUES
    for value in _walk(root, steps):
        if left == 0:
            yield UNREADABLE
            return
        left -= 1
        yield value


def _walk(value: object, steps: Sequence[str | int]) -> Iterator[object]:
    if value is UNREADABLE or not steps:
        yield value
    elif steps[0] == DEEP:
        for inner in _everything(value, 0):
            if len(steps) > 1 or not _is_container(inner):
                yield from _walk(inner, steps[1:])
    else:
        for child in _children(value, steps[0]):
            yield from _walk(child, steps[1:])


def _everything(value: object, depth: int) -> Iterator[object]:
    if depth > MAX_DEPTH:
        yield UNREADABLE
        return
    yield value
    for child in _children(value, ANY):
        yield from _everything(child, depth + 1)


def _is_container(value: object) -> bool:
    return isinstance(value, Mapping | Sequence | set | frozenset) and not isinstance(
        value, _SCALAR
    )


def _children(value: object, step: str | int) -> Iterable[object]:
    if isinstance(value, _SCALAR):
        return ()
    if isinstance(value, Mapping):
        if step == ANY:
            return value.values()
        return (value[step],) if step in value else ()
    if isinstance(value, Sequence):
        if step == ANY:
            return value
        return (value[step],) if isinstance(step, int) and step < len(value) else ()
    return _parts(value, step)


def _parts(value: object, step: str | int) -> Iterable[object]:
    """Return parts of an object of the program, such as a dataclass or a model."""
    if isinstance(value, os.PathLike):
        return ()
    if isinstance(value, set | frozenset):
        return value if step == ANY else ()
    if step == ANY:
        fields = getattr(value, "__dict__", None)
        return fields.values() if isinstance(fields, dict) else (UNREADABLE,)
    return (getattr(value, step, UNREADABLE),) if isinstance(step, str) else (UNREADABLE,)


# --- tests ----------------------------------------------------------------------------------------


def _text(value: object) -> str | None:
    """Return a path or a scalar of JSON as text."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT_CHARS else None
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if isinstance(value, int | float) else None


def _number(value: object) -> int | float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and not math.isnan(value) else None  # type: ignore[arg-type, return-value] # mypy forgets `is_number`


def _on_text(search: Callable[[str], object], value: object) -> Truth:
    is_text = type(value) is str and len(value) <= MAX_TEXT_CHARS
    text = cast(str, value) if is_text else _text(value)
    return None if text is None else bool(search(text))


def _glob(wanted: object) -> Test:
    if not isinstance(wanted, str):
        raise ValueError(f"a glob must be a string, not {wanted!r}")
    return partial(_on_text, re.compile(translate(wanted)).match)


def _regex(wanted: object) -> Test:
    if not isinstance(wanted, str):
        raise ValueError(f"a regular expression must be a string, not {wanted!r}")
    try:
        return partial(_on_text, re.compile(wanted).search)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{wanted!r} is not a regular expression: {error}") from error


def _equals(wanted: object) -> Test:
    if isinstance(wanted, str):
        return partial(_on_text, wanted.__eq__)
    if isinstance(wanted, bool):
        return lambda value: value is wanted if _is_scalar(value) else None
    if isinstance(wanted, int | float):
        return lambda value: _number(value) == wanted if _is_scalar(value) else None
    raise ValueError(f"{wanted!r} cannot be compared: use a string, a number, true or false")


def _is_scalar(value: object) -> bool:
    return isinstance(value, _SCALAR) and not isinstance(value, str | bytes)


def _compared(compare: Callable[[Any, Any], bool], wanted: object) -> Test:
    limit = _number(wanted)
    if limit is None:
        raise ValueError(f"{wanted!r} is not a number")

    def test(value: object) -> Truth:
        number = _number(value)
        return None if number is None else compare(number, limit)

    return test


def _under(wanted: object) -> Test:
    """Test for a path that is a folder, or below it, both as written and after links."""
    if not isinstance(wanted, str) or not wanted:
        raise ValueError(f"a folder must be a string, not {wanted!r}")
    folder = os.path.expanduser(wanted)  # noqa: PTH111 - a text, as the tool will read it

    def test(value: object) -> Truth:
        if value is None or isinstance(value, int | float):
            return False  # no path
        text = _text(value)
        if text is None or "\0" in text:
            return None
        path = os.path.expanduser(text)  # noqa: PTH111 - as above
        answers = {
            _is_below(os.path.abspath(path), os.path.abspath(folder)),  # noqa: PTH100 - lexical
            _is_below(os.path.realpath(path), os.path.realpath(folder)),
        }
        return answers.pop() if len(answers) == 1 else None

    return test


def _is_below(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _one_of(wanted: object) -> Test:
    if not isinstance(wanted, list) or not wanted:
        raise ValueError("a list of values must not be empty")
    tests = [_read_test(item)[0] for item in wanted]

    def test(value: object) -> Truth:
        answers = [each(value) for each in tests]
        return True if True in answers else None if None in answers else False

    return test


def _not(wanted: object) -> Test:
    inner = _read_test(wanted)[0]

    def test(value: object) -> Truth:
        answer = inner(value)
        return None if answer is None else not answer

    return test


COMPARISONS: Mapping[str, tuple[str, Callable[[object], Test]]] = {
    "glob": ("is like", _glob),
    "regex": ("matches", _regex),
    "equals": ("is", _equals),
    "one_of": ("is one of", _one_of),
    "under": ("is in the folder", _under),
    "lt": ("is less than", partial(_compared, lambda one, other: one < other)),
    "le": ("is at most", partial(_compared, lambda one, other: one <= other)),
    "gt": ("is more than", partial(_compared, lambda one, other: one > other)),
    "ge": ("is at least", partial(_compared, lambda one, other: one >= other)),
    "not": ("is not so:", _not),
}
"""Keys of a table of comparisons, with their words."""


def _read_test(wanted: object) -> tuple[Test, str]:
    """Return the test of a value of `where`, and its words."""
    if isinstance(wanted, Mapping):
        return _read_table(wanted)
    name = "one_of" if isinstance(wanted, list) else "glob" if isinstance(wanted, str) else "equals"
    words, make = COMPARISONS[name]
    return make(wanted), f"{words} {_spell(wanted)}"


def _read_table(wanted: Mapping[str, object]) -> tuple[Test, str]:
    if not wanted:
        raise ValueError(f"no comparison; use one of {', '.join(COMPARISONS)}, exists")
    tests, phrases = [], []
    for name, value in wanted.items():
        if name not in COMPARISONS:
            known = ", ".join(COMPARISONS)
            raise ValueError(f"unknown comparison {name!r}; use one of {known}, exists")
        words, make = COMPARISONS[name]
        tests.append(make(value))
        phrases.append(f"{words} {_read_test(value)[1] if name == 'not' else _spell(value)}")

    def test(value: object) -> Truth:
        answers = [each(value) for each in tests]
        return False if False in answers else None if None in answers else True

    return test, " and ".join(phrases)


def _spell(wanted: object) -> str:
    if isinstance(wanted, bool):
        return "true" if wanted else "false"
    if isinstance(wanted, list):
        return ", ".join(_read_test(item)[1] if isinstance(item, dict) else _spell(item)
                         for item in wanted)  # fmt: skip
    return f"“{wanted}”" if isinstance(wanted, str) else str(wanted)
