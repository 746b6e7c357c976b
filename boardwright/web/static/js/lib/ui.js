/** The view library in one import: tagged templates instead of JSX, so there is nothing to build. */
import { h, render, Fragment } from "../../vendor/preact.js";
import { useEffect, useRef } from "../../vendor/hooks.js";
import htm from "../../vendor/htm.js";

export { h, render, Fragment };
export { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../../vendor/hooks.js";

export const html = htm.bind(h);

/** Class names without those that do not hold: `classes("cell", {legal: true})`. */
export function classes(...names) {
  return names
    .flatMap((name) => (typeof name === "object" && name ? Object.keys(name).filter((key) => name[key]) : name || []))
    .join(" ");
}

/** Sets the title of the document, once. */
export const useTitle = (title) => useEffect(() => void (document.title = title), []);

/** @param {{open: boolean, close: () => void, children?: any, [attribute: string]: any}} props of a dialog over the page */
export function Dialog({ open, close, children, ...others }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  return html`<dialog ref=${dialog} ...${others} onClose=${close}>${children}</dialog>`;
}

/** First letter large, as at the beginning of a sentence. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
