"""The editor of arguments in a browser."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


def open_editor(page: Page) -> Locator:
    """Return the editor that *Edit* opened, once it is more than the text area that stands in."""
    loaded = page.locator(".cm-content")
    expect(loaded).to_be_visible()
    return page.get_by_role("textbox", name="Arguments as JSON")


def text_of(editor: Locator) -> str:
    """Return the lines of the text, without what was there before an edit."""
    return "\n".join(editor.locator(".cm-line").all_inner_texts())


def replace(editor: Locator, old: str, new: str) -> None:
    """Write the text anew, with a part of it replaced."""
    before = text_of(editor)
    assert old in before
    # The browser gives text that replaces coloured text its style, which the page's policy
    # forbids: so it is removed first, as one does by keys.
    editor.press("ControlOrMeta+a")
    editor.press("Delete")
    editor.page.keyboard.insert_text(before.replace(old, new))
