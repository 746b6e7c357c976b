/** A game against a player: the board, the clocks, the moves, and how it ended. */
import { capital, classes, html, useEffect, useRef, useState, useTitle } from "../lib/ui.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { Trays } from "../board/tray.js";
import { useFirstPosition } from "../hooks/useFirstPosition.js";
import { useConnection, useLiveGame, useLookBack, useRunNames } from "../hooks/useLiveGame.js";
import { announce, notifyError } from "../lib/announce.js";
import { useKeys } from "../lib/keys.js";
import { rulesTitle } from "../lib/ladder.js";
import { MoveList, OtherMoves, Steps, TypedMove } from "../panels/moves.js";
import { PlayerStrip } from "../panels/players.js";
import { Resign, ResultDialog } from "../panels/result.js";
import { toRecord, rememberPlayed } from "../lib/recordedGames.js";
import { go, studyPath } from "../lib/router.js";
import { beginsAbove, colourOf, namesByColour, playerName, resultText } from "../lib/sides.js";

export function Page({ api, socket, params }) {
  const { live, readAt, receive } = useLiveGame(api, socket, params.id);
  const [games, setGames] = useState(null);
  useEffect(() => {
    api.games().then(setGames).catch(notifyError);
  }, []);
  const first = useFirstPosition(api, live?.game, live?.rules);
  const loss = useConnection(socket);
  useRunNames(api, live?.opponent);
  const game = games?.find((candidate) => candidate.name === live?.game);
  if (!game || first?.game !== live.game || first.rules !== live.rules) return html`<main class="stage" aria-busy="true"></main>`;
  return html`<${GameView} key=${live.id} api=${api} live=${live} readAt=${readAt} receive=${receive} game=${game} first=${first} ...${loss} />`;
}

