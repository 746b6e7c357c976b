/** Text that counts when its field is left. */
import { html, useState } from "../lib/ui.js";

/**
 * An input; what is typed stays in it until then, whatever is drawn anew around it.
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
