/** A live game on the page: its newest state, the connection it comes by, and looking back at earlier positions. */
import { useCallback, useEffect, useLayoutEffect, useState } from "../lib/ui.js";
import { notify, notifyError } from "../lib/announce.js";
import { whileShown } from "../lib/retry.js";
import { go } from "../lib/router.js";
import { hasRunNet, nameRuns } from "../lib/sides.js";

const NO_STATE = { live: null, readAt: 0, connection: 0 };

/**
 * The newest state of a live game, from a response or the socket. The first message of a connection always counts: a
 * restarted server continues from the version it had stored, which may be lower.
 */
export function useLiveGame(api, socket, id) {
  const [state, setState] = useState(NO_STATE);
  const receive = useCallback(
    (next, connection = null) =>
      setState((before) => {
        const first = connection !== null && connection !== before.connection;
        const older = before.live?.id === next.id && before.live.version > next.version;
        if (older && !first) return before;
        return { live: next, readAt: performance.now(), connection: connection ?? before.connection };
      }),
    [],
  );
  useEffect(() => {
    setState(NO_STATE);
    api.liveGame(id)
      .then(receive)
      .catch((error) => {
        notifyError(error);
        if (error.status === 404) go("/", true);
      });
    return socket.watch(id, { state: receive, failed: notify });
  }, [id]);
  return { ...state, receive };
}

/** Whether the connection to the server is lost, and when it last was; notifies when it is back. */
export function useConnection(socket) {
  const [loss, setLoss] = useState({ lost: false, lostAt: 0 });
  const report = (now) => {
    setLoss(({ lostAt }) => ({ lost: now, lostAt: now ? performance.now() : lostAt }));
    if (!now) notify("Reconnected");
  };
  useEffect(() => socket.whenLost(report), []);
  return loss;
}

/** Loads the name of the run whose net plays: a page that was just loaded has no list of runs. */
export function useRunNames(api, spec) {
  const [, setNamed] = useState(false);
  useEffect(() => {
    if (!spec || !hasRunNet(spec)) return;
    api.runs()
      .then(nameRuns)
      .then(() => setNamed(true))
      .catch(() => {}); // then its id is shown
  }, [spec]);
}

/** An earlier position of the game, `view` null for the current one. */
export function useLookBack(api, live) {
  const [count, setCount] = useState(null);
  const [view, setView] = useState(null);
  const length = live?.view.line.length ?? 0;
  useLayoutEffect(() => setCount(null), [live?.id, length]);
  useEffect(() => {
    if (count === null || !live) return setView(null);
    const actions = live.view.line.slice(0, count).flatMap((move) => move.actions);
    const { game, rules, start } = live.view;
    return whileShown(api.position({ game, rules, start, actions }), setView);
  }, [count, live?.id]);
  const to = (ply) => setCount(ply >= length ? null : Math.max(0, ply));
  return { at: count ?? length, view: count === null ? null : view, to };
}
