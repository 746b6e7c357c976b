/** Shades that all boards on a page share; they are referred to by id, so they are drawn once. */
import { html } from "../lib/ui.js";

const WOODS = {
  0: ["#6d5443", "#3a281d", "#1d120b"],
  1: ["#fffaf0", "#f3e5c8", "#d3b582"],
  none: ["#c4bcb1", "#9a9186", "#6c645b"],
};

/** A gradient by its `place` and its stops: offset, colour and opacity. */
const gradient = (kind, id, place, stops) => html`
  <${kind} id=${id} ...${place}>
    ${stops.map(([offset, colour, opacity = 1]) => html`<stop offset=${offset} stop-color=${colour} stop-opacity=${opacity} />`)}
  </${kind}>`;
const radial = (id, cx, cy, r, stops) => gradient("radialGradient", id, { cx, cy, r }, stops);
const linear = (id, x2, y2, stops) => gradient("linearGradient", id, { x1: 0, y1: 0, x2, y2 }, stops);

export function Defs() {
  return html`
    <svg class="defs" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        ${Object.entries(WOODS).map(([role, [lit, body, edge]]) => radial(`wood-${role}`, 0.36, 0.3, 0.82, [[0, lit], [0.5, body], [1, edge]]))}
        ${radial("shade", 0.5, 0.5, 0.5, [[0.62, "#120a04", 0.55], [0.82, "#120a04", 0.2], [1, "#120a04", 0]])}
        ${linear("gold", 0, 1, [[0, "#ffe08a"], [0.55, "#e9b93c"], [1, "#b57f14"]])}
        ${linear("frame", 0.35, 1, [[0, "#63412c"], [0.5, "#4b3021"], [1, "#3a2417"]])}
        ${linear("sheen", 1, 1, [[0, "#fff4da", 0.3], [0.5, "#fff4da", 0], [1, "#2a1405", 0.16]])}
        ${radial("capture-glow", 0.5, 0.5, 0.5, [[0.3, "#c0281c", 0], [1, "#c0281c", 0.55]])}
        <symbol id="emblem" viewBox="0 0 32 32">
          <rect width="32" height="32" rx="7" fill="#4b3021" />
          <rect x="4" y="4" width="24" height="24" rx="3" fill="#e6c592" />
          <path d="M4 16h12V4h9a3 3 0 0 1 3 3v9H16v12H7a3 3 0 0 1-3-3z" fill="#a9713f" />
          <circle cx="16" cy="16" r="9" fill="url(#wood-0)" />
          <path d="M10.5 19.5 9.3 12l3.6 3.2L16 9.8l3.1 5.4 3.6-3.2-1.2 7.5z" fill="url(#gold)" />
        </symbol>
      </defs>
    </svg>
  `;
}
