"""Pages of the documentation, as blocks of code with the files and commands that they are."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w.-]+\.(?:py|mjs|json|toml|md))`[^`\n]*:$")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->$")
_INLINE = re.compile(r"`(inspector [a-z][^`\n]*)`")
_ASSIGNED = re.compile(r"^\w+=\$\((.+)\)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code.

    Attributes:
        language: What its fence names; empty for none.
        text: Its lines.
        line: The line of its fence in the page, from 1.
        file: The file that the sentence above says to save it as; empty for none.
        not_run: Why it cannot run, from the comment above; empty if it does.
    """

    language: str
    text: str
    line: int
    file: str
    not_run: str

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, without comments; of a console block those after `$`."""
        lines = _ASSIGNED.sub(r"\1", self.text.replace("\\\n", " ")).splitlines()
        if self.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [shlex.join(words) for line in lines if (words := shlex.split(line, comments=True))]


@dataclass(frozen=True)
class DocPage:
    """A page, by its path in the repository."""

    path: str

    @property
    def text(self) -> str:
        """The whole page."""
        return (ROOT / self.path).read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[Block]:
        """The blocks of code, in order."""
        return [self._block(found) for found in _FENCE.finditer(self.text)]

    def _block(self, found: re.Match[str]) -> Block:
        before = self.text[: found.start()]
        above = before.rstrip().rpartition("\n")[2]
        file, not_run = _FILE.search(above), _NOT_RUN.match(above)
        indent, language, text = found.groups()
        return Block(
            language,
            "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True)),
            before.count("\n") + 1,
            file[1] if file else "",
            not_run[1] if not_run else "",
        )

    @property
    def prose(self) -> str:
        """The page without its blocks of code."""
        return _FENCE.sub("", self.text)

    def of(self, *languages: str) -> list[Block]:
        """Return the blocks in one of these languages that run."""
        return [one for one in self.blocks if one.language in languages and not one.not_run]

    @property
    def commands(self) -> list[str]:
        """All command lines: those of its shell blocks, and `inspector …` in sentences."""
        fenced = [line for block in self.of("sh", "console") for line in block.commands]
        return [*fenced, *_INLINE.findall(self.prose)]

    @property
    def program(self) -> str:
        """The Python blocks that are no files, as one program whose lines are those of the page."""
        lines = [""] * self.text.count("\n")
        for block in self.of("python"):
            if not block.file:
                body = block.text.splitlines()
                lines[block.line : block.line + len(body)] = body
        return "\n".join(lines)

    @property
    def promise(self) -> str:
        """The session that it says one should see, as `outline` draws it; empty for none."""
        _, _, promised = self.text.partition("\n## What you should see\n")
        found = re.search(r"^```text\n(.*?)^```$", promised, re.MULTILINE | re.DOTALL)
        return found[1] if found else ""


def pages(*patterns: str) -> list[DocPage]:
    """Return the pages of the repository that fit, in order."""
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [DocPage(path.relative_to(ROOT).as_posix()) for path in paths]
