/** The end of a game, and the settings before giving it up. */
import { Dialog, html, useEffect, useRef, useState } from "../lib/ui.js";
import { resultText } from "../lib/sides.js";

export function Resign({ open, close, resign }) {
  const yes = () => {
    close();
    resign();
  };
  return html`
    <${Dialog} open=${open} close=${close} aria-label="Resign">
      ${open && html`<h2>Resign this game?</h2>
      <div class="row"><button class="button primary" onClick=${yes}>Resign</button><button class="button"
        onClick=${close}>Keep playing</button></div>`}
    </${Dialog}>
  `;
}

/** Opens when a game ends while one is looking; not for a game that was over before. */
export function ResultDialog({ live, roles, review, again }) {
  const [open, setOpen] = useState(false);
  const before = useRef(live.result);
  useEffect(() => {
    if (live.result && !before.current) setOpen(true);
    before.current = live.result;
  }, [live.result]);
  const { result, human } = live;
  const headline = !result ? "" : result.winner === null ? "A draw" : result.winner === human ? "You win!" : "You lose";
  return html`
    <${Dialog} open=${open} close=${() => setOpen(false)} aria-label="Result">
      ${open && html`<h2>${headline}</h2>
      <p data-result=${result?.winner ?? "draw"}>${result && resultText(result, roles)}</p>
      <div class="row">
        <button class="button primary" onClick=${review}>Review the game</button>
        <button class="button" onClick=${again}>Rematch, sides swapped</button>
        <button class="button" onClick=${() => setOpen(false)}>Close</button>
      </div>`}
    </${Dialog}>
  `;
}
