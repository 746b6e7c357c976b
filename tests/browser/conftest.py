"""A real server, a real Chromium, and hands that move pieces on its boards.

Every page that a test opens must finish without an error on its console.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import OpenPage
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = (
    "no Chromium: install one (Debian: apt install chromium-headless-shell) or fetch Playwright's: "
    "playwright install chromium"
)
STARTED = re.compile(r"(http://127\.0\.0\.1:\d+)/")
WINDOW = {"width": 1280, "height": 800}
MAX_WAIT_MS = 60_000  # reached only on an overloaded machine
expect.set_options(timeout=MAX_WAIT_MS)


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the server looks for training runs."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, runs: Path) -> Iterator[str]:
    """The address of a server of its own, on a free port and with an empty database."""
    folder = tmp_path_factory.mktemp("server")
    with (folder / "log").open("w") as log:
        command = [Path(sys.executable).parent / "boardwright", "serve", "--port", "0", "--db", folder / "games.db"]
        command += ["--runs", runs]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
        try:
            assert process.stdout is not None
            found = STARTED.search(process.stdout.readline())
            assert found, f"the server did not start: {(folder / 'log').read_text()}"
            yield found[1]
        finally:
            process.terminate()
            process.wait(timeout=60)


@pytest.fixture(scope="session")
def playwright_driver() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright_driver: Playwright) -> Iterator[Browser]:
    """A Chromium from the path, else Playwright's own."""
    chromium = playwright_driver.chromium
    own = chromium.executable_path
    found = next(filter(None, map(shutil.which, NAMES)), own if Path(own).exists() else None)
    if found is None:
        pytest.fail(NO_CHROMIUM, pytrace=False)
    browser = chromium.launch(executable_path=found)
    yield browser
    browser.close()


def is_error(message: ConsoleMessage) -> bool:
    """Whether a line on the console reports a fault; Chromium also logs refused moves there."""
    return message.type == "error" and "status of 400" not in message.text


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[OpenPage]:
    """Opens pages of the server; keyword arguments are those of a browser context."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def opened(path: str, **options: object) -> Page:
        context = browser.new_context(**{"viewport": WINDOW, "base_url": server, **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(MAX_WAIT_MS)
        page.on("console", lambda message: errors.append(message.text) if is_error(message) else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path)
        page.wait_for_selector("main:not([aria-busy])")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
