"""Errors as clients see them: `{"error": "one line"}` with an HTTP status."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from boardwright.errors import BoardwrightError
from boardwright.web.server.schemas import Problem

MAX_LENGTH = 600  # characters of a message
PROBLEMS: dict[int | str, dict[str, Any]] = {  # error responses of every endpoint, for the API documentation
    status: {"model": Problem, "description": text}
    for status, text in (
        (400, "The request is wrong"),
        (404, "Not found"),
        (409, "The request conflicts with the current state"),
        (422, "The request is malformed"),
        (429, "Too many requests: try again in a moment"),
    )
}


class NotFoundError(BoardwrightError):
    """An id that does not exist."""


class ConflictError(BoardwrightError):
    """A request that conflicts with the current state."""


class BusyError(BoardwrightError):
    """More requests than the server handles at once."""


def one_line(text: str) -> str:
    """A message as one line of limited length."""
    return " ".join(text.split())[:MAX_LENGTH]


def problem(status: int, text: str) -> JSONResponse:
    """An error response."""
    return JSONResponse({"error": one_line(text)}, status)


def status_of(error: BoardwrightError) -> int:
    """The HTTP status of an error."""
    for kind, status in ((NotFoundError, 404), (ConflictError, 409), (BusyError, 429)):
        if isinstance(error, kind):
            return status
    return 400


def first_complaint(error: RequestValidationError | ValidationError) -> str:
    """The first validation error of a request: the field and what is wrong with it."""
    complaint = error.errors()[0]
    field = ".".join(str(part) for part in complaint["loc"] if part != "body")
    return f"{field}: {complaint['msg']}" if field else str(complaint["msg"])


def install(app: FastAPI) -> None:
    """Registers the exception handlers of an app."""

    def on_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, BoardwrightError)
        return problem(status_of(error), str(error))

    def on_malformed(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return problem(422, first_complaint(error))

    def on_http_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    app.add_exception_handler(BoardwrightError, on_error)
    app.add_exception_handler(RequestValidationError, on_malformed)
    app.add_exception_handler(HTTPException, on_http_error)
