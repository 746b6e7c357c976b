/** What is drawn over a board to explain it: marks, hints, heat and arrows. */
import { classes, html } from "../lib/ui.js";
import { blockPaths, CELL, keyOf } from "./geometry.js";

export function Marks({ scene, view }) {
  return scene.marks.map((mark, index) => {
    const { x, y } = view.corner(mark.cell);
    return html`
      <g key=${`${mark.kind}${index}`} class=${`mark mark-${mark.kind}`} transform=${`translate(${x} ${y})`}>
        <rect width=${CELL} height=${CELL} />
        ${mark.kind === "captured" && html`<path d="M15 15L33 33M33 15L15 33" />`}
      </g>
    `;
  });
}

/** Where the hand may go: dots on empty cells, rings around what would be entered, a glow under what must move. */
export function Hints({ input, scene, view, escapes }) {
  const occupied = new Set(scene.pieces.map((piece) => keyOf(piece.cell)));
  const at = (key, content) => {
    const { x, y } = view.middle(key.split(",").map(Number));
    return html`<g key=${key} transform=${`translate(${x} ${y})`}>${content}</g>`;
  };
  const taken = input.path.at(-1);
  return html`
    ${taken && at(keyOf(taken), html`<rect class="hint-taken" x="-24" y="-24" width="48" height="48" />`)}
    ${!input.path.length && [...input.forced].map((key) => at(key, html`<circle class="hint-forced" r="21.5" />`))}
    ${[...input.next].map((key) => at(key, html`<circle
      class=${occupied.has(key) ? "hint-ring" : "hint-dot"} r=${occupied.has(key) ? 20 : 7.5} />`))}
    ${escapes.map((cell) => at(keyOf(cell), html`<rect
      class="hint-escape" x="-21" y="-21" width="42" height="42" rx="6" /><path
      class="hint-escape-sign" d="M-7 0h12M0 -6l6 6l-6 6" />`))}
  `;
}

/** Heat maps of visits or policy by cell, in shares from 0 to 1 of the maximum. */
export function Heat({ shares, view, kind }) {
  return html`
    <g class=${`heat heat-${kind}`}>
      ${[...shares].map(([key, share]) => {
        const { x, y } = view.corner(key.split(",").map(Number));
        return html`<rect
          key=${key} x=${x + 1} y=${y + 1} width=${CELL - 2} height=${CELL - 2} rx="4" fill-opacity=${(0.05 + 0.55 * share).toFixed(3)} />`;
      })}
    </g>
  `;
}

/** Moves under consideration, the strongest on top: arrows along paths, outlines of placements; `later` is the answer to one. */
export function Considered({ moves, view }) {
  const ordered = [...moves].sort((a, b) => a.strength - b.strength);
  return html`
    <g class="considered">
      ${ordered.map(({ key, path, cells, strength, label, later }) =>
        cells.length
          ? html`<${Outline} key=${key} cells=${cells.map(view.seen)} strength=${strength} label=${label} later=${later} />`
          : path
              .slice(1)
              .map(
                (cell, index) =>
                  html`<${Arrow} key=${`${key}-${index}`} from=${view.middle(path[index])} to=${view.middle(cell)}
                    strength=${strength} later=${later} />`,
              ),
      )}
    </g>
  `;
}

function Arrow({ from, to, strength, later }) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  const tip = Math.hypot(across, down) - 5;
  const [head, half] = [10 + 7 * strength, 1.6 + 2.9 * strength];
  const [neck, barb] = [tip - head, 2.3 * half + 1.5];
  const shape = `M14 ${half}L${neck} ${half}L${neck} ${barb}L${tip} 0L${neck} ${-barb}L${neck} ${-half}L14 ${-half}Z`;
  const turned = (Math.atan2(down, across) * 180) / Math.PI;
  return html`<path class=${classes("arrow", { later })} d=${shape} opacity=${(0.3 + 0.6 * strength).toFixed(2)}
    transform=${`translate(${from.x} ${from.y}) rotate(${turned.toFixed(2)})`} />`;
}

function Outline({ cells, strength, label, later }) {
  const { body } = blockPaths(cells);
  const [row, column] = cells[0];
  return html`
    <g class=${classes("outline", { later })} opacity=${(0.3 + 0.6 * strength).toFixed(2)}>
      <path d=${body} stroke-width=${CELL * 0.74} />
      ${label && html`<text x=${(column + 0.5) * CELL} y=${(row + 0.5) * CELL + 6}>${label}</text>`}
    </g>
  `;
}