function GameView({ api, live, readAt, receive, game, first, lost, lostAt }) {
  const back = useLookBack(api, live);
  const [busy, setBusy] = useState(false);
  const [flip, setFlip] = useState(() => beginsAbove(first, game.roles, live.human));
  const [asking, setAsking] = useState(false);
  const view = back.view ?? live.view;
  const mine = !live.result && live.view.to_move === live.human;
  const { game: name, rules, start } = live.view;

  const act = (request) => {
    setBusy(true);
    return request
      .then(receive)
      .catch(async (error) => {
        notifyError(error);
        input.cancel();
        await api.liveGame(live.id)
          .then(receive)
          .catch(() => {});
        return false; // what was typed stays
      })
      .finally(() => setBusy(false));
  };
  const move = (chosen) => act(api.move(live.id, { actions: chosen.actions, version: live.version }));
  const input = useInput(view, mine && !busy && !back.view, move);
  const canUndo = !live.result && !busy && live.view.line.some((played) => played.role === live.human);
  const undo = () => canUndo && act(api.undo(live.id));
  const tryAgain = () => act(api.liveGame(live.id)); // requesting a game retries its player
  const study = (asked = {}) => {
    const { actions } = live.view;
    if (live.result) rememberPlayed({ game: name, rules, start, actions, ...toRecord(live) });
    go(studyPath({ game: name, rules, start, actions, ply: back.at, flip, ...asked }));
  };
  const again = () =>
    api.again(live.id)
      .then(({ id }) => go(`/play/${id}`))
      .catch(notifyError);

  useTitle(`${game.title} – Boardwright`);
  useSpoken(live, game.roles);
  useKeys([
    { keys: ["ArrowLeft"], says: "one move back", run: () => back.to(back.at - 1) },
    { keys: ["ArrowRight"], says: "one move forward", run: () => back.to(back.at + 1) },
    { keys: ["Home", "ArrowUp"], says: "the initial position", run: () => back.to(0) },
    { keys: ["End", "ArrowDown"], says: "the current position", run: () => back.to(live.view.line.length) },
    { keys: ["f"], says: "flip the board", run: () => setFlip((before) => !before) },
    { keys: ["p"], says: "pick up the next piece", run: () => input.chooseNext() },
    { keys: ["r"], says: "rotate the piece in hand", run: () => input.rotate(1) },
    { keys: ["u"], says: "undo", run: undo },
    { keys: ["l"], says: "study this position", run: () => study() },
    { keys: ["Escape"], says: "put the piece back", run: () => input.cancel() },
  ]);

  const names = [0, 1].map((role) => (role === live.human ? "You" : playerName(game, live.opponent)));
  const note = lost ? "" : live.preparing ? "preparing" : live.thinking ? "thinking" : "";
  const strip = (role) => html`
    <${PlayerStrip} name=${names[role]} role=${role} colour=${colourOf(live.view, game.roles, role)} roleName=${game.roles[role]}
      clock=${live.clock} readAt=${readAt} lostAt=${lostAt} turn=${!live.result && live.view.to_move === role} note=${role === live.human ? "" : note} />
  `;
  const typed = (text) => act(api.move(live.id, { text, version: live.version }));
  const status = live.result
    ? resultText(live.result, game.roles)
    : mine
      ? "Your move"
      : live.view.to_move === null
        ? "Chance moves"
        : `${capital(game.roles[live.view.to_move])} to move`;
  return html`
    <main class=${classes("stage at-play", { handed: input.trays.length })}>
      <h1 class="unseen">${game.title} against ${names[1 - live.human]}</h1>
      <div class="stage-board">
        ${strip(1 - live.human)}
        <${Board} view=${view} input=${input} flip=${flip} roles=${namesByColour(view, game.roles)} label=${view.scene.title} />
        ${strip(live.human)}
      </div>
      ${input.trays.length > 0 && html`<div class="stage-hands panel"><${Trays} input=${input} /></div>`}
      <div class="stage-side">
        <section class="panel game-panel">
          <div class="row spread"><h2>${rulesTitle(game, live.rules)}</h2></div>
          <p class="status"
            data-status=${live.result ? "over" : mine ? "mine" : "theirs"}>${back.view ? html`Looking back. <button
            class="link" onClick=${() => back.to(live.view.line.length)}>Return to the game</button>` : status}</p>
          ${lost && html`<p class="problem" role="alert">The connection to the server is lost. Trying to reach it again…</p>`}
          ${!lost && live.failure && html`<p class="problem">${live.failure} <button
            class="link" onClick=${tryAgain}>Retry</button></p>`}
          <${OtherMoves} legal=${input.legal} onMove=${move} />
          <${MoveList} line=${live.view.line} current=${back.at} go=${back.to} />
          <${Steps} at=${back.at} last=${live.view.line.length} go=${back.to} />
          <${TypedMove} legal=${input.legal} onMove=${move} onText=${typed} disabled=${!input.enabled} />
          <div class="row actions">
            <button class="button" onClick=${undo} disabled=${!canUndo}>Undo</button>
            <button class="button" onClick=${() => setFlip(!flip)}>Flip</button>
            ${!live.result && html`<button class="button" onClick=${() => setAsking(true)}>Resign</button>`}
            <button class="button" onClick=${() => study()}>Study</button>
            ${live.result && html`<button class="button" onClick=${again}>Rematch, sides swapped</button>`}
            <button class="button" onClick=${() => go("/")}>New game</button>
          </div>
        </section>
      </div>
      <${Resign} open=${asking && !live.result} close=${() => setAsking(false)} resign=${() => act(api.resign(live.id))} />
      <${ResultDialog} live=${live} roles=${game.roles} review=${() => study({ review: true })} again=${again} />
    </main>
  `;
}

/** Announces the moves since the last time, and the result. */
function useSpoken(live, roles) {
  const spoken = useRef({ moves: live.view.line.length, over: Boolean(live.result) });
  useEffect(() => {
    const { line } = live.view;
    const moves = line
      .slice(spoken.current.moves)
      .map((move) => `${move.role === null ? "Chance" : capital(roles[move.role])}: ${move.text}.`);
    if (line.length < spoken.current.moves) moves.push("Taken back.");
    if (live.result && !spoken.current.over) moves.push(resultText(live.result, roles));
    else if (moves.length && live.view.to_move === live.human) moves.push("Your move.");
    if (moves.length) announce(moves.join(" "));
    spoken.current = { moves: line.length, over: Boolean(live.result) };
  }, [live.version]);
}
