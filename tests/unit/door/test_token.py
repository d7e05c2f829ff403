import os
import stat
from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.token import load_token, token_path


def address(directory: Path) -> str:
    return f"sqlite:///{directory}/data/i.sqlite3"


def test_a_token_is_made_once_and_kept_for_its_owner_only(tmp_path: Path) -> None:
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


def test_a_given_token_is_used_and_not_kept(tmp_path: Path) -> None:
    assert load_token(address(tmp_path), given="mine") == "mine"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("kept", ["", "\n"])
def test_an_empty_file_is_no_token(tmp_path: Path, kept: str) -> None:
    path = token_path(address(tmp_path))
    path.parent.mkdir()
    path.write_text(kept)
    assert load_token(address(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="about POSIX directories")
def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(SettingsError, match="INSPECTOR_TOKEN"):
        load_token(address(tmp_path))


def test_a_store_in_memory_has_its_token_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert load_token("memory:") == load_token("memory:")
    assert token_path("memory:").is_relative_to(tmp_path)
