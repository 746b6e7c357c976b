/** Moves in writing: the list of those played, and a field to type one. */
import { html, useEffect, useRef, useState } from "../lib/ui.js";

/**
 * Moves in two columns, one per role. A role that moves twice in a row takes a new row; chance takes a whole one.
 * @param {{text: string, role: number|null, index: number}[]} moves
 */
export function rowsOf(moves) {
  const rows = [];
  for (const move of moves) {
    const last = rows.at(-1);
    if (move.role === null) rows.push({ chance: move, cells: [null, null] });
    else if (last && !last.chance && !last.cells[move.role] && (move.role === 1 || !last.cells[1]))
      last.cells[move.role] = move;
    else rows.push({ chance: null, cells: move.role === 0 ? [move, null] : [null, move] });
  }
  return rows;
}

/** Keeps what is current in sight without moving the page. */
function useInSight(list, current) {
  useEffect(() => {
    const shown = list.current?.querySelector("[aria-current]");
    if (!shown) return;
    const [box, own] = [list.current.getBoundingClientRect(), shown.getBoundingClientRect()];
    if (own.top < box.top) list.current.scrollTop -= box.top - own.top + 4;
    if (own.bottom > box.bottom) list.current.scrollTop += own.bottom - box.bottom + 4;
  }, [current]);
}

/** @param {{line: any[], current: number, go: (count: number) => void}} props `current` moves have been played on the board shown */
export function MoveList({ line, current, go }) {
  const list = useRef(null);
  useInSight(list, current);
  let row = 0;
  const button = (move) =>
    move &&
    html`<button class="move" aria-current=${move.index + 1 === current ? "true" : undefined}
      onClick=${() => go(move.index + 1)}>${move.text}</button>`;
  return html`
    <div class="moves" ref=${list} role="region" tabindex="0" aria-label="Moves">
      ${rowsOf(line.map((move, index) => ({ ...move, index }))).map((pair) =>
        pair.chance
          ? html`<div class="move-row"><span class="move-number"></span><span
            class="chance">chance: ${button(pair.chance)}</span></div>`
          : html`<div class="move-row"><span class="move-number">${++row}</span>${button(pair.cells[0]) ?? html`<span
            class="move none">…</span>`}${button(pair.cells[1])}</div>`,
      )}
      ${!line.length && html`<p class="quiet">No moves yet.</p>`}
    </div>
  `;
}

/**
 * What is typed stays until it is accepted: `onMove` and `onText` give false, or a promise of it, where it is not. The
 * field keeps the focus while it is disabled, or the next letters would be commands.
 * @param {{legal: any[], onMove: (move: any) => any, onText: (text: string) => any, disabled: boolean}} props
 */
export function TypedMove({ legal, onMove, onText, disabled }) {
  const [text, setText] = useState("");
  const input = useRef(null);
  async function submit(event) {
    event.preventDefault();
    const typed = text.trim();
    if (disabled || !typed) return;
    const move = legal.find((candidate) => candidate.text.toLowerCase() === typed.toLowerCase());
    const accepted = await (move ? onMove(move) : onText(typed));
    if (accepted !== false) setText((now) => (now === text ? "" : now));
  }
  return html`
    <form class="typed" onSubmit=${submit}>
      <label class="unseen" for="typed-move">Type a move</label>
      <input id="typed-move" ref=${input} class="text-input" list="legal-moves" autocomplete="off" spellcheck="false"
        value=${text} readonly=${disabled} aria-disabled=${String(disabled)}
        placeholder=${disabled || !legal.length ? "Type a move" : `Type a move, such as ${legal[0].text}`}
        onInput=${(event) => setText(event.target.value)} />
      <datalist id="legal-moves">${legal.slice(0, 400).map((move) => html`<option value=${move.text} />`)}</datalist>
      <button class="button" disabled=${disabled || !text.trim()}>Enter</button>
    </form>
  `;
}

/** Moves no hand can make on the board (a coin's fall), as buttons. */
export function OtherMoves({ legal, onMove }) {
  const others = legal.filter((move) => !move.gesture.length);
  if (!others.length) return null;
  return html`<div class="row" role="group" aria-label="Moves">${others.map((move) => html`<button class="button small"
    key=${move.text} onClick=${() => onMove(move)}>${move.text}</button>`)}</div>`;
}

/** Buttons to go through a line. */
export function Steps({ at, last, go }) {
  const button = (sign, name, to, off) =>
    html`<button class="icon" aria-label=${name} title=${name} disabled=${off} onClick=${() => go(to)}>${sign}</button>`;
  return html`
    <div class="row steps" role="group" aria-label="Step through the game">
      ${button("«", "Initial position (Home)", 0, at <= 0)} ${button("‹", "Back (←)", at - 1, at <= 0)}
      ${button("›", "Forward (→)", at + 1, at >= last)} ${button("»", "Last position (End)", last, at >= last)}
    </div>
  `;
}
