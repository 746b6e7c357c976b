/** The review of a game: a short analysis of every position. */
import { useEffect, useRef, useState } from "../lib/ui.js";
import { notify, notifyError } from "../lib/announce.js";
import { finalValue } from "../lib/judgement.js";

const MIN_MS = 100; // per position: the server accepts 20 messages per second from a page

/** The value of one position after an analysis of some seconds; `stops` receives the function that ends it. */
function valueOf(socket, view, agent, seconds, stops) {
  const { game, rules, start, actions } = view;
  return new Promise((resolve, reject) => {
    let value = null;
    const began = performance.now();
    const stop = socket.analyse(
      { game, rules, start, actions, agent, seconds },
      {
        info: (info) => (value = info.value ?? value),
        done: () => {
          const left = began + MIN_MS - performance.now();
          if (left > 0) setTimeout(resolve, left, value);
          else resolve(value); // at once: a timer may be slow in a window that is not shown
        },
        failed: (why) => reject(new Error(`The review has stopped: ${why}`)),
      },
    );
    stops.current = () => {
      stop();
      resolve(null);
    };
  });
}

/** Analyses the positions of a line that have no value yet, one after the other. */
export function useReview(api, socket, { game, rules, start }, agent, setValue) {
  const [progress, setProgress] = useState(null); // {done, total} while it runs
  const stops = useRef(() => {});
  const running = useRef(false);
  const stop = () => {
    running.current = false;
    stops.current();
    setProgress(null);
  };
  useEffect(() => stop, []);
  async function run(line, values, seconds) {
    running.current = true;
    const missing = line.filter((node) => values[node.id] === undefined);
    try {
      for (const [done, node] of missing.entries()) {
        setProgress({ done, total: missing.length });
        const view = await api.position({ game, rules, start, actions: node.actions });
        if (!running.current) return;
        const value = view.outcome ? finalValue(view.outcome) : await valueOf(socket, view, agent, seconds, stops);
        if (!running.current) return;
        if (value !== null) setValue(node.id, value);
      }
      if (missing.length) notify("The review is complete.");
    } catch (error) {
      notifyError(error);
    } finally {
      running.current = false;
      setProgress(null);
    }
  }
  return { progress, run, stop };
}
