"""The stories of the demo."""

from __future__ import annotations

import random
from collections.abc import Callable

from inspector.demo.stories.release import release_story
from inspector.demo.stories.research import research_story
from inspector.demo.stories.triage import triage_story
from inspector.demo.story import Story

STORIES: dict[str, Callable[[random.Random], Story]] = {
    "release": release_story,
    "triage": triage_story,
    "research": research_story,
}
"""Factories of stories by name: the same random state makes the same story."""

__all__ = ["STORIES"]
