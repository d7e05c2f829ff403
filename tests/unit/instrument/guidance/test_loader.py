"""Loading of texts, and its failures."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument.guidance import (
    ContentError,
    ContentLoader,
    GuidanceValueError,
    HookDefinition,
    HookRegistry,
    ResolvedHook,
    create_composer,
    create_content_loader,
    createContentLoader,
)
from instrument.guidance.loader import MAX_CONTENT_BYTES

Make = Callable[..., HookDefinition]
Texts = Callable[..., Path]


@pytest.fixture
def logged() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def log(logged: list[tuple[str, str]]) -> Callable[[str, str], None]:
    return lambda level, message: logged.append((level, message))


def run_module(path: Path, code: str) -> dict[str, Any]:
    """Run `code` as the module at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": path.stem}
    exec(compile(code, str(path), "exec"), namespace)
    return namespace


async def test_the_text_is_in_the_markdown_file_named_like_the_tag(
    make: Make, texts: Texts
) -> None:
    loader = create_content_loader(base_path=texts(welcome="# Hello"))

    assert (await loader.load(make())).content == "# Hello"


async def test_a_content_file_overrides_that(make: Make, texts: Texts) -> None:
    folder = texts(welcome="by tag")
    (folder / "deep").mkdir()
    (folder / "deep" / "other.md").write_text("by path", encoding="utf-8")
    loader = create_content_loader(base_path=folder)

    resolved = await loader.load(make(content_file="deep/other.md"))

    assert resolved.content == "by path"
    assert resolved.contentPath == resolved.content_path == folder / "deep" / "other.md"


async def test_one_hook_or_several_are_loaded(make: Make, texts: Texts) -> None:
    loader = createContentLoader({"basePath": texts(welcome="1", tips="2")})

    one = await loader.load(make())
    several = await loader.loadAll([make(), make(tag="tips")])

    assert (one.id, one.name, one.content) == ("mcp-toolkit:session:start:welcome", "Welcome", "1")
    assert [item.content for item in several] == ["1", "2"]
    assert loader.load_all_sync([make(tag="tips")])[0].content == "2"


def test_text_can_be_inline(make: Make) -> None:
    loader = create_content_loader()

    resolved = loader.loadInline(make(), "# Test\n\nContent here.")

    assert (resolved.hook, resolved.content) == (make(), "# Test\n\nContent here.")
    assert loader.cacheSize() == 0


async def test_texts_are_cached_until_the_cache_is_cleared(make: Make, texts: Texts) -> None:
    folder = texts(welcome="old", tips="tips")
    loader = create_content_loader(base_path=folder)
    await loader.load_all([make(), make(tag="tips"), make(lifecycle="end")])
    texts(welcome="new")

    assert loader.cacheSize() == 2
    cached = await loader.load(make(lifecycle="end"))
    assert (cached.content, cached.hook.lifecycle) == ("old", "end")
    loader.clearCache()
    assert loader.cacheSize() == 0
    assert (await loader.load(make())).content == "new"


async def test_without_a_cache_files_are_read_anew(make: Make, texts: Texts) -> None:
    loader = create_content_loader(base_path=texts(welcome="old"), cache=False)
    await loader.load(make())
    texts(welcome="new")

    assert (await loader.load(make())).content == "new"
    assert loader.cache_size() == 0


async def test_a_missing_text_is_logged_left_out_and_reported_by_the_composer(
    make: Make,
    texts: Texts,
    log: Callable[[str, str], None],
    logged: list[tuple[str, str]],
) -> None:
    loader = create_content_loader(base_path=texts(welcome="Hello"), log=log)

    loaded = await loader.load_all([make(tag="gone", name="Gone"), make()])
    result = create_composer(notify=lambda notice: None).compose(loaded)

    [(level, message)] = logged
    assert level == "error"
    assert message.startswith(
        "Cannot load hook 'mcp-toolkit:session:start:gone': gone.md does not exist"
    )
    assert "base_path=" in message
    assert [hook.tag for hook in result.included_hooks] == ["welcome"]
    assert [(hook.tag, hook.reason) for hook in result.failed_hooks] == [
        ("gone", "gone.md does not exist")
    ]
    assert result.notices == ("1 hook(s) failed to load: Gone (gone.md does not exist)",)


