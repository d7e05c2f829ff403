"""The pictures of the start pages show the page as it is now."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.start_screenshots import PICTURES, WORDS, take


@pytest.mark.slow
@pytest.mark.browser
def test_a_new_picture_has_the_words_of_the_one_on_the_page(tmp_path: Path) -> None:
    recorded = json.loads(WORDS.read_text(encoding="utf-8"))
    file = PICTURES[0].file
    assert recorded.keys() == {picture.file for picture in PICTURES}
    # In a thread: here, the loop of the other tests' browser runs.
    with ThreadPoolExecutor(1) as thread:
        words = thread.submit(take, tmp_path, file).result()
    assert words == {file: recorded[file]}, "run: make screenshots"
