/** The page shown when the module of a page cannot be loaded. */
import { html, useEffect } from "../lib/ui.js";

const PAUSE_MS = 2000;
const RELOADED = "reloaded"; // in the history: this address was loaded again already

/**
 * Reloads the document once the server answers: browsers remember that a module or one of its imports failed, and only a
 * new document requests it again. If the server answers and the page still fails, it is not reloaded again.
 */
export function LoadError() {
  useEffect(() => {
    let timer = 0;
    let open = true;
    let away = history.state !== RELOADED;
    async function ask() {
      const answers = await fetch(location.href, { cache: "no-store" }).then(
        (response) => response.ok,
        () => false,
      );
      if (!open) return;
      away ||= !answers;
      if (!answers) timer = setTimeout(ask, PAUSE_MS);
      else if (away) {
        history.replaceState(RELOADED, "");
        location.reload();
      }
    }
    ask();
    return () => {
      open = false;
      clearTimeout(timer);
    };
  }, []);
  return html`<main class="plain"><h1>This page could not be loaded</h1><p>Is the server still running?</p></main>`;
}