async def test_a_single_load_logs_and_raises(
    make: Make, tmp_path: Path, log: Callable[[str, str], None], logged: list[tuple[str, str]]
) -> None:
    loader = create_content_loader(base_path=tmp_path, log=log)

    with pytest.raises(ContentError, match=r"welcome\.md does not exist") as raised:
        await loader.load(make())

    assert raised.value.hook == make()
    assert logged == [("error", str(raised.value))]


def break_as_folder(path: Path) -> None:
    path.mkdir()


def break_as_pipe(path: Path) -> None:
    os.mkfifo(path)


def break_as_bytes(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00bad")


def break_as_too_large(path: Path) -> None:
    path.write_bytes(b"x" * (MAX_CONTENT_BYTES + 1))


def break_as_loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize(
    ("breaking", "reason"),
    [
        (break_as_folder, "is not a file"),
        (break_as_pipe, "is not a file"),
        (break_as_bytes, "is not UTF-8"),
        (break_as_too_large, "is larger than"),
        (break_as_loop, "is a broken path"),
    ],
)
async def test_a_text_that_cannot_be_read_fails_like_a_missing_one(
    breaking: Callable[[Path], None], reason: str, make: Make, tmp_path: Path, texts: Texts
) -> None:
    texts(tips="fine")
    breaking(tmp_path / "welcome.md")
    loader = create_content_loader(base_path=tmp_path, log=lambda *message: None)

    loaded = await loader.load_all([make(), make(tag="tips")])

    assert [item.content for item in loaded] == ["fine"]
    [(hook, error)] = loaded.failed
    assert hook.tag == "welcome"
    assert reason in error
    assert str(tmp_path) not in error


def test_a_text_of_exactly_the_limit_is_accepted(make: Make, tmp_path: Path) -> None:
    (tmp_path / "welcome.md").write_bytes(b"x" * MAX_CONTENT_BYTES)

    assert len(create_content_loader(base_path=tmp_path).load_all_sync([make()])) == 1


def test_a_byte_order_mark_is_not_part_of_the_text(make: Make, tmp_path: Path) -> None:
    (tmp_path / "welcome.md").write_bytes(b"\xef\xbb\xbfHello")

    assert create_content_loader(base_path=tmp_path).load_all_sync([make()])[0].content == "Hello"


async def test_adjacent_means_beside_the_file_that_made_the_definition(
    tmp_path: Path, registry: HookRegistry
) -> None:
    module = run_module(
        tmp_path / "hooks" / "welcome.py",
        "from instrument.guidance import HookDefinition\n"
        "hook = HookDefinition(tag='welcome', type='session', lifecycle='start',\n"
        "                      name='Welcome', requirement_level='MAY')\n",
    )
    (tmp_path / "hooks" / "welcome.md").write_text("beside it", encoding="utf-8")

    hook = registry.register(module["hook"])

    assert (await create_content_loader().load(hook)).content == "beside it"


async def test_a_mapping_is_made_a_definition_where_it_is_registered(
    tmp_path: Path, registry: HookRegistry, fields: dict[str, Any]
) -> None:
    module = run_module(
        tmp_path / "server" / "setup.py",
        "def add(registry, fields):\n"
        "    registry.register(fields)\n"
        "    registry.register_all([{**fields, 'tag': 'tips'}])\n",
    )
    for name in ("welcome", "tips"):
        (tmp_path / "server" / f"{name}.md").write_text(name, encoding="utf-8")
    module["add"](registry, fields)

    loaded = await create_content_loader().load_all(registry.query())

    assert [item.content for item in loaded] == ["welcome", "tips"]


async def test_a_base_path_overrides_what_is_adjacent(
    tmp_path: Path, registry: HookRegistry, fields: dict[str, Any], texts: Texts
) -> None:
    module = run_module(
        tmp_path / "server" / "setup.py", "def add(registry, fields): registry.register(fields)"
    )
    (tmp_path / "server" / "welcome.md").write_text("adjacent", encoding="utf-8")
    module["add"](registry, fields)

    loader = create_content_loader(base_path=texts(welcome="based"))

    assert [item.content for item in await loader.load_all(registry.all())] == ["based"]


def test_a_definition_from_no_file_says_what_to_do(fields: dict[str, Any]) -> None:
    namespace: dict[str, Any] = {"__name__": "__console__", "fields": fields}
    exec(
        "from instrument.guidance import HookDefinition\nhook = HookDefinition(**fields)", namespace
    )
    logged: list[str] = []
    loader = create_content_loader(log=lambda level, message: logged.append(message))

    loaded = loader.load_all_sync([namespace["hook"]])

    assert loaded == []
    assert "Give the loader `base_path=`, or use `load_inline`." in logged[0]


@pytest.mark.parametrize("name", ["../secret.md", "deep/../../secret.md", "link.md", "ABSOLUTE"])
def test_a_content_path_cannot_escape_the_folder(name: str, make: Make, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    name = name.replace("ABSOLUTE", str(tmp_path / "secret.md"))
    loader = create_content_loader(base_path=folder, log=lambda *message: None)

    loaded = loader.load_all_sync([make(content_file=name)])

    assert loaded == []
    assert "is outside the folder" in loaded.failed[0].error


def test_a_folder_that_is_itself_a_link_is_not_an_escape(
    make: Make, tmp_path: Path, texts: Texts
) -> None:
    texts(welcome="Hello")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)

    assert create_content_loader(base_path=link).load_all_sync([make()])[0].content == "Hello"


@given(st.text(min_size=1, max_size=300))
def test_whatever_the_content_file_only_files_of_the_folder_are_read(name: str) -> None:
    folder = Path(__file__).parent
    fields = {"tag": "t", "type": "session", "lifecycle": "end", "name": "N"}
    try:
        hook = HookDefinition.parse(fields, requirement_level="MAY", content_file=name)
    except GuidanceValueError:
        return
    loader = create_content_loader(base_path=folder, log=lambda *message: None)

    for resolved in loader.load_all_sync([hook]):
        assert resolved.content_path is not None
        assert resolved.content_path.is_relative_to(folder)


async def test_files_are_read_off_the_loop_and_failures_reported_on_it(
    make: Make, tmp_path: Path
) -> None:
    read_on: list[int] = []
    threads: list[int] = []

    class Watched(ContentLoader):
        def _read(self, hook: HookDefinition) -> ResolvedHook:
            read_on.append(threading.get_ident())
            return super()._read(hook)

    loader = Watched(base_path=tmp_path, log=lambda *args: threads.append(threading.get_ident()))
    await loader.load_all([make()])
    with pytest.raises(ContentError):
        await loader.load(make())

    here = threading.get_ident()
    assert threads == [here]
    assert len(read_on) == 2
    assert here not in read_on


async def test_a_log_that_fails_does_not_stop_the_loading(
    make: Make, texts: Texts, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(level: str, message: str) -> None:
        raise ConnectionError

    loader = create_content_loader(base_path=texts(welcome="Hello"), log=broken)

    loaded = await loader.load_all([make(tag="gone"), make()])

    assert [item.content for item in loaded] == ["Hello"]
    [record] = caplog.records
    assert (record.name, record.levelname) == ("mcp.instrument", "WARNING")
    assert record.exc_info


@pytest.mark.parametrize(("cache", "times"), [(True, 1), (False, 3)])
async def test_with_a_cache_a_failure_is_logged_once_until_the_cache_is_cleared(
    cache: bool,
    times: int,
    make: Make,
    tmp_path: Path,
    log: Callable[[str, str], None],
    logged: list[tuple[str, str]],
) -> None:
    loader = create_content_loader(base_path=tmp_path, cache=cache, log=log)

    for _ in range(3):
        assert len((await loader.load_all([make()])).failed) == 1
    assert len(logged) == times
    loader.clear_cache()
    await loader.load_all([make()])
    assert len(logged) == times + 1


async def test_without_a_log_failures_go_to_logging(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await create_content_loader(base_path=tmp_path).load_all([make()])

    assert [(record.name, record.levelname) for record in caplog.records] == [
        ("mcp.instrument", "ERROR")
    ]


@pytest.mark.parametrize("options", [{"base_path": 7}, {"basepath": "x"}])
def test_a_loader_with_bad_options_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(GuidanceValueError, match="Cannot create a content loader: "):
        create_content_loader(options)
