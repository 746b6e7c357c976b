/** The analysis panel: start and stop, the candidates, the principal variation, and what to draw of them. */
import { classes, html, useEffect, useRef, useState } from "../lib/ui.js";
import { keyOf } from "../board/geometry.js";
import { outlineOfActions } from "../board/moves.js";
import { valueText } from "../lib/judgement.js";
import { playerName } from "../lib/sides.js";
import { OpponentChoice } from "./opponent.js";

const SHOWN = 6; // candidates in the list
const DRAWN = 3; // on the board
const MAX_LINE_MOVES = 12; // moves shown of the principal variation

/** The strength of each candidate relative to the best, 0 to 1, by visits or policy. */
function strengths(candidates) {
  const of = (candidate) => candidate.visits ?? candidate.policy ?? 0;
  const most = Math.max(...candidates.map(of), 1e-9);
  return candidates.map((candidate, index) =>
    candidates.some((other) => of(other) > 0) ? of(candidate) / most : 1 / (index + 1),
  );
}

/** The first candidates as moves to be drawn on the board; one alone if it is pointed at. */
export function consideredMoves(view, info, pointed) {
  const candidates =
    pointed === null ? (info?.candidates ?? []).slice(0, DRAWN) : [info?.candidates[pointed]].filter(Boolean);
  const shares = strengths(candidates);
  return candidates.flatMap((candidate, index) => {
    const outline = outlineOfActions(view.legal, candidate.actions);
    return outline
      ? [{ key: candidate.text, strength: shares[index], label: pointed === null ? String(index + 1) : "", ...outline }]
      : [];
  });
}

/** Shares of policy or visits by the cells moves lead to, the largest being 1; null if the engine reports none. */
export function heatOf(view, info, kind) {
  const sums = new Map();
  for (const candidate of info?.candidates ?? []) {
    const outline = outlineOfActions(view.legal, candidate.actions);
    if (!outline || !candidate[kind]) continue;
    const { path, cells } = outline;
    for (const cell of cells.length ? cells : path.slice(-1))
      sums.set(keyOf(cell), (sums.get(keyOf(cell)) ?? 0) + candidate[kind]);
  }
  const most = Math.max(...sums.values(), 0);
  return most > 0 ? { kind, shares: new Map([...sums].map(([key, sum]) => [key, sum / most])) } : null;
}

/** An engine's spec with the name of the run its net is from. */
const engineName = (agent) => playerName(null, agent);

const short = (count) =>
  count >= 1e6 ? `${(count / 1e6).toFixed(1)}M` : count >= 1e4 ? `${Math.round(count / 1e3)}k` : String(Math.round(count));

/** The text of the panel without figures; null if there are some. */
export function stateText({ on, paused, info, preparing }) {
  if (on && paused) return "Paused while the game is reviewed.";
  if (preparing) return "Preparing…";
  if (info && !info.waiting) return null;
  if (!on) return "Stopped.";
  return info ? "Waiting: another analysis is running." : "Starting…";
}

/**
 * @param {any} props `analysis` of useAnalysis; `play` plays a line of moves, `playConsidered` a candidate; `preview`
 * shows a line on the board, null ends that
 */
