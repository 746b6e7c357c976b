/** The bare board: frame, coordinates, cells with their tints, grain. It never changes while pieces move. */
import { html } from "../lib/ui.js";
import { allCells, BARE_BORDER, BORDER, CELL, keyOf } from "./geometry.js";

export const borderOf = (scene) => (scene.row_names.length ? BORDER : BARE_BORDER);

export function Frame({ scene, view }) {
  const border = borderOf(scene);
  const [width, height] = [scene.columns * CELL, scene.rows * CELL];
  return html`
    <rect class="frame" x=${-border} y=${-border} width=${width + 2 * border} height=${height + 2 * border} rx="9" />
    <rect
      class="frame-edge" x=${1.2 - border} y=${1.2 - border} width=${width + 2 * border - 2.4} height=${height + 2 * border - 2.4} rx="8" />
    <rect class="groove" x="-3.5" y="-3.5" width=${width + 7} height=${height + 7} rx="2.5" />
    ${scene.row_names.map((name, row) => html`<text
      class="coordinate" x=${-border / 2 - 1} y=${view.middle([row, 0]).y + 4.5}>${name}</text>`)}
    ${scene.column_names.map((name, column) => html`<text
      class="coordinate" x=${view.middle([0, column]).x} y=${height + border / 2 + 6}>${name}</text>`)}
  `;
}

export function Floor({ scene, view }) {
  const tints = new Map(scene.tints.map(({ cell, tint }) => [keyOf(cell), tint]));
  const cells = allCells(scene).map((cell) => ({
    cell,
    key: keyOf(cell),
    tint: tints.get(keyOf(cell)) ?? "plain",
    ...view.corner(cell),
  }));
  const [width, height] = [scene.columns * CELL, scene.rows * CELL];
  const chequered = scene.tints.some(({ tint }) => tint === "dark");
  return html`
    ${cells.map(({ key, tint, x, y }) => html`<rect key=${key}
      class=${`floor ${tint}`} x=${x} y=${y} width=${CELL} height=${CELL} />`)}
    <${Grain} scene=${scene} />
    ${cells.map(({ key, tint, x, y }) => tint === "special" && html`<${Inlay} key=${key} x=${x + CELL / 2} y=${y + CELL / 2} />`)}
    ${cells.map(({ key, tint, x, y }) => (tint === "camp" || tint.startsWith("territory")) && html`<${Hatch}
      key=${key} tint=${tint} x=${x} y=${y} />`)}
    ${!chequered && html`<path class="grid-lines" d=${gridLines(scene)} />`}
    <rect class="sheen" width=${width} height=${height} />
  `;
}

/** What is written on cells. It is drawn over marks and hints, so that it can be read on every cell. */
export function Labels({ scene, view }) {
  return scene.cell_labels.map(({ cell, label }) => {
    const { x, y } = view.corner(cell);
    return html`<text key=${keyOf(cell)} class="cell-label" x=${x + 2.2} y=${y + 8.6}>${label}</text>`;
  });
}

function gridLines({ rows, columns }) {
  const down = Array.from({ length: columns - 1 }, (_, index) => `M${(index + 1) * CELL} 0v${rows * CELL}`);
  const across = Array.from({ length: rows - 1 }, (_, index) => `M0 ${(index + 1) * CELL}h${columns * CELL}`);
  return [...down, ...across].join("");
}

/** Fibres and shades of wood, so that no two neighbouring cells look quite the same. */
function Grain({ scene }) {
  let fibres = "";
  const shades = ["", "", "", ""];
  for (const [row, column] of allCells(scene)) {
    const [x, y, seed] = [column * CELL, row * CELL, (row * 7 + column * 11 + ((row * column) % 5)) % 13];
    shades[seed % 4] += `M${x} ${y}h${CELL}v${CELL}h-${CELL}z`;
    for (let line = 0; line < 5; line++) {
      const start = 4 + ((seed * 5 + line * 9.4) % 40);
      const bend = ((seed + line * 5) % 7) - 3;
      fibres += `M${x} ${y + start}q12 ${bend} 24 ${bend / 2}t24 ${-bend / 2}`;
    }
  }
  return html`
    ${shades.map((shade, depth) => html`<path class="wood-shade" d=${shade} fill-opacity=${depth * 0.025} />`)}
    <path class="fibres" d=${fibres} />
  `;
}

/** An eight-pointed star let into the wood. */
function Inlay({ x, y }) {
  return html`
    <g class="inlay" transform=${`translate(${x} ${y})`}>
      <rect x="-13" y="-13" width="26" height="26" /><rect x="-13" y="-13" width="26" height="26" transform="rotate(45)" />
      <circle r="7" /><circle class="full" r="2.4" />
    </g>
  `;
}

function Hatch({ tint, x, y }) {
  const rising = [12, 24, 36].map((end) => `M${x} ${y + end}L${x + end} ${y}`);
  const falling = [0, 12, 24, 36].map((start) => `M${x + start} ${y + CELL}L${x + CELL} ${y + start}`);
  return html`<path class=${`hatch ${tint}`} d=${[...rising, ...falling].join("")} />`;
}
