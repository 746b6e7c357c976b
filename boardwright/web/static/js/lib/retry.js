/** Requests of a component: their answers count only while it is shown. */
import { notifyError } from "./announce.js";

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2000;
const AWAY = [0, 502, 503, 504]; // not reached, by us or by a proxy before it

/**
 * Waits for an answer. Returns the function that ends it: neither callback is called after that.
 * @template T
 * @param {Promise<T>} request @param {(answer: T) => void} answered @param {(error: any) => void} failed
 */
export function whileShown(request, answered, failed = notifyError) {
  let active = true;
  request.then(
    (answer) => active && answered(answer),
    (error) => active && failed(error),
  );
  return () => (active = false);
}

/**
 * Requests until the server answers; notifies once that it is not reached. Returns the function that ends it.
 * @template T
 * @param {() => Promise<T>} ask @param {(answer: T) => void} answered
 * @param {(error: any) => void} refused called when the server answers with an error
 */
export function retryUntilAnswered(ask, answered, refused = notifyError) {
  let active = true;
  let timer = 0;
  const attempt = (pause) =>
    ask().then(
      (answer) => active && answered(answer),
      (error) => {
        if (!active) return;
        if (!AWAY.includes(error.status)) return refused(error);
        if (pause === FIRST_PAUSE_MS) notifyError(error);
        timer = setTimeout(attempt, pause, Math.min(2 * pause, MAX_PAUSE_MS));
      },
    );
  attempt(FIRST_PAUSE_MS);
  return () => {
    active = false;
    clearTimeout(timer);
  };
}
