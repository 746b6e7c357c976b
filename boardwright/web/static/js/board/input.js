/** Input on the board: the piece that is taken, where it hovers, and the move it makes. */
import { useLayoutEffect, useMemo, useState } from "../lib/ui.js";
import { keyOf, keyOfCells, orientations, same, shapeAt } from "./geometry.js";
import { forcedCells, moveOfPath, nextCells, origins, placements, shortcuts, trayPieces } from "./moves.js";

const EMPTY = { path: [], chosen: null, turn: 0, hover: null, pinned: false };

/**
 * @param {any} view the position; @param {boolean} enabled whether a move may be made; @param {(move: any) => void} onMove
 * @returns what `Board` and `Tray` need: state, and functions that change it
 */
export function useInput(view, enabled, onMove) {
  const [state, setState] = useState(EMPTY);
  const change = (part) => setState((before) => ({ ...before, ...part }));
  const legal = enabled ? view.legal : NONE;
  const { scene } = view;
  const identity = `${view.text} ${view.ply}`;
  // Before the new position is drawn: pieces captured in it must not be put down again.
  useLayoutEffect(() => setState((before) => ({ ...EMPTY, hover: before.hover })), [identity, enabled]);

  const known = useMemo(
    () => ({ origins: origins(legal), forced: forcedCells(legal), placements: placements(legal) }),
    [legal],
  );
  const trays = useMemo(() => trayPieces(scene, legal, scene.to_move), [scene, legal]);
  const places = known.placements.size > 0;
  const selectable = trays.flatMap((tray) =>
    tray.active ? tray.pieces.map((piece) => ({ ...piece, role: tray.role })) : [],
  );
  const only = selectable.filter((piece) => piece.piece).length === 1 ? selectable.find((piece) => piece.piece) : null;
  const chosen = places ? (selectable.find((piece) => piece.key === state.chosen) ?? only) : null;
  const turns = useMemo(() => (chosen ? orientations(chosen.cells) : []), [chosen?.key, scene]);
  const path = state.path;
  const next = useMemo(() => (path.length ? nextCells(legal, path) : new Set()), [legal, path]);
  const ends = useMemo(() => (path.length ? shortcuts(legal, path) : new Map()), [legal, path]);

  const ghostAt = (cell) => {
    if (!chosen || !cell) return null;
    const cells = shapeAt(turns[state.turn % turns.length], cell, scene);
    const move = known.placements.get(chosen.piece)?.get(keyOfCells(cells)) ?? null;
    return { cells, role: chosen.role, legal: Boolean(move), move };
  };
  const ghost = ghostAt(state.hover);

  /** Extends the path to a cell; returns whether that was possible. */
  function step(cell) {
    const key = keyOf(cell);
    if (next.has(key)) {
      const longer = [...path, cell];
      const move = moveOfPath(legal, longer);
      change({ path: longer });
      if (move) onMove(move);
      return true;
    }
    const jump = ends.get(key);
    if (!jump) return false;
    change({ path: [jump.gesture[0].from, ...jump.gesture.map((hop) => hop.to)] });
    onMove(jump);
    return true;
  }

  function place(cell) {
    const placed = ghostAt(cell);
    if (!placed?.legal) return false;
    change({ hover: null, pinned: false });
    onMove(placed.move);
    return true;
  }

  return {
    enabled,
    legal,
    path,
    next,
    ghost,
    trays,
    places,
    turned: turns[state.turn % (turns.length || 1)],
    chosen: chosen?.key ?? null,
    origins: known.origins,
    forced: known.forced,
    hover: state.hover,
    pinned: state.pinned,
    step,
    canTake: (cell) => known.origins.has(keyOf(cell)) && !(path.length > 1 && next.size),
    take: (cell) => change({ path: [cell] }),
    isTaken: (cell) => path.length > 0 && same(path.at(-1), cell),
    cancel: () => setState((before) => ({ ...EMPTY, hover: before.hover })),
    choose: (key) => change({ chosen: key, turn: 0, path: [], pinned: false }),
    chooseNext: () => {
      const able = selectable.filter((piece) => piece.piece);
      const at = able.findIndex((piece) => piece.key === chosen?.key);
      if (able.length) change({ chosen: able[(at + 1) % able.length].key, turn: 0, path: [], pinned: false });
    },
    rotate: (by = 1) =>
      turns.length && setState((before) => ({ ...before, turn: (before.turn + by + 4 * turns.length) % turns.length })),
    hoverOver: (cell) => {
      if (!same(cell, state.hover)) change({ hover: cell, pinned: false });
    },
    pin: (cell) => change({ hover: cell, pinned: true }),
    place,
    /** What Enter on a cell does: everything a click would. */
    press(cell) {
      if (!enabled) return;
      if (places) {
        if (!place(cell)) change({ hover: cell });
      } else if (!step(cell)) {
        if (path.length && same(cell, path[0])) change({ path: [] });
        else change({ path: known.origins.has(keyOf(cell)) ? [cell] : [] });
      }
    },
  };
}

const NONE = [];
