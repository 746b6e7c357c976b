/** A live region for screen readers, and notices that all see. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "./ui.js";

let say = (_text) => {};
let show = (_text) => {};
const NOTICE_MS = 6000;

/** Sends a text to screen readers, which read it in the next pause. */
export const announce = (text) => say(text);
/** Shows one line over the page for a few seconds; it is also read out. */
export const notify = (text) => show(text);
/** For `catch`: shows what went wrong. */
export const notifyError = (error) => show(error.message ?? String(error));

export function Announcer() {
  const [spoken, setSpoken] = useState("");
  const [notice, setNotice] = useState(null);
  const box = useRef(null);
  useLayoutEffect(() => {
    say = setSpoken;
    show = (text) => setNotice({ text, at: Date.now() });
  }, []);
  useLayoutEffect(() => {
    if (!box.current.showPopover) return; // an older browser: it is shown where it is
    box.current.hidePopover();
    if (notice) box.current.showPopover(); // now above any open dialog
  }, [notice]);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(null), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return html`
    <div class="unseen" id="spoken" role="status" aria-live="polite" aria-atomic="true">${spoken}</div>
    <div class="notices" role="alert" popover="manual" ref=${box}>
      ${notice && html`<button class="notice" key=${notice.at} onClick=${() => setNotice(null)}>${notice.text}</button>`}
    </div>
  `;
}
