/**
 * One socket for the whole page. It opens when first needed, comes back by itself after a loss, and then asks
 * again for everything that is being watched; analyses are told that they ended.
 */

const LONGEST_PAUSE_MS = 8000;

export function makeSocket(url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`) {
  /** @type {WebSocket|null} */
  let socket = null;
  let pause = 250;
  let retry = 0;
  let numbered = 0;
  const waiting = []; // messages to send once it is open
  const games = new Map(); // live game id -> set of listeners
  const matches = new Map(); // match id -> set of listeners
  const analyses = new Map(); // analysis id -> its listeners

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else {
      waiting.push(message);
      open();
    }
  }

  function open() {
    clearTimeout(retry);
    if (socket && socket.readyState <= WebSocket.OPEN) return;
    const opened = (socket = new WebSocket(url));
    opened.onopen = () => {
      pause = 250;
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
      retry = setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    };
  }

  function receive(message) {
    if (message.type === "game") games.get(message.game.id)?.forEach((listener) => listener(message.game));
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
    /** Calls `listener` with every state of a live game; returns what ends that. */
    watch: (game, listener) => watch(games, game, listener, { type: "watch", game }, { type: "unwatch", game }),
    /** Calls `listener` with the progress of a match; returns what ends that. */
    watchMatch: (match, listener) =>
      watch(matches, match, listener, { type: "watch-match", match }, { type: "unwatch-match", match }),
    /**
     * Starts an analysis of {game, rules, start, actions, agent, seconds}; returns what stops it.
     * @param {{preparing?: () => void, info?: (info: any) => void, done?: () => void, failed?: (why: string) => void}} listeners
     */
    analyse(wanted, listeners) {
      const id = `a${++numbered}`;
      analyses.set(id, listeners);
      send({ type: "analyse", id, ...wanted });
      return () => {
        if (analyses.delete(id)) send({ type: "stop", id });
      };
    },
  };
}
