/** Which piece of a picture is which piece of the next, so that pieces glide and fade instead of jumping. */
import { useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { keyOf } from "./geometry.js";
import { moveOfActions, pathOf, sceneAlong } from "./moves.js";

const FADE_MS = 420;
const STEP_MS = 210; // of a move of several
let numbered = 0;

/** Old pieces paired with new ones: those that stayed, the one that marks say moved, then the nearest of its side. */
export function pair(before, scene) {
  const free = new Map(before.map((piece) => [keyOf(piece.cell), piece]));
  const paired = new Map();
  const claim = (piece, old) => {
    paired.set(piece, old);
    free.delete(keyOf(old.cell));
  };
  for (const piece of scene.pieces) {
    const old = free.get(keyOf(piece.cell));
    if (old && old.role === piece.role && old.kind === piece.kind) claim(piece, old);
  }
  const from = scene.marks.find((mark) => mark.kind === "from");
  const to = scene.marks.find((mark) => mark.kind === "to");
  for (const piece of scene.pieces) {
    if (paired.has(piece)) continue;
    const marked = from && to && keyOf(to.cell) === keyOf(piece.cell) ? free.get(keyOf(from.cell)) : undefined;
    if (marked && marked.role === piece.role) claim(piece, marked);
  }
  const far = (piece, old) => Math.hypot(piece.cell[0] - old.cell[0], piece.cell[1] - old.cell[1]);
  for (const piece of scene.pieces) {
    if (paired.has(piece)) continue;
    const kin = [...free.values()].filter((old) => old.role === piece.role);
    if (kin.length)
      claim(
        piece,
        kin.reduce((best, old) => (far(piece, old) < far(piece, best) ? old : best)),
      );
  }
  return { paired, gone: [...free.values()] };
}

/**
 * The scene to show while a move of several steps is being made, step by step, if the view has just been reached by one;
 * null otherwise. Moves that the hand made itself (`walked`) have been seen already.
 */
export function useSteps(view, walked) {
  const shown = useRef({ view, frames: [], walked: false });
  const [, redraw] = useState(0);
  if (walked) shown.current.walked = true;
  if (shown.current.view !== view) {
    const past = shown.current;
    const move = past.walked ? undefined : moveBetween(past.view, view);
    const path = move ? pathOf(move) : [];
    const frames = path.slice(2).map((_, step) => sceneAlong(past.view.scene, past.view.legal, path.slice(0, step + 2)));
    shown.current = { view, frames, walked: false };
  }
  useEffect(() => {
    const { frames } = shown.current;
    if (!frames.length) return undefined;
    const timer = setInterval(() => {
      frames.shift();
      redraw((count) => count + 1);
      if (!frames.length) clearInterval(timer);
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [view]);
  return shown.current.frames[0] ?? null;
}

/** The move that led from one view to the next, if one did. */
function moveBetween(past, view) {
  const played = view.line.at(-1);
  const next =
    view.game === past.game &&
    view.line.length === past.line.length + 1 &&
    view.actions.length === past.actions.length + played.actions.length;
  return next ? moveOfActions(past.legal, played.actions) : undefined;
}

/** The pieces of a scene with identities that last, and those just captured, which are `leaving`. */
export function usePieces(scene) {
  const shown = useRef([]);
  const [faded, setFaded] = useState(null); // the change whose captured pieces are no longer seen
  const current = useMemo(() => {
    const { paired, gone } = pair(shown.current, scene);
    const pieces = scene.pieces.map((piece) => ({ ...piece, id: paired.get(piece)?.id ?? ++numbered }));
    shown.current = pieces;
    return { pieces, gone: gone.map((piece) => ({ ...piece, leaving: true })) };
  }, [scene]);
  useEffect(() => {
    if (!current.gone.length) return undefined;
    const timer = setTimeout(() => setFaded(current), FADE_MS);
    return () => clearTimeout(timer);
  }, [current]);
  return [...current.pieces, ...(faded === current ? [] : current.gone)].sort((a, b) => a.id - b.id);
}
