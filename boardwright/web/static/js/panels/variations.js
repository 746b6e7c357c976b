/** A game with its variations in writing: the main line in two columns, others below the move they replace. */
import { classes, html, useEffect, useRef } from "../lib/ui.js";
import { lineThrough, mainLine } from "../lib/tree.js";

/** @param {{tree: any, current: string, go: (id: string) => void, judged: Record<string, {name: string, sign: string}>}} props */
export function Variations({ tree, current, go, judged }) {
  const list = useRef(null);
  useEffect(() => {
    const shown = list.current.querySelector("[aria-current]");
    if (!shown) return;
    const [box, own] = [list.current.getBoundingClientRect(), shown.getBoundingClientRect()];
    if (own.top < box.top || own.bottom > box.bottom) list.current.scrollTop += own.top - box.top - box.height / 2;
  }, [current]);
  const button = (node) => {
    const said = judged[node.id];
    return html`<button key=${node.id} class=${classes("move", said?.name)}
      aria-current=${node.id === current ? "true" : undefined} title=${said?.name}
      onClick=${() => go(node.id)}>${node.move.text}${said && html`<b aria-label=${said.name}>${said.sign}</b>`}</button>`;
  };
  const aside = (id) => {
    const siblings = tree.nodes[tree.nodes[id].parent].children.slice(1);
    return siblings.length
      ? html`<div class="variations">${siblings.map((sibling) => html`<${Variation}
        key=${sibling} tree=${tree} id=${sibling} button=${button} />`)}</div>`
      : null;
  };
  const rows = [];
  let number = 0;
  let open = null; // the row that waits for the second column
  let parted = false; // whether a variation follows below: then the reply has a row of its own, with the same number
  for (const node of mainLine(tree).slice(1)) {
    const others = tree.nodes[node.parent].children[0] === node.id ? aside(node.id) : null;
    const { role } = node.move;
    if (role === null) {
      rows.push(
        html`<div class="move-row" key=${node.id}><span class="move-number"></span><span
          class="chance">chance: ${button(node)}</span></div>`,
      );
      open = null;
    } else if (role === 1 && open && !parted) {
      open.second = node;
      open = null;
    } else {
      if (role === 0 || !open) number += 1;
      const row = { number, first: role === 0 ? node : null, second: role === 1 ? node : null };
      rows.push(row);
      open = role === 0 ? row : null;
    }
    if (others) rows.push(others);
    parted = Boolean(others);
  }
  return html`
    <div class="moves" ref=${list} role="region" tabindex="0" aria-label="Moves and variations">
      ${rows.map((row) =>
        row.number
          ? html`<div class="move-row" key=${(row.first ?? row.second).id}><span
            class="move-number">${row.number}</span>${row.first ? button(row.first) : html`<span
            class="move none">…</span>`}${row.second && button(row.second)}</div>`
          : row,
      )}
      ${rows.length === 0 && html`<p class="quiet">Play a move on the board, or load a game.</p>`}
    </div>
  `;
}

/** A variation, with its own variations in brackets. */
function Variation({ tree, id, button }) {
  const start = tree.nodes[id];
  const line = lineThrough(tree, id).slice(start.depth);
  return html`
    <p class="aside">
      ${line.map((node, index) => {
        const others = index > 0 ? tree.nodes[node.parent].children.slice(1) : [];
        return html`${button(node)}${others.map((other) => html`<span
          class="bracket">(<${Variation} tree=${tree} id=${other} button=${button} />)</span>`)}`;
      })}
    </p>
  `;
}
