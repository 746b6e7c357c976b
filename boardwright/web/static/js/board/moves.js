/**
 * Legal moves as things a hand does, for any game: pure functions from what the hand has done so far to what it may do
 * next. A move is {text, actions, gesture}; its gesture is a path of steps or one placement.
 */
import { atCorner, keyOf, keyOfCells, same } from "./geometry.js";

/** The cells a move of steps visits, the first where its piece is; empty for other moves. */
export function pathOf(move) {
  const steps = move.gesture;
  if (!steps.length || steps.some((step) => step.kind !== "step")) return [];
  return [steps[0].from, ...steps.map((step) => step.to)];
}

const startsWith = (path, begun) => begun.every((cell, index) => same(cell, path[index]));

/** Moves whose path begins with the cells visited so far. */
export const movesAlong = (legal, begun) =>
  legal.filter((move) => {
    const path = pathOf(move);
    return path.length >= begun.length && path.length > 0 && startsWith(path, begun);
  });

/** The move whose whole path this is. */
export const moveOfPath = (legal, begun) =>
  movesAlong(legal, begun).find((move) => pathOf(move).length === begun.length);

/** Keys of the cells one may step to next. */
export function nextCells(legal, begun) {
  const next = movesAlong(legal, begun)
    .map((move) => pathOf(move)[begun.length])
    .filter(Boolean);
  return new Set(next.map(keyOf));
}

/** Keys of the cells pieces may leave. */
export const origins = (legal) => nextCells(legal, []);

/**
 * Keys of the last cells of moves along a path to which only one of them leads: one may jump there at once. Not of the
 * cell the piece is on, to which a king may come back: who points there means to put it down.
 */
export function shortcuts(legal, begun) {
  const ends = new Map();
  for (const move of movesAlong(legal, begun)) {
    const end = pathOf(move).at(-1);
    if (same(end, begun.at(-1))) continue;
    ends.set(keyOf(end), ends.has(keyOf(end)) ? null : move);
  }
  return new Map([...ends].filter(([, move]) => move));
}

/** Keys of the cells of the pieces that must capture, where every move is a capture. */
export function forcedCells(legal) {
  const captures = legal.length > 0 && legal.every((move) => move.gesture.some((step) => step.captured?.length));
  return captures ? origins(legal) : new Set();
}

/** What a path has captured so far. */
export function capturedAlong(legal, begun) {
  const move = begun.length > 1 ? movesAlong(legal, begun)[0] : undefined;
  return move ? move.gesture.slice(0, begun.length - 1).flatMap((step) => step.captured ?? []) : [];
}

/** The scene with its piece moved along a path that is not finished: what it has captured is `taken`. */
export function sceneAlong(scene, legal, begun) {
  if (begun.length < 2) return scene;
  const taken = new Set(capturedAlong(legal, begun).map(keyOf));
  const pieces = scene.pieces.map((piece) => {
    if (same(piece.cell, begun[0])) return { ...piece, cell: begun.at(-1) };
    return taken.has(keyOf(piece.cell)) ? { ...piece, taken: true } : piece;
  });
  return { ...scene, pieces };
}

const placement = (move) => (move.gesture.length === 1 && move.gesture[0].kind === "place" ? move.gesture[0] : null);
/** Placements by piece: name -> map from its cells' key to the move. */
export function placements(legal) {
  const byPiece = new Map();
  for (const move of legal) {
    const placed = placement(move);
    if (!placed) continue;
    if (!byPiece.has(placed.piece)) byPiece.set(placed.piece, new Map());
    byPiece.get(placed.piece).set(keyOfCells(placed.cells), move);
  }
  return byPiece;
}

/**
 * The pieces on the trays, each with the name its placements have; those that no tray shows (neutral ones) come in a tray of
 * their own. A piece without a legal placement has no name.
 * @returns {{name: string, role: number|null, active: boolean, pieces: {key: string, letter: string, cells: any[], piece: string|null}[]}[]}
 */
export function trayPieces(scene, legal, moverColour) {
  const free = new Map(); // placements to show a piece by, of those no tray has shown yet
  for (const placed of legal.map(placement).filter(Boolean)) {
    if (!free.has(placed.letter) || placed.turns === 0) free.set(placed.letter, placed);
  }
  const trays = scene.trays.map((tray, index) => {
    const active = tray.role === moverColour;
    const pieces = tray.polyominoes.map(({ letter, cells }) => {
      const piece = (active && free.get(letter)?.piece) || null;
      if (active) free.delete(letter);
      return { key: `${index}-${letter}`, letter, cells: atCorner(cells), piece };
    });
    return { name: tray.name, role: tray.role, active, pieces };
  });
  if (!free.size) return trays;
  const pieces = [...free].map(([letter, placed]) => ({
    key: `free-${letter}`,
    letter,
    cells: atCorner(placed.cells),
    piece: placed.piece,
  }));
  return [{ name: "to be placed", role: null, active: true, pieces }, ...trays];
}

/** Cells a move is about, from first to last, to draw it with. */
export function outlineOf(move) {
  const placed = placement(move);
  return placed ? { cells: placed.cells, path: [] } : { cells: [], path: pathOf(move) };
}

/** The move that a list of actions is. */
export const moveOfActions = (legal, actions) => legal.find((move) => move.actions.join() === actions.join());

/** What actions are about: a whole move, or the steps that several moves begin with; undefined where they are neither. */
export function outlineOfActions(legal, actions) {
  const move =
    moveOfActions(legal, actions) ??
    legal.find((longer) => actions.every((action, index) => longer.actions[index] === action));
  if (!move) return undefined;
  const { cells, path } = outlineOf(move);
  return { cells, path: move.actions.length > actions.length ? path.slice(0, actions.length + 1) : path };
}
