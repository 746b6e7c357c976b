/** Polls the server while the page is visible. */
import { useEffect, useRef, useState } from "../lib/ui.js";
import { notifyError } from "../lib/announce.js";

/**
 * Calls `ask` now, whenever `key` changes, and again `pause(answer)` milliseconds after each answer; `null` is never again.
 * After a failure that may pass it asks again; one that says that the settings is wrong ends it.
 * @param {() => Promise<any>} ask @param {(answer: any) => number|null} pause @param {string} key
 * @returns {{answer: any, error: Error|null, refresh: () => void}} the answer belongs to `key`: it is null until there is one
 */
export function usePolled(ask, pause, key) {
  const [state, setState] = useState({ key, answer: null, error: null });
  const latest = useRef({ ask, pause });
  latest.current = { ask, pause };
  const again = useRef(() => {});
  useEffect(() => {
    let timer = 0;
    let asked = 0;
    let open = true;
    const wait = (milliseconds) => {
      clearTimeout(timer);
      if (milliseconds !== null) timer = setTimeout(run, milliseconds);
    };
    async function run() {
      clearTimeout(timer);
      if (document.hidden) return; // until it is shown again
      const number = ++asked;
      const current = () => open && number === asked;
      try {
        const answer = await latest.current.ask();
        if (!current()) return;
        setState({ key, answer, error: null });
        wait(latest.current.pause(answer));
      } catch (error) {
        if (!current()) return;
        setState((before) => ({ key, answer: before.key === key ? before.answer : null, error }));
        wait(mayPass(error) ? AFTER_FAILURE_MS : null);
      }
    }
    const shown = () => document.hidden || run();
    document.addEventListener("visibilitychange", shown);
    again.current = run;
    run();
    return () => {
      open = false;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [key]);
  const mine = state.key === key;
  return { answer: mine ? state.answer : null, error: mine ? state.error : null, refresh: () => again.current() };
}

const AFTER_FAILURE_MS = 3000;

/** Whether the same settings may be answered later: the server was not reached, was busy, or had a fault of its own. */
export const mayPass = ({ status }) => !status || status === 429 || status >= 500;

/** The games of the server; null until it has answered. */
export function useGames(api) {
  const { answer, error } = usePolled(api.games, () => null, "games");
  useEffect(() => error && notifyError(error), [error]);
  return answer;
}
