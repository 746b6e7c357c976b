"""The protocols an engine may speak, and the games each is for."""

from boardwright.engine.hub import HubProtocol
from boardwright.engine.line import LineProtocol
from boardwright.engine.opentafl import OpenTaflProtocol

PROTOCOLS = {
    "line": (LineProtocol, ()),
    "hub": (HubProtocol, ("draughts",)),
    "opentafl": (OpenTaflProtocol, ("tablut",)),
}
