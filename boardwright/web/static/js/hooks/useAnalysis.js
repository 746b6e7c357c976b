/** A running analysis of the position shown, and the later moves of its principal variation. */
import { useEffect, useLayoutEffect, useState } from "../lib/ui.js";
import { outlineOfActions } from "../board/moves.js";
import { notify } from "../lib/announce.js";

const MAX_SECONDS = 600;
const RESTART_MS = 120;
const LATER_MOVES = 2; // drawn after the first
const REQUEST_MS = 300;

/**
 * Analyses the position shown while it is on.
 * @param {any} view null before the first; @param {boolean} paused whether the review of this page runs instead
 */
export function useAnalysis(socket, view, agent, paused) {
  const [on, setOn] = useState(false);
  const [state, setState] = useState({ info: null, preparing: false, of: null });
  const running = on && !paused;
  const key = view && `${view.game} ${view.rules} ${view.start ?? ""} ${view.actions.join()}`;
  // A layout effect: once it is off, no message on its way may change what is shown.
  useLayoutEffect(() => {
    setState((before) => ({ info: !running && before.of === key ? before.info : null, preparing: false, of: key }));
    if (!running || !view || view.outcome || !view.legal.length) return undefined;
    let stop = () => {};
    const timer = setTimeout(() => {
      const { game, rules, start, actions } = view;
      stop = socket.analyse(
        { game, rules, start, actions, agent, seconds: MAX_SECONDS },
        {
          preparing: () => setState((before) => ({ ...before, preparing: true })),
          info: (info) => setState({ info, preparing: false, of: key }),
          done: () => setOn(false),
          failed: (why) => {
            setOn(false);
            notify(why);
          },
        },
      );
    }, RESTART_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [running, key, agent]);
  return { on, setOn, paused, info: state.of === key ? state.info : null, preparing: state.preparing };
}

/** The moves of the principal variation after the first, to be drawn fainter; requested when the line changes. */
export function useLaterMoves(api, view, info) {
  const [later, setLater] = useState({ of: "", moves: [] });
  const line = (info?.line ?? []).slice(0, LATER_MOVES + 1);
  const key = view ? `${view.text} ${line.map((move) => move.text).join()}` : "";
  useEffect(() => {
    if (line.length < 2) return undefined;
    let active = true;
    const timer = setTimeout(async () => {
      const moves = [];
      let actions = view.actions;
      for (const [index, move] of line.entries()) {
        if (index) {
          const { game, rules, start } = view;
          const before = await api.position({ game, rules, start, actions }).catch(() => null);
          const outline = before && outlineOfActions(before.legal, move.actions);
          const look = { key: `later${index}`, strength: 0.5 / index, label: String(index + 1), later: index % 2 === 1 };
          if (outline) moves.push({ ...look, ...outline });
        }
        actions = [...actions, ...move.actions];
      }
      if (active) setLater({ of: key, moves });
    }, REQUEST_MS);
    return () => {
      active = false;
      clearTimeout(timer);
    };
  }, [key]);
  return later.of === key ? later.moves : [];
}
