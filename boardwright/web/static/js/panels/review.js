/** The review of a whole game: the value of every position, and the mistakes of each side. */
import { html, useEffect, useMemo } from "../lib/ui.js";
import { JUDGEMENTS, judgeLine } from "../lib/judgement.js";
import { useRemembered } from "../lib/storage.js";
import { ValueGraph } from "./graph.js";

const COLUMNS = [...JUDGEMENTS].reverse(); // of the table, the mildest first
const PACES = [0.1, 0.3, 1, 3]; // seconds per position
/**
 * @param {any} props `line` nodes from the root; `values` by node; `at` the node shown; `go` to a node; `begin` whether
 * to review it at once
 */
export function ReviewPanel({ review, line, values, at, go, roles, clear, begin }) {
  const [pace, setPace] = useRemembered("pace", 0.3);
  useEffect(() => {
    if (begin && line.length > 1) review.run(line, values, pace);
  }, []);
  const judged = useMemo(() => judgeLine(line, values), [line, values]);
  const byPly = useMemo(() => line.map((node) => values[node.id] ?? null), [line, values]);
  const signs = useMemo(() => line.map((node) => judged[node.id] ?? null), [line, judged]);
  const ply = line.findIndex((node) => node.id === at);
  const known = byPly.filter((value) => value !== null).length > 1;
  const count = (role, name) =>
    line.filter((node) => node.move?.role === role && judged[node.id]?.name === name).length;
  const { progress } = review;
  return html`
    <div class="review">
      <div class="row">
        ${
          progress
            ? html`<button class="button small" onClick=${review.stop}>Stop the review</button>
              <progress max=${progress.total} value=${progress.done} aria-label="Review"></progress>`
            : html`<button class="button small" disabled=${line.length < 2}
              onClick=${() => review.run(line, values, pace)}>Review the game</button>
              <label class="row quiet pace"><select aria-label="Seconds per position" value=${pace}
                onChange=${(event) => setPace(Number(event.target.value))}>${PACES.map((seconds) => html`<option
                value=${seconds}>${seconds} s</option>`)}</select> per position</label>
              ${known && html`<button class="link" title="Clear the values" onClick=${clear}>Clear</button>`}`
        }
      </div>
      ${
        known &&
        html`
        <${ValueGraph} values=${byPly} judged=${signs} at=${Math.max(ply, 0)} roles=${roles}
          go=${(index) => go(line[index].id)} />
        <table class="mistakes" aria-label="Mistakes by side">
          <thead><tr><th></th>${COLUMNS.map(({ name, plural }) => html`<th scope="col"
            class=${`number ${name}`}>${plural}</th>`)}</tr></thead>
          <tbody>${roles.map((name, role) => html`<tr>
            <th scope="row">${name}</th>${COLUMNS.map((judgement) => html`<td
            class="number">${count(role, judgement.name)}</td>`)}</tr>`)}</tbody>
        </table>
      `
      }
    </div>
  `;
}
