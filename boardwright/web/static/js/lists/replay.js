/** A game to step through: the board, its moves, and buttons to go along them. */
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { announce } from "../lib/announce.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { Trays } from "../board/tray.js";
import { MoveList, Steps } from "../panels/moves.js";
import { whileShown } from "../lib/retry.js";
import { namesByColour } from "../lib/sides.js";

const STEP_MS = 700;

/**
 * The current place in a game, and what moves it. `record` is {game, rules, start, actions}, or null before it is loaded.
 * @returns {{whole: any, view: any, at: number, last: number, go: (to: number) => void, playing: boolean, toggle: () => void}}
 */
export function useReplay(api, record) {
  const [whole, setWhole] = useState(null);
  const [at, setAt] = useState(0);
  const [view, setView] = useState(null);
  const [playing, setPlaying] = useState(false);
  const last = whole?.line.length ?? 0;
  useEffect(() => {
    setWhole(null);
    setView(null);
    setPlaying(false);
    if (!record) return undefined;
    const { game, rules, start, actions } = record;
    return whileShown(api.position({ game, rules, start, actions }), (answer) => {
      setWhole(answer);
      setAt(answer.line.length);
    });
  }, [record]);
  useEffect(() => {
    if (!whole) return undefined;
    const actions = whole.line.slice(0, at).flatMap((move) => move.actions);
    return whileShown(api.position({ game: whole.game, rules: whole.rules, start: whole.start, actions }), setView);
  }, [whole, at]);
  const go = (to) => setAt(Math.min(Math.max(to, 0), last));
  useEffect(() => {
    if (!playing) return undefined;
    if (at >= last) return setPlaying(false);
    const timer = setTimeout(() => go(at + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [playing, at, last]);
  const toggle = () => {
    if (!playing && at >= last) setAt(0);
    setPlaying(!playing);
  };
  return { whole, view, at, last, go, playing, toggle };
}

/** @param {{replay: any, game: any, flip: boolean}} props */
export function Replay({ replay, game, flip }) {
  if (!replay.view) return html`<div class="replay" aria-busy="true"></div>`;
  return html`<${LoadedReplay} replay=${replay} game=${game} flip=${flip} />`;
}

function LoadedReplay({ replay, game, flip }) {
  const { view, whole, at, last, go, playing, toggle } = replay;
  const input = useInput(view, false, () => {});
  const before = useRef(at);
  useEffect(() => {
    if (before.current !== at && !playing) announce(at ? `Move ${at}: ${whole.line[at - 1].text}` : "The initial position");
    before.current = at;
  }, [at]);
  return html`
    <div class="replay" data-at=${at}>
      <div class="replay-board"><${Board} view=${view} input=${input} flip=${flip} roles=${namesByColour(view, game.roles)} label=${view.scene.title} /></div>
      <div class="replay-side">
        ${input.trays.length > 0 && html`<details><summary>Pieces in hand</summary><${Trays} input=${input} /></details>`}
        <${MoveList} line=${whole.line} current=${at} go=${go} />
        <${Steps} at=${at} last=${last} go=${go} />
        <button class="button small" aria-pressed=${playing} onClick=${toggle}>${playing ? "Pause" : "Play"}</button>
      </div>
    </div>
  `;
}
