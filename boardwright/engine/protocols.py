"""The protocols an engine may speak, and the only game each is for."""

from boardwright.engine.hub import HubProtocol
from boardwright.engine.line import LineProtocol
from boardwright.engine.opentafl import OpenTaflProtocol

PROTOCOLS = {  # None: every game
    "line": (LineProtocol, None),
    "hub": (HubProtocol, "draughts"),
    "opentafl": (OpenTaflProtocol, "tablut"),
}
