/** A text field whose value changes when the focus leaves it. */
import { html, useState } from "../lib/ui.js";

/**
 * An input that keeps the typed text until then, even if the page renders again.
 * @param {{value: string, setValue: (value: string) => void}} props and any other of an input
 */
export function FormField({ value, setValue, ...others }) {
  const [typed, setTyped] = useState(null);
  function leave(event) {
    setTyped(null);
    setValue(event.target.value.trim());
  }
  return html`<input ...${others} value=${typed ?? value} onInput=${(event) => setTyped(event.target.value)} onChange=${leave} />`;
}
