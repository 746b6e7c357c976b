"""What the parts of the server share. Made when it starts, closed when it ends."""

from dataclasses import dataclass

from boardwright.web.records import Records
from boardwright.web.settings import Settings


@dataclass(frozen=True)
class Services:
    """Given to every `make_router(services)`."""

    settings: Settings
    records: Records
