"""Every request that the interface describes, and many that it does not: never an answer of 500 or above."""

from pathlib import Path
from urllib.parse import quote

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core import NotSet

import boardwright
from boardwright.web.app import make_app
from boardwright.web.settings import Settings

DOCUMENT = make_app(Settings(db=Path("never-opened"))).openapi()
OPERATIONS = [(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods]
POSTS = [path for method, path in OPERATIONS if method == "POST"]
SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.large_base_example)
FEW = settings(max_examples=25, phases=[Phase.explicit, Phase.generate], suppress_health_check=SLOW)
# What a client that means it would write, so that requests get past the first check.
SENSIBLE = {
    "game": st.sampled_from(boardwright.game_names()),
    "rules": st.none(),
    "start": st.none(),
    "position": st.none(),
    "opponent": st.sampled_from(["random", "first-legal", "random:seed=1", "external:cmd=x", "alphazero:net=x"]),
    "actions": st.lists(st.integers(0, 3000), max_size=3),
    "moves": st.lists(st.sampled_from(["11-15", "d1-d2", "castle b3"]), max_size=2),
}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_breaks_the_server(client: TestClient, method: str, path: str) -> None:
    operation = schemathesis.openapi.from_dict(DOCUMENT)[path][method]
    game = client.post("/api/play", json={"game": "draughts", "opponent": "random"}).json()["id"]

    @FEW
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        case = data.draw(operation.as_strategy())
        address = path
        for name, value in (case.path_parameters or {}).items():
            value = game if data.draw(st.booleans()) else str(value)
            address = address.replace(f"{{{name}}}", quote(value, safe="", errors="replace") or "-")
        body = case.body
        if isinstance(body, dict):
            body = {key: data.draw(SENSIBLE.get(key, st.just(value)) | st.just(value)) for key, value in body.items()}
        given = None if isinstance(body, NotSet) else body
        answer = client.request(method, address, params=case.query or None, json=given)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert set(answer.json()) == {"error"}
            assert "\n" not in answer.json()["error"]

    ask()


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"game": "\\ud800"}',
        b'{"game": "tablut", "start": "\\ud800", "opponent": "\\udfff", "text": "\\ud800"}',
        b'{"game": "tab\\u0000lut"}',
        b'{"game": "draughts", "opponent": "random", "clock": {"base": NaN}}',
        b'{"game": "draughts", "opponent": "random", "clock": {"base": 1e999}}',
        b'{"version": 1' + b"0" * 5000 + b"}",
        b'{"game": ' + b"[" * 50_000 + b"}",
    ],
    ids=range(12),
)
def test_no_body_breaks_the_server(client: TestClient, path: str, body: bytes) -> None:
    for kind in ("application/json", "text/plain"):
        answer = client.post(path.replace("{game}", "x"), content=body, headers={"Content-Type": kind})
        assert 400 <= answer.status_code < 500, answer.text
        assert set(answer.json()) == {"error"}
