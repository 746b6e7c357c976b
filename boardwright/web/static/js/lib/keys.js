/** Keys of a page: each has a name, what it does, and what the help says of it. */
import { Dialog, html, useLayoutEffect, useRef } from "./ui.js";

/** @typedef {{keys: string[], says: string, run: (event: KeyboardEvent) => void}} Key */

const shown = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space" };
let current = /** @type {Key[]} */ ([]); // those of the page that is open, for the help

export const TEXT_FIELDS = "input:not([type=checkbox], [type=radio]), textarea";
const SCROLLED = "[role=region][tabindex='0']"; // what has the focus only so that keys can scroll it

let clicked = /** @type {Element|null} */ (null); // what the mouse pressed of these, until Tab moves the focus on
document.addEventListener("pointerdown", ({ target }) => (clicked = target.closest(`button, ${SCROLLED}`)), true);
document.addEventListener("keydown", (event) => event.key === "Tab" && (clicked = null), true);

/**
 * Whether typing belongs to what has the focus rather than to the page; what was just disabled may still have it.
 * Space presses a button that one has gone to by keyboard, arrows scroll a list. One that was clicked takes no more: a
 * button has done its work, and a list is scrolled by the mouse; it may have the focus where what was clicked is in it.
 */
function isHandledByFocus(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest(`${TEXT_FIELDS}, select, dialog[open]`)) return true;
  if ((event.key === " " || event.key === "Enter") && target.closest("button:enabled, a, summary, input:enabled"))
    return event.key === "Enter" || !clicked || target.closest("button") !== clicked;
  if (target.matches(SCROLLED)) return !target.contains(clicked) && /^(Arrow|Page|Home$|End$| $)/.test(event.key);
  const onBoard = target.closest("[role=grid]");
  return Boolean(onBoard) && /^(Arrow|Home$|End$|Enter$| $)/.test(event.key);
}

/** Listens while the calling component is on the page, from the moment it is seen. @param {Key[]} keys */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    current = latest.current;
    const listen = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isHandledByFocus(event)) return;
      const key = latest.current.find((candidate) => candidate.keys.includes(event.key));
      if (!key) return;
      event.preventDefault();
      key.run(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

const ON_A_BOARD = /** @type {[string[], string][]} */ ([
  [["Tab"], "to the board and its pieces"],
  [["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"], "on the board: from cell to cell"],
]);
const BY_HAND = /** @type {[string[], string][]} */ ([[["Enter"], "on the board: pick up, step or place"]]);

/** What a page's board adds to its keys: nothing without a board, and Enter only where pieces can be put down too. */
function boardKeys() {
  if (!document.querySelector("[role=grid]")) return [];
  return [...ON_A_BOARD, ...(current.some(({ keys }) => keys.includes("Escape")) ? BY_HAND : [])];
}

/** @param {{open: boolean, close: () => void, children?: any}} props `children` is what else helps on the page */
export function Help({ open, close, children }) {
  const rows = /** @type {[string[], string][]} */ ([
    ...current.map((key) => [key.keys, key.says]),
    ...boardKeys(),
    [["?"], "this help"],
  ]);
  return html`
    <${Dialog} open=${open} close=${close} class="help" aria-labelledby="help-title">
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl>
        ${rows.map(
          ([keys, says]) => html`<div>
            <dt>${keys.map((key) => html`<kbd>${shown[key] ?? key}</kbd> `)}</dt>
            <dd>${says}</dd>
          </div>`,
        )}
      </dl>
      ${children}
      <button class="button" onClick=${close}>Close</button>
    </${Dialog}>
  `;
}
