/** The analysis board: any position or game, an engine that thinks aloud, variations, and a review. */
import { classes, html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { announce, notify, notifyError } from "../lib/announce.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { Trays } from "../board/tray.js";
import { useFirstPosition } from "../hooks/useFirstPosition.js";
import { finalValue, judgeLine } from "../lib/judgement.js";
import { useKeys } from "../lib/keys.js";
import { ladderOf, plays } from "../lib/ladder.js";
import { AnalysisPanel, consideredMoves, heatOf, useAnalysis, useAnswers } from "../panels/analysis.js";
import { Files } from "../panels/files.js";
import { OtherMoves, Steps, TypedMove } from "../panels/moves.js";
import { ReviewPanel, useReview } from "../panels/review.js";
import { ValueBar } from "../panels/valuebar.js";
import { Variations } from "../panels/variations.js";
import { retryUntilAnswered } from "../lib/retry.js";
import { endOf, movesOf, playedGame, rememberPlayed } from "../lib/played.js";
import { go, rename, studyPath } from "../lib/router.js";
import { beginsAbove, colourOf, namesByColour, resultText } from "../lib/sides.js";
import { remember, remembered, useRemembered } from "../lib/storage.js";
import { addLine, lineThrough, mainLine, newTree, promote, remove } from "../lib/tree.js";

const RENAME_MS = 150; // browsers allow the address only so many changes a second

export function Page({ api, socket, params }) {
  const [games, setGames] = useState(null);
  useEffect(() => retryUntilAnswered(api.games, setGames), []);
  const game = games?.find((candidate) => candidate.name === params.game);
  useEffect(() => {
    if (!games || game) return;
    if (params.game) notify(`there is no game ${params.game}`);
    const last = games.find((candidate) => candidate.name === remembered("study-game", "")) ?? games[0];
    go(studyPath({ game: last.name, rules: last.default_rules }), true);
  }, [games, game]);
  const [opened, setOpened] = useState({ number: 0, params: null }); // and {view, played}: what an address named
  // Whoever goes to the same address again gets new params, and the line from its beginning: it has been played on.
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

/** The position and line an address names, and what else is known of the game it is. */
async function open(api, game, { rules, start, actions, record }) {
  const named = { game: game.name, rules: rules ?? game.default_rules, start, actions };
  const played = record ? { game: game.name, ...(await api.record(record)).record } : playedGame(named);
  if (record) rememberPlayed(played);
  return { view: await api.position(movesOf(played ?? named)), played };
}

/** The net that leads the ladder, with its search; where none does, a search without one. */
function defaultAgent(game, rules) {
  const best = ladderOf(game, rules).at(-1).spec;
  const names = game.players.map((player) => player.name);
  return /^(zero|alphabeta):net=/.test(best) ? best : (["alphabeta", "mc"].find((name) => names.includes(name)) ?? best);
}

/**
 * @param {any} props `opened` the end of the line to begin with; `played` the game it is, if it is a known one; `asked`
 * what the address says
 */
function Study({ api, socket, games, game, opened, played, asked }) {
  const { rules, start } = opened;
  const [tree, setTree] = useState(() => addLine(newTree(), "n0", opened.line)[0]);
  const [at, setAt] = useState(
    () => (asked.ply === null ? mainLine(tree).at(-1) : (mainLine(tree)[asked.ply] ?? mainLine(tree).at(-1))).id,
  );
  const [view, setView] = useState(opened);
  const [shown, setShown] = useState(null); // the board after a line that is pointed at
  const [values, setValues] = useState({});
  const [flip, setFlip] = useState(asked.flip);
  const first = useFirstPosition(api, game.name, rules);
  const above = first !== null && beginsAbove(first, game.roles, 0); // whether role 0 has the upper side of the board
  const [heat, setHeat] = useRemembered("heat", null);
  const [engine, setEngine] = useRemembered(`engine:${game.name}`, defaultAgent(game, rules));
  const [chosen, setChosen] = useState(null); // here and now: if it does not play by these rules, the server says so
  const agent = chosen ?? (plays(game, rules, engine) ? engine : defaultAgent(game, rules));
  const setAgent = (spec) => {
    setChosen(spec);
    setEngine(spec);
  };
  const [pointed, setPointed] = useState(null);
  const node = tree.nodes[at];
  const line = useMemo(() => lineThrough(tree, at), [tree, at]);
  const ready = view.actions.join() === node.actions.join();
  const setValue = (id, value) => setValues((before) => ({ ...before, [id]: value }));
  const review = useReview(api, socket, { game: game.name, rules, start }, agent, setValue);
  const analysis = useAnalysis(socket, ready ? view : null, agent, Boolean(review.progress));
  const { info } = analysis;
  const wholeLine = { game: game.name, rules, start, actions: line.at(-1).actions };
  const known = played?.actions.join() === wholeLine.actions.join() ? played : null; // not of other lines

  useEffect(() => {
    setShown(null);
    setPointed(null);
    if (node.move) announce(`${node.move.role === null ? "Chance" : game.roles[node.move.role]}: ${node.move.text}`);
    return retryUntilAnswered(() => api.position({ game: game.name, rules, start, actions: node.actions }), setView);
  }, [at]);
  useEffect(() => {
    const path = studyPath({ ...wholeLine, ply: node.depth === line.length - 1 ? undefined : node.depth, flip });
    const timer = setTimeout(() => rename(path), RENAME_MS);
    return () => clearTimeout(timer);
  }, [line, flip]);
  useEffect(() => {
    document.title = `Study ${game.title} – Boardwright`;
  }, []);
  useEffect(() => {
    if (info?.value !== null && info?.value !== undefined) setValue(at, info.value);
  }, [info]);
  useEffect(() => {
    if (ready && view.outcome) setValue(at, finalValue(view.outcome));
  }, [view]);

  const play = (moves) => {
    const [grown, end] = addLine(
      tree,
      at,
      moves.map((move, index) => ({ ...move, role: move.role ?? (index ? null : view.to_move) })),
    );
    if (moves.length > 1) {
      api
        .position({ game: game.name, rules, start, actions: grown.nodes[end].actions })
        .then((reached) => {
          const [named, last] = addLine(tree, at, reached.line.slice(node.depth));
          setTree(named);
          setAt(last);
        })
        .catch(notifyError);
      return;
    }
    setTree(grown);
    setAt(end);
  };
  const input = useInput(view, ready && !shown && !view.outcome, (move) =>
    play([{ text: move.text, actions: move.actions, role: view.to_move }]),
  );
  const typed = (text) =>
    api
      .position({ game: game.name, rules, start, actions: node.actions, moves: [text] })
      .then((reached) => play([reached.line.at(-1)]))
      .catch((error) => {
        notifyError(error);
        return false;
      });
  const pending = useRef(0);
  const preview = (moves) => {
    const asked = ++pending.current;
    if (!moves) return setShown(null);
    api
      .position({ game: game.name, rules, start, actions: [...node.actions, ...moves.flatMap((move) => move.actions)] })
      .then((next) => asked === pending.current && setShown(next))
      .catch(() => {});
  };
  /** A move the engine considers; of some it only tells how they begin, and half a move is none. */
  const playConsidered = ({ text, actions }) => {
    const whole = view.legal.some((move) => move.actions.join() === actions.join());
    if (whole) play([{ text, actions, role: view.to_move }]);
    else notify(`${text} goes on in several ways: make the move on the board`);
  };
  const best = () => {
    const move = info?.line[0] ?? info?.candidates[0];
    if (move) playConsidered(move);
    else notify("Start the analysis first (l)");
  };
  const step = (to) => setAt(line[Math.min(Math.max(to, 0), line.length - 1)].id);
  const sibling = (by) => {
    const siblings = node.parent === null ? [at] : tree.nodes[node.parent].children;
    setAt(siblings[(siblings.indexOf(at) + by + siblings.length) % siblings.length]);
  };
  useKeys([
    { keys: ["ArrowLeft"], says: "one move back", run: () => step(node.depth - 1) },
    { keys: ["ArrowRight"], says: "one move forward", run: () => step(node.depth + 1) },
    { keys: ["ArrowUp"], says: "the variation before", run: () => sibling(-1) },
    { keys: ["ArrowDown"], says: "the next variation", run: () => sibling(1) },
    { keys: ["Home"], says: "the first position", run: () => step(0) },
    { keys: ["End"], says: "the last position", run: () => step(line.length - 1) },
    { keys: ["l"], says: "analysis on and off", run: () => analysis.setOn(!analysis.on) },
    { keys: [" "], says: "play the engine's best move", run: best },
    { keys: ["f"], says: "flip the board", run: () => setFlip((before) => !before) },
    { keys: ["p"], says: "take the next piece", run: () => input.chooseNext() },
    { keys: ["r"], says: "rotate the piece in hand", run: () => input.rotate(1) },
    { keys: ["Escape"], says: "put the piece down again", run: () => input.cancel() },
  ]);

  const answers = useAnswers(api, ready ? view : null, info);
  const board = shown ?? view;
  const judged = useMemo(() => judgeLine(line, values), [line, values]);
  const considered = useMemo(
    () => (shown || !ready ? [] : [...consideredMoves(view, info, pointed), ...(pointed === null ? answers : [])]),
    [shown, ready, view, info, pointed, answers],
  );
  const map = useMemo(
    () => (shown || !heat || !ready ? null : heatOf(view, info, heat)),
    [shown, heat, ready, view, info],
  );
  const outcome = view.outcome ?? (ready && at === line.at(-1).id ? endOf(known) : null);
  const status = shown
    ? "What the engine expects"
    : outcome
      ? resultText(outcome, game.roles)
      : view.scene.caption;
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
          class=${`side-dot colour-${board.scene.to_move ?? "none"}`}></i> ${status}</p>
      </div>
      ${input.trays.length > 0 && html`<div class="stage-hands panel"><${Trays} input=${input} /></div>`}
      <div class="stage-side">
        <${AnalysisPanel} game=${game} view=${view} analysis=${analysis} agent=${agent} setAgent=${setAgent}
          heat=${heat} setHeat=${setHeat} point=${setPointed} play=${play} playConsidered=${playConsidered} preview=${preview} />
        <section class="panel game-panel" aria-label="Game">
          <${OtherMoves} legal=${input.legal} onMove=${(move) => play([{ ...move, role: view.to_move }])} />
          <${Variations} tree=${tree} current=${at} go=${setAt} judged=${judged} />
          <div class="row"><${Steps} at=${node.depth} last=${line.length - 1} go=${step} /><button class="icon"
            aria-label="Flip the board" title="Flip (f)" onClick=${() => setFlip(!flip)}>⇅</button></div>
          <${ReviewPanel} review=${review} line=${line} values=${values} at=${at} go=${setAt} roles=${game.roles}
            clear=${() => setValues({})} begin=${asked.review} />
          <${TypedMove} legal=${input.legal} onMove=${(move) => play([{ ...move, role: view.to_move }])} onText=${typed}
            disabled=${!input.enabled} />
          <div class="row actions">
            <button class="button small" disabled=${node.parent === null}
              onClick=${() => setTree(promote(tree, at))}>Make main line</button>
            <button class="button small" disabled=${node.parent === null} onClick=${() => {
              const [smaller, parent] = remove(tree, at);
              setAt(parent);
              setTree(smaller);
            }}>Delete from here</button>
          </div>
        </section>
        <${Files} games=${games} game=${game} view=${view} record=${{ ...wholeLine, ...known }} />
      </div>
    </main>
  `;
}
