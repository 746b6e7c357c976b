"""Several scenes as one animated SVG: a game, move by move, in a loop.

Elements that all frames share are written once. Every other element is shown in the frames that have it, by SMIL, which
browsers also play inside an `<img>`. A viewer without SMIL shows the first frame.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from boardwright.views import svg
from boardwright.views.scene import Scene

SECONDS = 0.8  # duration of a frame
LAST_FRAME = 4  # the last frame lasts as long as this many others


def render(scenes: Sequence[Scene]) -> str:
    """Draws scenes with boards of one size, one after the other, as one SVG document without hands and captions."""
    if len({(scene.rows, scene.columns) for scene in scenes}) != 1:
        raise ValueError("an animation needs scenes with boards of one size")
    board: list[str] = []
    for layer in zip(*map(svg.board_layers, scenes), strict=True):  # the same layer of every frame
        for part in dict.fromkeys(chain.from_iterable(layer)):
            visible = [part in frame for frame in layer]
            board.append(part if all(visible) else _animate(part, visible))
    return svg.render(replace(scenes[0], caption="", trays=()), board)


def _animate(part: str, visible: list[bool]) -> str:
    """An element that is hidden in some frames."""
    frames = len(visible) - 1 + LAST_FRAME
    changes = [frame for frame in range(len(visible)) if frame == 0 or visible[frame] != visible[frame - 1]]
    values = ["visible" if visible[frame] else "hidden" for frame in changes]
    times = ";".join(f"{frame / frames:.4g}" for frame in changes)
    loop = f'dur="{frames * SECONDS:g}s" repeatCount="indefinite" calcMode="discrete"'
    timing = f'<animate attributeName="visibility" {loop} values="{";".join(values)}" keyTimes="{times}"/>'
    return f'<g visibility="{values[0]}">{timing}{part}</g>'
