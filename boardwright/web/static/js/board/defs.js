/** Shades that all boards on a page share; they are referred to by id, so they are drawn once. */
import { html } from "../lib/ui.js";

const WOODS = {
  0: ["#6d5443", "#3a281d", "#1d120b"],
  1: ["#fffaf0", "#f3e5c8", "#d3b582"],
  none: ["#c4bcb1", "#9a9186", "#6c645b"],
};

export function Defs() {
  return html`
    <svg class="defs" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        ${Object.entries(WOODS).map(
          ([role, [lit, body, edge]]) => html`
            <radialGradient id=${`wood-${role}`} cx="0.36" cy="0.3" r="0.82">
              <stop offset="0" stop-color=${lit} />
              <stop offset="0.5" stop-color=${body} />
              <stop offset="1" stop-color=${edge} />
            </radialGradient>
          `,
        )}
        <radialGradient id="shade" cx="0.5" cy="0.5" r="0.5">
          <stop offset="0.62" stop-color="#120a04" stop-opacity="0.55" />
          <stop offset="0.82" stop-color="#120a04" stop-opacity="0.2" />
          <stop offset="1" stop-color="#120a04" stop-opacity="0" />
        </radialGradient>
        <linearGradient id="gold" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stop-color="#ffe08a" />
          <stop offset="0.55" stop-color="#e9b93c" />
          <stop offset="1" stop-color="#b57f14" />
        </linearGradient>
        <linearGradient id="frame" x1="0" y1="0" x2="0.35" y2="1">
          <stop offset="0" stop-color="#63412c" />
          <stop offset="0.5" stop-color="#4b3021" />
          <stop offset="1" stop-color="#3a2417" />
        </linearGradient>
        <linearGradient id="sheen" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stop-color="#fff4da" stop-opacity="0.3" />
          <stop offset="0.5" stop-color="#fff4da" stop-opacity="0" />
          <stop offset="1" stop-color="#2a1405" stop-opacity="0.16" />
        </linearGradient>
        <radialGradient id="capture-glow" cx="0.5" cy="0.5" r="0.5">
          <stop offset="0.3" stop-color="#c0281c" stop-opacity="0" />
          <stop offset="1" stop-color="#c0281c" stop-opacity="0.55" />
        </radialGradient>
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
