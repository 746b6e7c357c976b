/** The analysis board: any position or game, an engine that analyses, variations, and a review. */
import { classes, html, useEffect, useMemo, useState, useTitle } from "../lib/ui.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { Trays } from "../board/tray.js";
import { useAnalysis, useLaterMoves } from "../hooks/useAnalysis.js";
import { useAnalysisAgent } from "../hooks/useAnalysisAgent.js";
import { useFirstPosition } from "../hooks/useFirstPosition.js";
import { useReview } from "../hooks/useReview.js";
import { usePreview, useStudyAddress, useStudyTree } from "../hooks/useStudyTree.js";
import { notify, notifyError } from "../lib/announce.js";
import { judgeLine } from "../lib/judgement.js";
import { useKeys } from "../lib/keys.js";
import { endOf, movesOf, playedGame, rememberPlayed } from "../lib/recordedGames.js";
import { retryUntilAnswered } from "../lib/retry.js";
import { go, studyPath } from "../lib/router.js";
import { beginsAbove, colourOf, namesByColour, resultText } from "../lib/sides.js";
import { readStored, remember, useRemembered } from "../lib/storage.js";
import { AnalysisPanel, consideredMoves, heatOf } from "../panels/analysis.js";
import { Files } from "../panels/files.js";
import { OtherMoves, Steps, TypedMove } from "../panels/moves.js";
import { ReviewPanel } from "../panels/review.js";
import { ValueBar } from "../panels/valuebar.js";
import { Variations } from "../panels/variations.js";

export function Page({ api, socket, params }) {
  const [games, setGames] = useState(null);
  useEffect(() => retryUntilAnswered(api.games, setGames), []);
  const game = games?.find((candidate) => candidate.name === params.game);
  useEffect(() => {
    if (!games || game) return;
    if (params.game) notify(`unknown game ${params.game}`);
    const last = games.find((candidate) => candidate.name === readStored("study-game", "")) ?? games[0];
    go(studyPath({ game: last.name, rules: last.default_rules }), true);
  }, [games, game]);
  const [opened, setOpened] = useState({ number: 0, params: null }); // and {view, played}: what the address names
  // A link to the same address makes new params, and so opens the line again as it was.
  useEffect(() => {
    if (!game) return undefined;
    remember("study-game", game.name);
    return retryUntilAnswered(
      () => open(api, game, params),
      (found) => setOpened(({ number }) => ({ number: number + 1, params, ...found })),
      (error) => {
        notifyError(error);
        const plain = studyPath({ game: game.name, rules: game.default_rules });
        if (location.pathname + location.search !== plain) go(plain, true);
      },
    );
  }, [params, game]);
  if (!game || opened.params !== params) return html`<main class="stage" aria-busy="true"></main>`;
  return html`<${Study} key=${opened.number} api=${api} socket=${socket} games=${games}
    game=${game} opened=${opened.view} played=${opened.played} asked=${params} />`;
}

/** The position and line that an address names, and the recorded game of it, if known. */
async function open(api, game, { rules, start, actions, record }) {
  const named = { game: game.name, rules: rules ?? game.default_rules, start, actions };
  const played = record ? { game: game.name, ...(await api.record(record)).record } : playedGame(named);
  if (record) rememberPlayed(played);
  return { view: await api.position(movesOf(played ?? named)), played };
}

/**
 * @param {any} props `opened` the view at the end of the first line; `played` the recorded game of that line, if known;
 * `asked` the parameters of the address
 */
