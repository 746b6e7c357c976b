"""The page of training: a run comes along while one looks, and its newest net's game is stepped through."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import smallest_run
from hands import OpenPage
from planted_run import log, plant_net, plant_run
from playwright.sync_api import Page, Request, expect

from boardwright.learn.run.lock import exclusive
from boardwright.learn.run.metrics import Metrics

A_COMPILATION_MS = 300_000
LATER = "before => document.querySelector('[data-iteration]').dataset.iteration > before"
LONGER = "before => document.querySelector('[data-figure=loss-total]').dataset.points > before"
DRAWN = "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
BETWEEN = "last => { const at = document.querySelector('.replay').dataset.at; return at > 0 && at < last; }"
AT_ONCE = """async (button) => { // a key the moment the button is disabled, before the browser takes the focus away
    button.focus();
    button.click();
    for (let turn = 0; turn < 1000 && !button.disabled; turn++) await Promise.resolve();
    const target = document.activeElement;
    target.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }));
    return button.disabled && target === button;
}"""


@pytest.fixture(scope="module")
def sampled(runs: Path) -> Path:
    """A run of Tablut with a net."""
    folder = plant_run(runs / "sampled", game="tablut", iterations=4)
    log(folder, range(1, 5))
    plant_net(folder, 4, game="tablut")
    return folder


@contextlib.contextmanager
def training(folder: Path) -> Iterator[subprocess.Popen]:
    """A real run, as small as possible and compiled without optimisation, that runs until it is stopped."""
    command = [Path(sys.executable).parent / "boardwright", "train", "alphazero", "draughts", "--out", folder]
    command += [*smallest_run.OPTIONS, "--set", "iterations=100000"]
    surroundings = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
    with subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def show(page: Page, name: str) -> None:
    page.locator(f'[data-run="{name}"]').click()
    expect(page.locator("#run-title")).to_have_text(name)


def test_curves_update_during_a_run(open_page: OpenPage, runs: Path) -> None:
    folder = plant_run(runs / "moving", iterations=50)
    with exclusive(folder):
        page = open_page("/training")
        show(page, "moving")
        expect(page.get_by_text("No metrics yet")).to_be_visible()
        log(folder, range(1, 4))
        expect(page.locator("[data-iteration]")).to_have_text("3")
        loss, elo = (page.locator(f'[data-figure="{name}"]') for name in ("loss-total", "elo"))
        expect(loss).to_have_attribute("data-points", "3")
        expect(elo.get_by_role("img")).to_have_attribute("aria-label", "Strength, now Elo 100")
        log(folder, range(4, 13))
        expect(loss).to_have_attribute("data-points", "12")
        expect(elo.get_by_role("img")).to_have_attribute("aria-label", "Strength, now Elo 600")
        expect(page.locator("[data-iteration]")).to_have_text("12")
        expect(page.locator('[data-run="moving"]')).to_contain_text("running")
        with Metrics(folder) as metrics:
            metrics.truncate_after(6)  # as a run resumed from a checkpoint does
        expect(loss).to_have_attribute("data-points", "6")
        expect(elo.get_by_role("img")).to_have_attribute("aria-label", "Strength, now Elo 300")
        page.get_by_text("black wins").first.wait_for()
        page.wait_for_function(DRAWN, arg=loss.locator("canvas").element_handle())
    expect(page.locator('[data-run="moving"]')).to_contain_text("stopped")


def test_real_run_is_shown_during_training(open_page: OpenPage, runs: Path) -> None:
    """The run is started by its command and runs until it is stopped; the page is not reloaded."""
    with training(runs / "learning") as run:
        page = open_page("/training")
        page.evaluate("window.loadedOnce = true")
        page.locator('[data-run="learning"]').click(timeout=A_COMPILATION_MS)
        number, loss = page.locator("[data-iteration]"), page.locator('[data-figure="loss-total"]')
        expect(number).not_to_have_text("0", timeout=A_COMPILATION_MS)
        expect(loss).to_have_attribute("data-points", re.compile("[1-9]"))
        iteration, points = int(number.inner_text()), int(loss.get_attribute("data-points") or 0)
        page.wait_for_function(LATER, arg=iteration)
        page.wait_for_function(LONGER, arg=points)
        run.terminate()
        run.wait(60)
    expect(page.locator('[data-run="learning"]')).to_contain_text("stopped")
    replay = page.locator(".replay[data-at]")
    expect(replay).to_be_visible()
    page.keyboard.press("Home")
    expect(replay).to_have_attribute("data-at", "0")
    page.get_by_role("button", name="Another game").click()
    expect(replay).not_to_have_attribute("data-at", "0")  # it is there, and shown at its end
    expect(page.get_by_text("against itself")).to_contain_text(re.compile("Net of iteration [1-9]"))
    page.keyboard.press("Home")
    expect(replay).to_have_attribute("data-at", "0")
    page.keyboard.press("ArrowRight")
    expect(replay).to_have_attribute("data-at", "1")
    assert page.evaluate("window.loadedOnce")
    study_with_the_net_of(page, "learning")


def study_with_the_net_of(page: Page, run: str) -> None:
    """A net from a run thinks aloud: what it held best before it looked ahead is a map of its own."""
    page.get_by_role("link", name="Study", exact=True).last.click()
    page.locator(".engine > summary").click()
    page.get_by_label("Analyse with").select_option(label=f"Net of {run}")
    page.get_by_role("button", name="Policy map").click()
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator(".heat-policy rect").first).to_be_visible()
    expect(page.locator(".candidates tbody tr").first).to_contain_text("%")
    page.get_by_role("button", name="Visit map").click()
    expect(page.locator(".heat-visits rect").first).to_be_visible()
    expect(page.locator(".heat-policy")).to_have_count(0)


def test_a_sample_game_is_stepped_through(open_page: OpenPage, sampled: Path) -> None:
    page = open_page("/training")
    show(page, "sampled")
    replay = page.locator(".replay[data-at]")
    expect(replay.locator(".board")).to_be_visible()
    last = int(replay.get_attribute("data-at") or 0)
    assert last > 2
    expect(page.get_by_text("Net of iteration 4")).to_be_visible()
    page.keyboard.press("Home")
    expect(replay).to_have_attribute("data-at", "0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(replay).to_have_attribute("data-at", "2")
    expect(page.locator("#spoken")).to_contain_text("Move 2")
    replay.get_by_role("button", name="Last position (End)").click()
    expect(replay).to_have_attribute("data-at", str(last))
    page.keyboard.press(" ")
    page.wait_for_function(BETWEEN, arg=last)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Newest net")).to_be_hidden()
    plant_net(sampled, 5, game="tablut")
    log(sampled, range(5, 6))
    page.get_by_role("button", name="Newest net").click()
    expect(page.get_by_text("Net of iteration 5")).to_be_visible()
    moves = page.locator(".replay .moves button.move")
    expect(moves.first).to_be_visible()
    before = moves.all_inner_texts()
    page.get_by_role("button", name="Another game").click()
    expect(moves).not_to_have_text(before)
    page.locator("main a.button", has_text="Study").click()  # not the navigation's link, which has the same name
    page.wait_for_url("**/a/tablut/**")
    expect(page.locator(".board")).to_be_visible()


def test_failed_sample_is_requested_once(open_page: OpenPage, runs: Path) -> None:
    folder = plant_run(runs / "broken", game="tablut", iterations=4)
    log(folder, range(1, 5))
    (folder / "nets").mkdir()
    (folder / "nets" / "000004.net").write_bytes(b"no net")
    page = open_page("/training")
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if "/sample?" in request.url else None)
    show(page, "broken")
    reason = page.get_by_role("status").filter(has_text="000004.net")
    expect(reason).to_be_visible()
    asked.clear()
    page.reload()
    expect(reason).to_be_visible()
    page.wait_for_event("response", lambda response: response.url.endswith("/api/runs"))
    assert len(asked) == 1
    with page.expect_request("**/sample?seed=1"):
        page.get_by_role("button", name="Another game").click()
    expect(reason).to_be_visible()


def test_sample_appears_with_the_first_net(open_page: OpenPage, runs: Path) -> None:
    folder = plant_run(runs / "begun", game="tablut", iterations=4)
    page = open_page("/training")
    show(page, "begun")
    expect(page.get_by_text("This run has no playable net yet.")).to_be_visible()
    plant_net(folder, 1, game="tablut")
    log(folder, range(1, 2))
    expect(page.get_by_text("Net of iteration 1")).to_be_visible()


def test_disabled_button_ignores_keys(open_page: OpenPage, sampled: Path) -> None:
    page = open_page("/training")
    show(page, "sampled")
    replay = page.locator(".replay[data-at]")
    expect(replay.locator(".board")).to_be_visible()
    assert replay.get_by_role("button", name="Initial position (Home)").evaluate(AT_ONCE)
    expect(replay.get_by_role("button", name="Pause")).to_be_visible()


def test_runs_by_keyboard_and_after_a_reload(open_page: OpenPage, sampled: Path, runs: Path) -> None:
    log(plant_run(runs / "other"), range(1, 3))
    page = open_page("/training")
    show(page, "other")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#run-title")).not_to_have_text("other")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#run-title")).to_have_text("other")
    page.reload()
    expect(page.locator("#run-title")).to_have_text("other")


def test_curves_of_a_resumed_run_are_joined(open_page: OpenPage) -> None:
    def curve(first: int, last: int, factor: int) -> dict[str, list[int]]:
        iterations = list(range(first, last))
        return {
            "iterations": iterations,
            "frames": iterations,
            "values": [factor * iteration for iteration in iterations],
        }

    script = "async ([known, later]) => (await import('/static/js/lists/curves.js')).joinCurves(known, later)"
    known = {"loss": curve(1, 5, 1), "elo": curve(1, 5, 1), "alone": curve(1, 2, 1)}
    later = {"loss": curve(4, 7, 10), "elo": curve(1, 4, 10), "new": curve(6, 7, 1)}
    assert open_page("/training").evaluate(script, [known, later]) == {
        "loss": {"iterations": [1, 2, 3, 4, 5, 6], "frames": [1, 2, 3, 4, 5, 6], "values": [1, 2, 3, 40, 50, 60]},
        "elo": curve(1, 4, 10),
        "alone": curve(1, 2, 1),
        "new": curve(6, 7, 1),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_training_page_fits_a_small_screen(open_page: OpenPage, sampled: Path, scheme: str) -> None:
    page = open_page("/training", viewport={"width": 360, "height": 740}, color_scheme=scheme)
    show(page, "sampled")
    expect(page.locator(".replay[data-at] .board")).to_be_visible()
    page.wait_for_function(
        "() => { const wide = document.querySelector('.curve .uplot')?.getBoundingClientRect().width;"
        " return wide > 250 && wide <= 360; }"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
