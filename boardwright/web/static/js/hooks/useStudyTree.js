/** The game tree of the study page: the node that is shown, its position, and everything that changes them. */
import { useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { announce, notifyError } from "../lib/announce.js";
import { finalValue } from "../lib/judgement.js";
import { retryUntilAnswered } from "../lib/retry.js";
import { rename, studyPath } from "../lib/router.js";
import { addLine, lineThrough, mainLine, newTree, promote, remove } from "../lib/tree.js";

const RENAME_MS = 150; // browsers limit how often the address may change

/** @param {any} opened the view at the end of the first line; @param {number|null} ply the move to show, null the last */
export function useStudyTree(api, game, opened, ply) {
  const { rules, start } = opened;
  const [tree, setTree] = useState(() => addLine(newTree(), "n0", opened.line)[0]);
  const [at, go] = useState(() => (mainLine(tree)[ply] ?? mainLine(tree).at(-1)).id);
  const [view, setView] = useState(opened);
  const [values, setValues] = useState({}); // by node
  const node = tree.nodes[at];
  const line = useMemo(() => lineThrough(tree, at), [tree, at]);
  const ready = view.actions.join() === node.actions.join(); // whether the view is that of the node
  const position = (actions, moves) => api.position({ game: game.name, rules, start, actions, moves });
  const setValue = (id, value) => setValues((before) => ({ ...before, [id]: value }));
  useEffect(() => {
    if (node.move) announce(`${node.move.role === null ? "Chance" : game.roles[node.move.role]}: ${node.move.text}`);
    return retryUntilAnswered(() => position(node.actions), setView);
  }, [at]);
  useEffect(() => {
    if (ready && view.outcome) setValue(at, finalValue(view.outcome));
  }, [view]);

  const change = ([changed, next]) => {
    setTree(changed);
    go(next);
  };
  /** Plays moves after the node; the server supplies the texts and roles of more than one. */
  const play = (moves) => {
    const added = moves.map((move, index) => ({ ...move, role: move.role ?? (index ? null : view.to_move) }));
    const [grown, end] = addLine(tree, at, added);
    if (moves.length === 1) return change([grown, end]);
    position(grown.nodes[end].actions)
      .then((reached) => change(addLine(tree, at, reached.line.slice(node.depth))))
      .catch(notifyError);
  };
  return {
    ...{ tree, at, go, view, node, line, ready, values, setValue, position, play },
    clearValues: () => setValues({}),
    wholeLine: { game: game.name, rules, start, actions: line.at(-1).actions },
    playText: (text) =>
      position(node.actions, [text])
        .then((reached) => play([reached.line.at(-1)]))
        .catch((error) => {
          notifyError(error);
          return false;
        }),
    step: (to) => go(line[Math.min(Math.max(to, 0), line.length - 1)].id),
    sibling: (by) => {
      const siblings = node.parent === null ? [at] : tree.nodes[node.parent].children;
      go(siblings[(siblings.indexOf(at) + by + siblings.length) % siblings.length]);
    },
    promote: () => setTree(promote(tree, at)),
    remove: () => change(remove(tree, at)),
  };
}

/** Keeps the address of the page up to date with the line and the node that is shown. */
export function useStudyAddress({ wholeLine, node, line }, flip) {
  useEffect(() => {
    const path = studyPath({ ...wholeLine, ply: node.depth === line.length - 1 ? undefined : node.depth, flip });
    const timer = setTimeout(() => rename(path), RENAME_MS);
    return () => clearTimeout(timer);
  }, [line, flip]);
}

/** The position after moves that are only pointed at, null without; and the function that shows some or none. */
export function usePreview({ at, node, position }) {
  const [shown, setShown] = useState(null);
  const requests = useRef(0);
  useEffect(() => setShown(null), [at]);
  const preview = (moves) => {
    const number = ++requests.current;
    if (!moves) return setShown(null);
    position([...node.actions, ...moves.flatMap((move) => move.actions)])
      .then((next) => number === requests.current && setShown(next))
      .catch(() => {});
  };
  return [shown, preview];
}
