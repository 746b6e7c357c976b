"""Requests and responses of all features: field types, JSON without validation, and errors.

An error is `{"error": "one line"}` with an HTTP status. Unknown fields of requests are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException

from boardwright.agents.specs import current_spec
from boardwright.errors import BoardwrightError
from boardwright.records.live import StaleGameError

Json = dict[str, Any]
Role = Literal[0, 1]
Name = Annotated[str, Field(max_length=60)]
Spec = Annotated[str, Field(max_length=1000), AfterValidator(current_spec)]
PositionText = Annotated[str, Field(max_length=2000)]
Actions = Annotated[list[Annotated[int, Field(ge=0, lt=1 << 16)]], Field(max_length=10_000)]
MoveText = Annotated[str, Field(max_length=200)]
Label = Annotated[str, Field(min_length=1, max_length=40)]  # an id that a client chooses

MAX_ID = 2**62  # SQLite has no larger numbers
MAX_LENGTH = 600  # characters of an error message


class Model(BaseModel):
    """A request or response; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class EloInterval(Model):
    """A rating; `elo - minus` to `elo + plus` is its 95 % interval."""

    elo: float
    plus: float
    minus: float


class Problem(Model):
    """What went wrong, in one line."""

    error: str


def as_json(value: Any) -> Response:
    """A JSON response without validation: boards are large, and validating them would take longest."""
    return Response(to_json(value), media_type="application/json")


PROBLEMS: dict[int | str, dict[str, Any]] = {  # error responses of every endpoint, for the API documentation
    status: {"model": Problem, "description": text}
    for status, text in (
        (400, "The request is wrong"),
        (404, "Not found"),
        (409, "The request conflicts with the current state"),
        (422, "The request is malformed"),
        (429, "Too many requests: try again in a moment"),
        (503, "The database cannot be used, for example because the disk is full"),
    )
}


class NotFoundError(BoardwrightError):
    """An id that does not exist."""


class ConflictError(BoardwrightError):
    """A request that conflicts with the current state."""


class BusyError(BoardwrightError):
    """More requests than the server handles at once."""


class StoreError(BoardwrightError):
    """A database that cannot be read or written, for example because the disk is full."""


STATUSES = {  # the HTTP status of an error is that of the first class it belongs to, from its own upwards
    BoardwrightError: 400,
    NotFoundError: 404,
    ConflictError: 409,
    StaleGameError: 409,
    BusyError: 429,
    StoreError: 503,
}


def one_line(text: str) -> str:
    """A message as one line of limited length."""
    return " ".join(text.split())[:MAX_LENGTH]


def problem(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error response."""
    return JSONResponse({"error": one_line(text)}, status, headers)


def first_complaint(error: RequestValidationError | ValidationError) -> str:
    """The first validation error of a request: the field and what is wrong with it."""
    complaint = error.errors()[0]
    field = ".".join(str(part) for part in complaint["loc"] if part != "body")
    return f"{field}: {complaint['msg']}" if field else str(complaint["msg"])


def install(app: FastAPI) -> None:
    """Registers the exception handlers of an app."""

    for kind, status in STATUSES.items():
        app.add_exception_handler(kind, lambda request, error, status=status: problem(status, str(error)))

    @app.exception_handler(RequestValidationError)
    def on_malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return problem(422, first_complaint(error))

    @app.exception_handler(HTTPException)
    def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), error.headers)
