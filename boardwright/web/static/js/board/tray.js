/** The pieces in hand, next to the board; those of the role to move are buttons. */
import { capital, classes, html } from "../lib/ui.js";
import { Block } from "./pieces.js";

const SIZE = 15;

function Shape({ cells, role }) {
  const rows = Math.max(...cells.map(([row]) => row)) + 1;
  const columns = Math.max(...cells.map(([, column]) => column)) + 1;
  return html`
    <svg width=${columns * SIZE + 4} height=${rows * SIZE + 4} viewBox=${`-2 -2 ${columns * SIZE + 4} ${rows * SIZE + 4}`}
      aria-hidden="true">
      <${Block} cells=${cells} role=${role} size=${SIZE} />
    </svg>
  `;
}

/** Whether a piece may be placed from a tray: of two active ones, the neutral and the own, only from one. */
const isInUse = (tray) => tray.active && tray.pieces.some((piece) => piece.piece);

export function Trays({ input }) {
  if (!input.trays.length) return null;
  return html`
    <div class="trays">
      ${input.trays.map(
        (tray) => html`
          <section key=${tray.name} class=${classes("tray", { active: tray.active && input.enabled })}
            aria-label=${`Pieces: ${tray.name}`}>
            <h3>${capital(tray.name)}</h3>
            ${isInUse(tray) && input.places && html`<button class="icon small" onClick=${() => input.rotate(1)}
              disabled=${!input.chosen} aria-label="Rotate the piece" title="Rotate (r, or the wheel)">⟳</button>`}
            ${isInUse(tray) && input.pinned && html`<button class="button small primary" disabled=${!input.ghost?.legal}
              onClick=${() => input.place(input.hover)}>Place</button>`}
            <div class="felt">
              ${tray.pieces.map((piece) => html`<${InHand} key=${piece.key} piece=${piece} role=${tray.role}
                input=${input} active=${tray.active} />`)}
              ${!tray.pieces.length && html`<span class="quiet">none left</span>`}
            </div>
          </section>
        `,
      )}
    </div>
  `;
}

function InHand({ piece, role, input, active }) {
  const chosen = input.chosen === piece.key;
  if (!active || !input.enabled || !piece.piece) {
    return html`<span class=${classes("in-hand", { stuck: active && input.enabled && input.places })}>
      <${Shape} cells=${piece.cells} role=${role} /></span>`;
  }
  return html`
    <button class=${classes("in-hand", { chosen })} aria-pressed=${chosen} aria-label=${piece.piece}
      title=${piece.piece} data-piece=${piece.piece}
      onPointerDown=${() => input.choose(piece.key)} onClick=${() => input.choose(piece.key)}>
      <${Shape} cells=${chosen ? (input.turned ?? piece.cells) : piece.cells} role=${role} />
    </button>
  `;
}
