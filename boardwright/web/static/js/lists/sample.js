/** A sample of what a run's newest net plays. */
import { html, useEffect, useState } from "../lib/ui.js";
import { useKeys } from "../lib/keys.js";
import { whileShown } from "../lib/retry.js";
import { Link, go, studyPath } from "../lib/router.js";
import { resultText } from "../lib/sides.js";
import { Replay, useReplay } from "./replay.js";

/** @param {{api: any, run: any, game: any, keys: any[]}} props `keys` of the page around it */
export function Sample({ api, run, game, keys }) {
  const [seed, setSeed] = useState(0);
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState({ record: null, error: null, busy: true, iteration: run.iteration });
  const [flip, setFlip] = useState(false);
  useEffect(() => {
    setState((before) => ({ ...before, error: null, busy: true, iteration: run.iteration }));
    return whileShown(
      api.sample(run.id, seed),
      (record) => setState((before) => ({ ...before, record: record && same(before.record, record) ? before.record : record, busy: false })),
      (error) => setState((before) => ({ ...before, record: null, error, busy: false })),
    );
  }, [run.id, seed, asked]);
  const { record, error, busy } = state;
  const later = !busy && !record && !error && run.iteration !== state.iteration;
  useEffect(() => {
    if (later) setAsked(asked + 1); // a new run has no net yet: ask again later
  }, [later]);
  const replay = useReplay(api, record);
  const path = record && replay.whole && studyPath({ ...record, ply: replay.at });
  useKeys([
    { keys: ["ArrowLeft"], says: "one move back", run: () => replay.go(replay.at - 1) },
    { keys: ["ArrowRight"], says: "one move forward", run: () => replay.go(replay.at + 1) },
    { keys: ["Home"], says: "the initial position", run: () => replay.go(0) },
    { keys: ["End"], says: "the last position", run: () => replay.go(replay.last) },
    { keys: [" "], says: "play the game, or pause", run: replay.toggle },
    { keys: ["f"], says: "flip the board", run: () => setFlip(!flip) },
    { keys: ["l"], says: "study this position", run: () => path && go(path) },
    { keys: ["n"], says: "another game", run: () => setSeed(seed + 1) },
    ...keys,
  ]);
  const newer = record && run.iteration > record.iteration;
  return html`
    <section class="panel" aria-labelledby="sample-title">
      <div class="row spread">
        <h2 id="sample-title">A game of the newest net</h2>
        <div class="row">
          ${newer && html`<button class="button small" onClick=${() => setAsked(asked + 1)} disabled=${busy}>Newest net</button>`}
          <button class="button small" onClick=${() => setSeed(seed + 1)} disabled=${busy}>Another game</button>
          <button class="button small" onClick=${() => setFlip(!flip)}>Flip</button>
          ${path && html`<${Link} to=${path} class="button small">Study</${Link}>`}
        </div>
      </div>
      <p class="quiet small" role="status">
        ${busy ? "Playing a sample game…" : error ? error.message : !record ? "This run has no playable net yet." : html`Net of iteration ${record.iteration} against itself: two random moves, then its most likely moves. ${resultText({ winner: record.result === 2 ? null : record.result, reason: record.reason }, game.roles)}.`}
      </p>
      ${record && html`<${Replay} replay=${replay} game=${game} flip=${flip} />`}
    </section>
  `;
}

/** Whether two answers are the same game, so that nothing jumps. */
const same = (one, other) => one && one.iteration === other.iteration && one.seed === other.seed && one.actions.join() === other.actions.join();
