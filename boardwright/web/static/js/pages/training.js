/** Training: which runs there are, how they come along, and what their newest net plays. */
import { classes, html, useEffect, useRef, useState, useTitle } from "../lib/ui.js";
import { notifyError } from "../lib/announce.js";
import { Curves, joinCurves } from "../lists/curves.js";
import { State } from "../lists/matches.js";
import { useGames, usePolled } from "../hooks/usePolled.js";
import { Sample } from "../lists/sample.js";
import { ago, large } from "../lib/format.js";
import { rename } from "../lib/router.js";

const LIST_MS = 4000;
const LIVE_MS = 2000;
const IDLE_MS = 10000;
const NOTHING = { curves: {}, figures: [], last: -1 };

export function Page({ api, params }) {
  const games = useGames(api);
  const [chosen, setChosen] = useState(params.run ?? null);
  const list = usePolled(api.runs, () => LIST_MS, "runs");
  useTitle("Training – Boardwright");
  useEffect(() => list.error && notifyError(list.error), [list.error]);
  if (!games || !list.answer) return html`<main class="plain" aria-busy="true"></main>`;
  const runs = list.answer;
  const run = runs.find((candidate) => candidate.id === chosen) ?? runs[0];
  if (!run) return html`<${NoRuns} />`;
  const choose = (id) => {
    setChosen(id);
    rename(`/training?run=${id}`);
  };
  const along = (step) => choose(runs[Math.min(Math.max(runs.indexOf(run) + step, 0), runs.length - 1)].id);
  const keys = [
    { keys: ["ArrowDown"], says: "the next run", run: () => along(1) },
    { keys: ["ArrowUp"], says: "the previous run", run: () => along(-1) },
  ];
  const game = games.find((candidate) => candidate.name === run.game);
  return html`
    <main class="plain training">
      <h1>Training</h1>
      <div class="training-columns">
        <nav class="panel" aria-label="Runs">
          <h2>Runs</h2>
          <ul class="run-list">${runs.map((one) => html`<${Entry} key=${one.id} run=${one} game=${games.find((candidate) => candidate.name === one.game)} shown=${one.id === run.id} choose=${choose} />`)}</ul>
        </nav>
        <div>
          <${RunMetrics} key=${`curves ${run.id}`} api=${api} run=${run} game=${game} />
          <${Sample} key=${`sample ${run.id}`} api=${api} run=${run} game=${game} keys=${keys} />
        </div>
      </div>
    </main>
  `;
}

const NoRuns = () => html`
  <main class="plain training">
    <h1>Training</h1>
    <section class="panel">
      <p>There are no training runs in this server's folder.</p>
      <p>Start one in a terminal, and it appears here:</p>
      <pre><code>boardwright train alphazero draughts --out runs/mine</code></pre>
      <p class="quiet"><code>boardwright serve --runs FOLDER</code> sets the folder.</p>
    </section>
  </main>
`;

function Entry({ run, game, shown, choose }) {
  return html`
    <li>
      <button class="entry" data-run=${run.name} aria-current=${shown ? "true" : undefined} onClick=${() => choose(run.id)}>
        <strong>${run.name}</strong>
        <span class="quiet">${game.title}, ${run.method} · ${run.iteration}/${run.iterations} · <${State} state=${run.state} /></span>
        <progress max=${run.iterations} value=${run.iteration} aria-label="Iterations done"></progress>
      </button>
    </li>
  `;
}

/** Everything a run measured, asked for piece by piece. */
function useCurves(api, run) {
  const known = useRef(NOTHING);
  async function ask() {
    // The last iteration comes again: more may have been added to it.
    let answer = await api.metrics(run.id, Math.max(known.current.last - 1, -1));
    if (answer.iteration < known.current.last) {
      known.current = NOTHING; // it was resumed from before what was shown, and measures that again
      answer = await api.metrics(run.id, -1);
    }
    known.current = { curves: joinCurves(known.current.curves, answer.scalars), figures: answer.figures, last: answer.iteration };
    return known.current;
  }
  const polled = usePolled(ask, () => (run.state === "running" ? LIVE_MS : IDLE_MS), run.id);
  useEffect(() => polled.error && notifyError(polled.error), [polled.error]);
  return polled.answer ?? NOTHING;
}

function RunMetrics({ api, run, game }) {
  const { curves, figures } = useCurves(api, run);
  return html`
    <section class="panel" aria-labelledby="run-title">
      <div class="row spread">
        <h2 id="run-title">${run.name}</h2>
        <span><${State} state=${run.state} /></span>
      </div>
      <p class=${classes("quiet", "run-facts")}>
        ${game.title} by ${run.method}, iteration <b data-iteration=${run.iteration}>${run.iteration}</b> of ${run.iterations}, ${large(run.frames)} frames, updated ${ago(run.updated)}
      </p>
      ${run.player && html`<p class="quiet small">Player spec: <code>${run.player}</code></p>`}
      ${figures.length > 0 && html`<${Curves} figures=${figures} curves=${curves} />`}
      ${Object.keys(curves).length > 0 && html`<p class="quiet small">x axis: frames. Faint: measured values; strong: rolling mean over iterations.</p>`}
    </section>
  `;
}
