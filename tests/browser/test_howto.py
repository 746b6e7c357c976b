"""Names and explanations of rule sets: in the form for a new game, in headings and in the help dialog."""

import pytest
from hands import OpenPage, new_game
from playwright.sync_api import expect

import boardwright


def test_how_to_play_follows_the_game_and_the_rules(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_role("radio", name="Tablut").check(force=True)
    text = page.locator(".stage-side .how-to-play")
    expect(text.get_by_text("The attackers win when they capture the king")).to_be_hidden()
    text.get_by_text("How to play").click()
    expect(text.locator("p")).to_have_count(5)
    expect(text).to_contain_text("the defenders when he stands on a corner")
    page.get_by_label("Rules").select_option("saami")
    expect(text).to_contain_text("the defenders when he stands on a square of the edge")
    page.get_by_role("radio", name="Cathedral").check(force=True)
    expect(text).to_contain_text("10 × 10 cells")
    page.get_by_label("Rules").select_option("paper-6")
    expect(text).to_contain_text("An area of at most 24 cells")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize(
    ("title", "summary"), [("Tablut", "TablutZero"), ("English draughts", "World"), ("Cathedral", "official")]
)
def test_default_rules_are_described(open_page: OpenPage, title: str, summary: str) -> None:
    page = open_page("/")
    page.get_by_role("radio", name=title).check(force=True)
    expect(page.locator("label", has=page.locator("select[name=rules]")).locator("small")).to_contain_text(summary)


def test_rule_sets_are_shown_by_their_titles(open_page: OpenPage) -> None:
    titles = list(boardwright.game("tablut").rule_titles.values())
    page = open_page("/")
    page.get_by_role("radio", name="Tablut").check(force=True)
    expect(page.locator("select[name=rules] option")).to_have_text(titles)
    new_game(page, "Tablut", "Attackers", rules="saami")
    saami = "Tablut, edge escape (historical Sámi rules)"
    expect(page.get_by_role("heading", name=saami)).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("link", name=saami).first).to_be_visible()
    page.goto("/a/tablut/saami")
    expect(page.get_by_label("Rules").locator("option")).to_have_text(titles)
    page.goto("/arena?game=tablut&rules=saami")
    expect(page.locator("select[name=arena-rules] option:checked")).to_have_text(saami)
    expect(page.get_by_role("form", name="New match").get_by_label("Rules").locator("option")).to_have_text(titles)


def test_help_of_a_game_shows_its_rules(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Tablut", "Attackers", rules="mcgill")
    page.keyboard.press("?")
    text = page.get_by_role("dialog", name="Keyboard shortcuts").locator(".how-to-play")
    text.get_by_text("How to play").click()
    expect(text).to_contain_text("Positions may be repeated")
    page.keyboard.press("Escape")
    page.goto("/a/draughts/paper")
    page.wait_for_selector(".board.takes")
    page.keyboard.press("?")
    expect(text).to_contain_text("40 moves in a row without a capture")
    page.goto("/arena")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    expect(text).to_have_count(0)


def test_random_moves_are_shown_as_0_elo(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_role("radio", name="Tablut").check(force=True)
    against = page.get_by_label("Against")
    expect(against.locator("option[value=random]")).to_have_text("1. Random moves · 0")
    against.select_option("random")
    note = page.locator(".opponent small").first
    expect(note).to_contain_text("Random moves are rated 0 Elo by definition")
    expect(note).not_to_contain_text("±")
    against.select_option(index=2)
    expect(note).to_contain_text("Elo above random moves (95 %)")
