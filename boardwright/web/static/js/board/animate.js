/** Which piece of a picture is which piece of the next, so that pieces glide and fade instead of jumping. */
import { useEffect, useMemo, useRef, useState } from "../ui.js";
import { keyOf } from "./geometry.js";

const FADE_MS = 420;
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
    if (kin.length) claim(piece, kin.reduce((best, old) => (far(piece, old) < far(piece, best) ? old : best)));
  }
  return { paired, gone: [...free.values()] };
}

/** The pieces of a scene with identities that last, and those just captured, which are `leaving`. */
export function usePieces(scene) {
  const shown = useRef([]);
  const [leaving, setLeaving] = useState([]);
  const current = useMemo(() => {
    const { paired, gone } = pair(shown.current, scene);
    const pieces = scene.pieces.map((piece) => ({ ...piece, id: paired.get(piece)?.id ?? `p${++numbered}` }));
    shown.current = pieces;
    return { pieces, gone };
  }, [scene]);
  useEffect(() => {
    if (!current.gone.length) return undefined;
    setLeaving(current.gone.map((piece) => ({ ...piece, leaving: true })));
    const timer = setTimeout(() => setLeaving([]), FADE_MS);
    return () => {
      clearTimeout(timer);
      setLeaving([]);
    };
  }, [current]);
  return [...current.pieces, ...leaving.filter((piece) => current.gone.some((old) => old.id === piece.id))].sort((a, b) => (a.id < b.id ? -1 : 1));
}
