/** Pieces as they look: turned discs, and blocks that cover several cells. */
import { html } from "../lib/ui.js";
import { blockPaths, CELL } from "./geometry.js";

const CROWN = "M-11 8 L-13.5 -6 L-6.5 0.5 L0 -10.5 L6.5 0.5 L13.5 -6 L11 8 Z";
const JEWELS = [
  [-13.5, -7.5],
  [0, -12],
  [13.5, -7.5],
];
export const roleName = (role) => (role === null || role === undefined ? "none" : String(role));

/** A disc around the origin, lit from the upper left; a king is larger and wears a crown. */
export function Disc({ role, kind }) {
  const king = kind === "king";
  const radius = king ? 20 : 18;
  return html`
    <ellipse cx="1.2" cy="3.4" rx=${radius + 4.5} ry=${radius + 4} fill="url(#shade)" />
    <circle class=${`disc-wall wood-${roleName(role)}`} cy="1.4" r=${radius} />
    <circle r=${radius} fill=${`url(#wood-${roleName(role)})`} class=${`disc-rim wood-${roleName(role)}`} />
    ${!king && html`<circle class=${`disc-groove wood-${roleName(role)}`} r=${radius * 0.72} /><circle
      class=${`disc-groove wood-${roleName(role)}`} r=${radius * 0.42} />`}
    ${king && html`<circle class=${`disc-groove wood-${roleName(role)}`} r=${radius * 0.86} /><${Crown} />`}
    <path
      class="disc-light" d=${`M${-radius * 0.78} ${-radius * 0.36}A${radius * 0.86} ${radius * 0.86} 0 0 1 ${radius * 0.2} ${-radius * 0.84}`} />
  `;
}

function Crown() {
  return html`
    <g class="crown" transform="translate(0 1.2)">
      <path d=${CROWN} />
      <path class="band" d="M-10.3 4H10.3" />
      ${JEWELS.map(([x, y]) => html`<circle cx=${x} cy=${y} r="2.3" />`)}
    </g>
  `;
}

/** A solid block over cells counted from the origin, seamed where they meet. */
export function Block({ cells, role, size = CELL }) {
  const { body, seams } = blockPaths(cells, size);
  const wide = (share) => size * share;
  return html`
    <g class=${`block wood-${roleName(role)}`}>
      <path class="block-shadow" d=${body} stroke-width=${wide(0.93)} transform=${`translate(${size * 0.035} ${size * 0.075})`} />
      <path class="block-wall" d=${body} stroke-width=${wide(0.9)} transform=${`translate(0 ${size * 0.025})`} />
      <path class="block-edge" d=${body} stroke-width=${wide(0.88)} />
      <path class="block-body" d=${body} stroke-width=${wide(0.8)} />
      <path class="block-top" d=${body} stroke-width=${wide(0.6)} transform=${`translate(${-size * 0.02} ${-size * 0.025})`} />
      <path class="block-seams" d=${seams} stroke-width=${size / 40} />
    </g>
  `;
}

/** A block about to be placed; `covers` names its cells, however the board is turned. */
export function Ghost({ cells, role, legal, covers }) {
  const { body } = blockPaths(cells);
  return html`
    <g class=${`ghost ${legal ? "good" : "bad"}`} data-ghost=${legal ? "legal" : "illegal"} data-cells=${covers}>
      <g class="ghost-block"><${Block} cells=${cells} role=${role} /></g>
      <path class="ghost-tint" d=${body} stroke-width=${CELL * 0.88} />
    </g>
  `;
}
