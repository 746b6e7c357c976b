/** The value of the position as a bar next to the board, always from the side of role 0. */
import { capital, html } from "../lib/ui.js";
import { valueText } from "../lib/judgement.js";

/**
 * @param {{value: number|null, roles: string[], colour: number, below: boolean}} props
 * `colour` is that of role 0, `below` whether its share grows from below
 */
export function ValueBar({ value, roles, colour, below }) {
  const share = value === null ? 50 : 50 + 50 * value;
  const said = value === null ? "no value yet" : `${valueText(value)} for ${roles[0]}`;
  const side = value >= 0 ? `for-first on-${colour}` : `for-second on-${1 - colour}`;
  return html`
    <div class=${`value-bar ${below ? "first-below" : ""}`} role="meter" aria-label=${`Value: ${said}`}
      aria-valuemin="-1" aria-valuemax="1" aria-valuenow=${value ?? 0} title=${capital(said)}
      data-value=${value ?? ""}>
      <div class=${`value-share colour-${colour}`} style=${{ "--share": `${share}%` }}></div>
      <div class=${`value-rest colour-${1 - colour}`}></div>
      <span class="value-middle"></span>
      ${value !== null && html`<span class=${`value-number ${side}`}>${Math.abs(value).toFixed(1)}</span>`}
    </div>
  `;
}
