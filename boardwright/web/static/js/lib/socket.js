/**
 * One socket for the whole page. It opens when first needed, reconnects after a loss, and then subscribes
 * again to everything that is watched; running analyses fail. `whenLost` reports a loss and its end.
 */

const MAX_PAUSE_MS = 8000;

export function makeSocket(url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`) {
  /** @type {WebSocket|null} */
  let socket = null;
  let pause = 250;
  let retry = 0;
  let numbered = 0;
  let lost = false;
  let connections = 0; // so far
  const waiting = []; // messages to send once it is open
  const games = new Map(); // live game id -> set of listeners
  const matches = new Map(); // match id -> set of listeners
  const analyses = new Map(); // analysis id -> its listeners
  const onLoss = new Set(); // called with whether the connection is lost

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else {
      waiting.push(message);
      open();
    }
  }

  function reportLoss(now) {
    if (now === lost) return;
    lost = now;
    onLoss.forEach((listener) => listener(lost));
  }

  function open() {
    clearTimeout(retry);
    if (socket && socket.readyState <= WebSocket.OPEN) return;
    const opened = (socket = new WebSocket(url));
    connections += 1;
    opened.onopen = () => {
      pause = 250;
      reportLoss(false);
      waiting.splice(0).forEach((message) => opened.send(JSON.stringify(message)));
    };
    opened.onmessage = (event) => receive(JSON.parse(event.data));
    opened.onclose = () => {
      if (socket !== opened) return;
      socket = null;
      waiting.length = 0;
      for (const listeners of analyses.values()) listeners.failed?.("the connection was lost");
      analyses.clear();
      for (const game of games.keys()) waiting.push({ type: "watch", game });
      for (const match of matches.keys()) waiting.push({ type: "watch-match", match });
      if (!waiting.length) return;
      reportLoss(true);
      retry = setTimeout(open, pause);
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    };
  }

  function receive(message) {
    if (message.type === "game") games.get(message.game.id)?.forEach(({ state }) => state(message.game, connections));
    else if (message.type === "error" && games.has(message.id))
      games.get(message.id).forEach(({ failed }) => failed?.(message.error));
    else if (message.type === "match")
      matches.get(message.id ?? message.match?.id)?.forEach((listener) => listener(message.match ?? message));
    else {
      const listeners = analyses.get(message.id);
      if (!listeners) return;
      if (message.type === "preparing") listeners.preparing?.();
      if (message.type === "info") listeners.info?.(message);
      if (message.type === "done" || message.type === "error") analyses.delete(message.id);
      if (message.type === "done") listeners.done?.();
      if (message.type === "error") listeners.failed?.(message.error);
    }
  }

  function watch(table, key, listener, start, stop) {
    if (!table.has(key)) {
      table.set(key, new Set());
      send(start);
    }
    table.get(key).add(listener);
    return () => {
      const listeners = table.get(key);
      if (!listeners?.delete(listener) || listeners.size) return;
      table.delete(key);
      send(stop);
    };
  }

  return {
    /**
     * Reports every state of a live game with the number of its connection, and errors; returns the function that
     * ends it.
     * @param {{state: (live: any, connection: number) => void, failed?: (why: string) => void}} listeners
     */
    watch: (game, listeners) => watch(games, game, listeners, { type: "watch", game }, { type: "unwatch", game }),
    /** Calls `listener` with true when the connection is lost, with false when it is back; returns what ends that. */
    whenLost(listener) {
      onLoss.add(listener);
      if (lost) listener(true);
      return () => onLoss.delete(listener);
    },
    /** Calls `listener` with the progress of a match; returns what ends that. */
    watchMatch: (match, listener) =>
      watch(matches, match, listener, { type: "watch-match", match }, { type: "unwatch-match", match }),
    /**
     * Starts an analysis of {game, rules, start, actions, agent, seconds}; returns what stops it.
     * @param {{preparing?: () => void, info?: (info: any) => void, done?: () => void, failed?: (why: string) => void}} listeners
     */
    analyse(request, listeners) {
      const id = `a${++numbered}`;
      analyses.set(id, listeners);
      send({ type: "analyse", id, ...request });
      return () => {
        if (analyses.delete(id)) send({ type: "stop", id });
      };
    },
  };
}