export function AnalysisPanel({ game, view, analysis, agent, setAgent, heat, setHeat, point, play, playConsidered, preview }) {
  const { on, setOn, paused, info } = analysis;
  const over = Boolean(view.outcome) || !view.legal.length;
  const total = info?.candidates.reduce((sum, candidate) => sum + (candidate.visits ?? 0), 0) || 0;
  const names = { depth: "depth", nodes: "nodes", simulations: "simulations", nps: "per second" };
  const figures = info && Object.keys(names).filter((name) => info[name]);
  const said = over ? "The game is over." : stateText(analysis);
  const state = !on ? "stopped" : paused || info?.waiting ? "waiting" : info ? "running" : "starting";
  return html`
    <section class="panel analysis" aria-label="Analysis">
      <div class="row spread">
        <button class=${classes("button", { primary: !on })} aria-pressed=${on} disabled=${over && !on}
          onClick=${() => setOn(!on)} title="Analysis (l)">${on ? "Stop" : "Analyse"}</button>
        <div class="row" role="group" aria-label="Heat maps">
          ${["policy", "visits"].map((kind) => html`<button class="button small" aria-pressed=${heat === kind}
            onClick=${() => setHeat(heat === kind ? null : kind)}>${kind === "policy" ? "Policy map" : "Visit map"}</button>`)}
        </div>
      </div>
      <details class="engine"><summary>Engine: <code>${engineName(agent)}</code></summary><${OpponentChoice}
        game=${game} rules=${view.rules} spec=${agent} setSpec=${setAgent} legend="Analyse with" /></details>
      <p class="figures" role="status" aria-live="off" data-analysis=${state}>
        ${said ?? figures.map((name) => html`<span>${short(info[name])} ${names[name]}</span>`)}
      </p>
      ${
        info?.candidates.length > 0 &&
        html`
        <div class="candidates-box">
          <table class="candidates">
            <thead><tr><th scope="col">Move</th><th scope="col" class="number">Visits</th><th scope="col"
              class="number">Policy</th><th scope="col" class="number"
              title=${`1 is a win for ${game.roles[0]}`}>Value</th></tr></thead>
            <tbody>
              ${info.candidates.slice(0, SHOWN).map(
                (
                  candidate,
                  index,
                ) => html`<tr key=${candidate.text} onMouseEnter=${() => point(index)} onMouseLeave=${() => point(null)}>
                  <td><button class="move" onFocus=${() => point(index)} onBlur=${() => point(null)}
                    onClick=${() => playConsidered(candidate)}>${candidate.text}</button></td>
                  <td class="number">${candidate.visits === null ? "–" : html`<span class="visit-share"
                    style=${{ "--share": `${total ? (100 * candidate.visits) / total : 0}%` }}>${short(candidate.visits)}</span>`}</td>
                  <td class="number">${candidate.policy === null ? "–" : `${(100 * candidate.policy).toFixed(1)}%`}</td>
                  <td class="number">${valueText(candidate.value)}</td>
                </tr>`,
              )}
            </tbody>
          </table>
        </div>
        ${heat && info.candidates.every((candidate) => !candidate[heat]) && html`<p
          class="quiet figures">This engine reports no ${heat}: choose another one.</p>`}
        ${info.line.length > 0 && html`<${Line} line=${info.line.slice(0, MAX_LINE_MOVES)} play=${play} preview=${preview} />`}
      `
      }
    </section>
  `;
}

const STEP_MS = 550;

/** The principal variation. Pointing at it plays it out; pointing at a move shows the board after that move. */
function Line({ line, play, preview }) {
  const timer = useRef(0);
  const [shown, setShown] = useState(null);
  const show = (count) => {
    clearTimeout(timer.current);
    setShown(count);
    preview(count === null ? null : line.slice(0, count));
  };
  const stop = () => show(null);
  const runFrom = (count) => {
    show(count);
    if (count < line.length) timer.current = setTimeout(runFrom, STEP_MS, count + 1);
  };
  const run = () => runFrom(1);
  useEffect(() => stop, []);
  return html`
    <p class="pv" onMouseLeave=${stop}>
      <button class="icon small" aria-label="Play the variation out on the board" title="Play the variation out"
        onMouseEnter=${run} onFocus=${run} onBlur=${stop}>▶</button>
      ${line.map((move, index) => html`<button key=${index} class=${classes("move", { shown: shown === index + 1 })}
        onMouseEnter=${() => show(index + 1)} onFocus=${() => show(index + 1)} onBlur=${stop}
        onClick=${() => play(line.slice(0, index + 1))}>${move.text}</button>`)}
    </p>
  `;
}