function Study({ api, socket, games, game, opened, played, asked }) {
  const { rules, start } = opened;
  const study = useStudyTree(api, game, opened, asked.ply);
  const { at, view, node, line, ready, values, play, step } = study;
  const [flip, setFlip] = useState(asked.flip);
  const [heat, setHeat] = useRemembered("heat", null);
  const [pointed, setPointed] = useState(null); // index of the candidate that is pointed at
  const [agent, setAgent] = useAnalysisAgent(game, rules);
  const [shown, preview] = usePreview(study);
  const review = useReview(api, socket, { game: game.name, rules, start }, agent, study.setValue);
  const analysis = useAnalysis(socket, ready ? view : null, agent, Boolean(review.progress));
  const { info } = analysis;
  const later = useLaterMoves(api, ready ? view : null, info);
  const first = useFirstPosition(api, game.name, rules);
  const above = first !== null && beginsAbove(first, game.roles, 0); // whether role 0 has the upper side of the board
  const known = played?.actions.join() === study.wholeLine.actions.join() ? played : null; // not for other lines
  useStudyAddress(study, flip);
  useEffect(() => setPointed(null), [at]);
  useTitle(`Study ${game.title} – Boardwright`);
  useEffect(() => {
    if (info?.value !== null && info?.value !== undefined) study.setValue(at, info.value);
  }, [info]);
  const input = useInput(view, ready && !shown && !view.outcome, (move) => play([move]));

  /** Plays a candidate, unless it is only the beginning of several moves. */
  const playConsidered = ({ text, actions }) => {
    const whole = view.legal.some((move) => move.actions.join() === actions.join());
    if (whole) play([{ text, actions }]);
    else notify(`${text} is ambiguous: make the move on the board`);
  };
  const playBest = () => {
    const move = info?.line[0] ?? info?.candidates[0];
    if (move) playConsidered(move);
    else notify("Start the analysis first (l)");
  };
  useKeys([
    { keys: ["ArrowLeft"], says: "one move back", run: () => step(node.depth - 1) },
    { keys: ["ArrowRight"], says: "one move forward", run: () => step(node.depth + 1) },
    { keys: ["ArrowUp"], says: "the previous variation", run: () => study.sibling(-1) },
    { keys: ["ArrowDown"], says: "the next variation", run: () => study.sibling(1) },
    { keys: ["Home"], says: "the initial position", run: () => step(0) },
    { keys: ["End"], says: "the last position", run: () => step(line.length - 1) },
    { keys: ["l"], says: "analysis on and off", run: () => analysis.setOn(!analysis.on) },
    { keys: [" "], says: "play the engine's best move", run: playBest },
    { keys: ["f"], says: "flip the board", run: () => setFlip((before) => !before) },
    { keys: ["p"], says: "pick up the next piece", run: () => input.chooseNext() },
    { keys: ["r"], says: "rotate the piece in hand", run: () => input.rotate(1) },
    { keys: ["Escape"], says: "put the piece back", run: () => input.cancel() },
  ]);

  const board = shown ?? view;
  const judged = useMemo(() => judgeLine(line, values), [line, values]);
  const considered = useMemo(
    () => (shown || !ready ? [] : [...consideredMoves(view, info, pointed), ...(pointed === null ? later : [])]),
    [shown, ready, view, info, pointed, later],
  );
  const drawMap = !shown && heat && ready;
  const map = useMemo(() => (drawMap ? heatOf(view, info, heat) : null), [drawMap, heat, view, info]);
  const outcome = view.outcome ?? (ready && at === line.at(-1).id ? endOf(known) : null);
  const result = outcome ? resultText(outcome, game.roles) : view.scene.caption;
  return html`
    <main class=${classes("stage study", { handed: input.trays.length })}>
      <h1 class="unseen">Study of ${game.title}</h1>
      <div class="stage-board">
        <div class="with-bar">
          <${ValueBar} value=${values[at] ?? null} roles=${game.roles} colour=${colourOf(view, game.roles, 0)}
            below=${above === flip} />
          <${Board} view=${board} input=${input} flip=${flip}
            roles=${namesByColour(board, game.roles)} considered=${considered} heat=${map} label=${board.scene.title} />
        </div>
        <p class="status" data-status=${view.outcome ? "over" : shown ? "shown" : "open"}><i
          class=${`side-dot colour-${board.scene.to_move ?? "none"}`}></i> ${shown ? "Principal variation" : result}</p>
      </div>
      ${input.trays.length > 0 && html`<div class="stage-hands panel"><${Trays} input=${input} /></div>`}
      <div class="stage-side">
        <${AnalysisPanel} game=${game} view=${view} analysis=${analysis} agent=${agent} setAgent=${setAgent}
          heat=${heat} setHeat=${setHeat} point=${setPointed} play=${play} playConsidered=${playConsidered} preview=${preview} />
        <section class="panel game-panel" aria-label="Game">
          <${OtherMoves} legal=${input.legal} onMove=${(move) => play([move])} />
          <${Variations} tree=${study.tree} current=${at} go=${study.go} judged=${judged} />
          <div class="row"><${Steps} at=${node.depth} last=${line.length - 1} go=${step} /><button class="icon"
            aria-label="Flip the board" title="Flip (f)" onClick=${() => setFlip(!flip)}>⇅</button></div>
          <${ReviewPanel} review=${review} line=${line} values=${values} at=${at} go=${study.go} roles=${game.roles}
            clear=${study.clearValues} begin=${asked.review} />
          <${TypedMove} legal=${input.legal} onMove=${(move) => play([move])} onText=${study.playText}
            disabled=${!input.enabled} />
          <div class="row actions">
            <button class="button small" disabled=${node.parent === null}
              onClick=${study.promote}>Make main line</button>
            <button class="button small" disabled=${node.parent === null} onClick=${study.remove}>Delete from here</button>
          </div>
        </section>
        <${Files} games=${games} game=${game} view=${view} record=${{ ...study.wholeLine, ...known }} />
      </div>
    </main>
  `;
}
