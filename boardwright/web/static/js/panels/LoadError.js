/** What is shown instead of a page whose module did not come. */
import { html, useEffect } from "../lib/ui.js";

const PAUSE_MS = 2000;
const RELOADED = "reloaded"; // in the history: this address was loaded again already

/**
 * Loads the document again once the server answers: browsers remember that a module failed, or one that it imports, and
 * only a new document asks for it again. A page that fails with the server there is broken, and is not tried for ever.
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
