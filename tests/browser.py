"""Real headless Chromium, without a network, which notes what a page complains of or asks for."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

NARROW, WIDE = 390, 1400
"""Widths that a page is read at: a telephone and a desktop, in pixels."""


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Give the machine's own Chromium; where there is none the test is skipped, but not in CI."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs chromium")
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser: Browser, file: Path, width: int = WIDE) -> Iterator[Page]:
    """Give a page that was opened from a file and drawn; at the end it has been quiet.

    It has written nothing to the console, asked for nothing but itself, and does not scroll to the
    side. The browser's clock is in another zone than any test's world.
    """
    context = browser.new_context(
        offline=True, timezone_id="Pacific/Marquesas", viewport={"width": width, "height": 900}
    )
    said: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", dismiss)
    page.on("request", lambda request: said.append(request.url))
    address = file.as_uri()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    for chart in page.locator(".chart:visible").all():
        chart.locator("svg").first.wait_for()
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    heard = [line for line in said if line != address and not line.startswith("data:")]
    assert not heard, heard
    context.close()
