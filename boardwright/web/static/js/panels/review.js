/** Going through a whole game with an engine: the value of every position, and what it says about the moves. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { notify, notifyError } from "../lib/announce.js";
import { finalValue, judgeLine } from "../lib/judgement.js";
import { useRemembered } from "../lib/storage.js";
import { ValueGraph } from "./graph.js";

const PACES = [0.1, 0.3, 1, 3]; // seconds a position
const LEAST_MS = 100; // a position, however fast the engine: the server hears a page 20 times a second

/** One position's value from an analysis of some seconds; `stops` is where to put what ends it. */
function valueOf(socket, view, agent, seconds, stops) {
  const { game, rules, start, actions } = view;
  return new Promise((resolve, reject) => {
    let value = null;
    const began = performance.now();
    const stop = socket.analyse(
      { game, rules, start, actions, agent, seconds },
      {
        info: (info) => (value = info.value ?? value),
        done: () => {
          const left = began + LEAST_MS - performance.now();
          if (left > 0) setTimeout(resolve, left, value);
          else resolve(value); // at once: a timer may be slow in a window that is not shown
        },
        failed: (why) => reject(new Error(`The review has stopped: ${why}`)),
      },
    );
    stops.current = () => {
      stop();
      resolve(null);
    };
  });
}

/** Runs over the positions of a line that have no value yet. */
export function useReview(api, socket, { game, rules, start }, agent, setValue) {
  const [progress, setProgress] = useState(null); // {done, total} while it runs
  const stops = useRef(() => {});
  const running = useRef(false);
  const stop = () => {
    running.current = false;
    stops.current();
    setProgress(null);
  };
  useEffect(() => stop, []);
  async function run(line, values, seconds) {
    running.current = true;
    const missing = line.filter((node) => values[node.id] === undefined);
    try {
      for (const [done, node] of missing.entries()) {
        setProgress({ done, total: missing.length });
        const view = await api.position({ game, rules, start, actions: node.actions });
        if (!running.current) return;
        const value = view.outcome ? finalValue(view.outcome) : await valueOf(socket, view, agent, seconds, stops);
        if (!running.current) return;
        if (value !== null) setValue(node.id, value);
      }
      if (missing.length) notify("The review is complete.");
    } catch (error) {
      notifyError(error);
    } finally {
      running.current = false;
      setProgress(null);
    }
  }
  return { progress, run, stop };
}

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
              <label class="row quiet pace"><select aria-label="Seconds a position" value=${pace}
                onChange=${(event) => setPace(Number(event.target.value))}>${PACES.map((seconds) => html`<option
                value=${seconds}>${seconds} s</option>`)}</select> a position</label>
              ${known && html`<button class="link" title="Forget the values" onClick=${clear}>Forget</button>`}`
        }
      </div>
      ${
        known &&
        html`
        <${ValueGraph} values=${byPly} judged=${signs} at=${Math.max(ply, 0)} roles=${roles}
          go=${(index) => go(line[index].id)} />
        <table class="slips" aria-label="Mistakes by side">
          <thead><tr><th></th>${["slip", "mistake", "blunder"].map((name) => html`<th scope="col"
            class=${`number ${name}`}>${name}s</th>`)}</tr></thead>
          <tbody>${roles.map((name, role) => html`<tr>
            <th scope="row">${name}</th>${["slip", "mistake", "blunder"].map((kind) => html`<td
            class="number">${count(role, kind)}</td>`)}</tr>`)}</tbody>
        </table>
      `
      }
    </div>
  `;
}
