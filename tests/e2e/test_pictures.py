"""The pictures of the start pages show the page as it is now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.start_screenshots import PICTURES, WORDS, take


@pytest.mark.slow
@pytest.mark.browser
def test_a_new_picture_has_the_words_of_the_one_on_the_page(tmp_path: Path) -> None:
    recorded = json.loads(WORDS.read_text(encoding="utf-8"))
    file = PICTURES[0].file
    assert recorded.keys() == {picture.file for picture in PICTURES}
    assert take(tmp_path, file) == {file: recorded[file]}, "run: make screenshots"
