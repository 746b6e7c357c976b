"""Types that the requests and responses of all features share; unknown fields are refused."""

from typing import Annotated, Any, Literal

from fastapi import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import to_json

from boardwright.agents.specs import current_spec

Json = dict[str, Any]
Role = Literal[0, 1]
Name = Annotated[str, Field(max_length=60)]
Spec = Annotated[str, Field(max_length=1000), AfterValidator(current_spec)]
PositionText = Annotated[str, Field(max_length=2000)]
Actions = Annotated[list[Annotated[int, Field(ge=0, lt=1 << 16)]], Field(max_length=10_000)]
MoveText = Annotated[str, Field(max_length=200)]
Label = Annotated[str, Field(min_length=1, max_length=40)]  # an id that a client chooses

LARGEST_ID = 2**62  # SQLite has no larger numbers


class Model(BaseModel):
    """A request or response; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(Model):
    """What went wrong, in one line."""

    error: str


def as_json(value: Any) -> Response:
    """A JSON response without validation: boards are large, and validating them would take longest."""
    return Response(to_json(value), media_type="application/json")
