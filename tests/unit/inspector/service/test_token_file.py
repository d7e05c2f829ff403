import os
import stat
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import SettingsError, UntrustedFileError
from inspector.runfile import environment_token
from inspector.service.app import access_token
from inspector.service.settings import load_settings
from inspector.service.token_file import load_token, token_path


def address(directory: Path) -> str:
    return f"sqlite:///{directory}/data/i.sqlite3"


def test_a_token_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    made = load_token(address(tmp_path))
    assert len(made) >= 43
    path = tmp_path / "data" / "i.sqlite3.token"
    assert token_path(address(tmp_path)) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_token(address(tmp_path)) == made
    assert list(path.parent.iterdir()) == [path]


def test_the_directory_that_is_made_for_the_token_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        load_token(address(tmp_path))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_token_is_random(tmp_path: Path) -> None:
    assert load_token(address(tmp_path / "a")) != load_token(address(tmp_path / "b"))


def test_a_rotated_token_replaces_the_old_one(tmp_path: Path) -> None:
    old = load_token(address(tmp_path))
    new = load_token(address(tmp_path), rotate=True)
    assert new != old
    assert load_token(address(tmp_path)) == new


def test_a_configured_token_is_used_and_not_stored(tmp_path: Path) -> None:
    assert load_token(address(tmp_path), configured="mine") == "mine"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("content", ["", "x\n"])
def test_a_stored_token_that_can_be_guessed_is_refused_beyond_this_machine(
    tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(0o600)
    beyond: dict[str, Any] = {"host": "0.0.0.0", "dangerously_allow_plain_http": True}
    settings = load_settings(store=address(tmp_path), token_file=path, **beyond)
    if content:
        with pytest.raises(SettingsError, match="at least 16 characters"):
            access_token(settings)
    else:
        assert len(access_token(settings)) >= 43


def test_a_token_is_stored_and_found_where_the_setting_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "shared" / "token"
    made = load_token(address(tmp_path), file=file)
    assert list(tmp_path.rglob("*")) == [file.parent, file]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_token(address(tmp_path), file=file) == made
    environment = {"INSPECTOR_TOKEN_FILE": str(file), "INSPECTOR_TOKEN": ""}
    assert environment_token(environment) == made
    assert environment_token({**environment, "INSPECTOR_TOKEN": "mine"}) == "mine"
    assert environment_token({"INSPECTOR_TOKEN_FILE": str(tmp_path / "none")}) is None
    assert "INSPECTOR_TOKEN_FILE" in caplog.text


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("plant", ["owner", "link", "link to nothing", "writable", "pipe"])
def test_a_token_that_somebody_else_may_know_is_refused(tmp_path: Path, plant: str) -> None:
    path = token_path(address(tmp_path))
    path.parent.mkdir(mode=0o777)
    if plant == "pipe":
        os.mkfifo(path)
    elif plant.startswith("link"):
        path.symlink_to(tmp_path / "elsewhere")
        if plant == "link":
            (tmp_path / "elsewhere").write_text("known")
        os.chown(path, 65534, 65534, follow_symlinks=False)
    else:
        path.write_text("known")
        path.chmod(0o622 if plant == "writable" else 0o644)
    if plant == "owner":
        os.chown(path, 65534, 65534)
    with pytest.raises(UntrustedFileError, match=str(path)):
        load_token(address(tmp_path))


def test_no_name_that_can_be_foreseen_is_written_through(tmp_path: Path) -> None:
    path = token_path(address(tmp_path))
    path.parent.mkdir()
    spied = tmp_path / "spied"
    spied.write_text("")
    (path.parent / f"{path.name}.{os.getpid()}").symlink_to(spied)
    load_token(address(tmp_path))
    assert spied.read_text() == ""


@pytest.mark.parametrize("stored", ["", "\n"])
def test_an_empty_file_is_no_token(tmp_path: Path, stored: str) -> None:
    path = token_path(address(tmp_path))
    path.parent.mkdir()
    path.write_text(stored)
    assert load_token(address(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="about POSIX directories")
def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(SettingsError, match=rf"the folder of the store, {tmp_path}/data: .*_STORE"):
        load_token(address(tmp_path))
    with pytest.raises(SettingsError, match="INSPECTOR_TOKEN_FILE"):
        load_token(address(tmp_path), file=tmp_path / "data" / "token")


def test_a_store_in_memory_has_its_token_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert load_token("memory:") == load_token("memory:")
    assert token_path("memory:").is_relative_to(tmp_path)
