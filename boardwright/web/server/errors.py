"""Errors as clients see them: one line, `{"error": …}`, with a status that says whose turn it is to act."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.web.server import schemas

LONGEST = 600  # characters of a message
PROBLEMS: dict[int | str, dict[str, Any]] = {  # of every endpoint, for its documentation
    status: {"model": schemas.Problem, "description": text}
    for status, text in (
        (400, "Something in the request is wrong"),
        (404, "There is no such thing"),
        (409, "Not now: the thing has changed, or does not allow it"),
        (422, "The request does not have this form"),
        (429, "Too much at once: try again in a moment"),
    )
}


class NotFoundError(BoardwrightError):
    """Something asked for by an id that nobody has."""


class ConflictError(BoardwrightError):
    """Something that cannot be done as things are now."""


class BusyError(BoardwrightError):
    """More asked than the server does at once."""


def problem(status: int, text: str) -> JSONResponse:
    """An answer that says what went wrong."""
    line = " ".join(text.split())
    return JSONResponse({"error": line[:LONGEST]}, status)


def status_of(error: BoardwrightError) -> int:
    """The HTTP status of an error."""
    for kind, status in ((NotFoundError, 404), (ConflictError, 409), (BusyError, 429)):
        if isinstance(error, kind):
            return status
    return 400


def first_complaint(error: RequestValidationError) -> str:
    """The first thing wrong with a request, in one line."""
    complaint = error.errors()[0]
    where = ".".join(str(part) for part in complaint["loc"] if part != "body")
    return f"{where}: {complaint['msg']}" if where else str(complaint["msg"])


def install(app: FastAPI) -> None:
    """Has the app answer errors this way."""

    def ours(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, BoardwrightError)
        return problem(status_of(error), str(error))

    def malformed(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return problem(422, first_complaint(error))

    def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    app.add_exception_handler(BoardwrightError, ours)
    app.add_exception_handler(UnknownNameError, ours)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(HTTPException, refused)
