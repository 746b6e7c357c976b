/** A game against a player: the board, the clocks, the moves, and how it ended. */
import { capital, classes, html, useCallback, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { announce, notify, notifyError } from "../lib/announce.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { Trays } from "../board/tray.js";
import { useFirstPosition } from "../hooks/useFirstPosition.js";
import { useKeys } from "../lib/keys.js";
import { MoveList, OtherMoves, Steps, TypedMove } from "../panels/moves.js";
import { PlayerStrip } from "../panels/players.js";
import { Resign, ResultDialog } from "../panels/result.js";
import { asRecorded, rememberPlayed } from "../lib/played.js";
import { go, studyPath } from "../lib/router.js";
import { beginsAbove, colourOf, hasRunNet, nameRuns, namesByColour, playerName, resultText } from "../lib/sides.js";

const NO_STATE = { live: null, readAt: 0, connection: 0 };

/**
 * The newest state of a live game, whichever way it came. What a connection says first is taken whatever its version:
 * a server that was started again counts on from what it had stored, which may be less.
 */
function useLiveGame(api, socket, id) {
  const [state, setState] = useState(NO_STATE);
  const receive = useCallback(
    (next, connection = null) =>
      setState((before) => {
        const first = connection !== null && connection !== before.connection;
        const older = before.live?.id === next.id && before.live.version > next.version;
        if (older && !first) return before;
        return { live: next, readAt: performance.now(), connection: connection ?? before.connection };
      }),
    [],
  );
  useEffect(() => {
    setState(NO_STATE);
    api
      .liveGame(id)
      .then(receive)
      .catch((error) => {
        notifyError(error);
        if (error.status === 404) go("/", true);
      });
    return socket.watch(id, { state: receive, failed: notify });
  }, [id]);
  return { ...state, receive };
}

/** Whether the connection is lost, by which the player's moves come, and when it last was; says when it is back. */
function useLoss(socket) {
  const [loss, setLoss] = useState({ lost: false, lostAt: 0 });
  useEffect(
    () =>
      socket.whenLost((now) => {
        setLoss(({ lostAt }) => ({ lost: now, lostAt: now ? performance.now() : lostAt }));
        if (!now) notify("The connection is back");
      }),
    [],
  );
  return loss;
}

/** Finds out what a run is called whose net plays: a page that was just loaded has seen no list of runs. */
function useRunNames(api, spec) {
  const [, setNamed] = useState(false);
  useEffect(() => {
    if (!spec || !hasRunNet(spec)) return;
    api
      .runs()
      .then(nameRuns)
      .then(() => setNamed(true))
      .catch(() => {}); // then its id is its name
  }, [spec]);
}

/** An earlier position of the game while one looks back; null for the present. */
function useLookBack(api, live) {
  const [count, setCount] = useState(null);
  const [view, setView] = useState(null);
  const length = live?.view.line.length ?? 0;
  useLayoutEffect(() => setCount(null), [live?.id, length]);
  useEffect(() => {
    if (count === null || !live) return setView(null);
    let wanted = true;
    const actions = live.view.line.slice(0, count).flatMap((move) => move.actions);
    const { game, rules, start } = live.view;
    api
      .position({ game, rules, start, actions })
      .then((past) => wanted && setView(past))
      .catch(notifyError);
    return () => (wanted = false);
  }, [count, live?.id]);
  const to = (wanted) => setCount(wanted >= length ? null : Math.max(0, wanted));
  return { at: count ?? length, view: count === null ? null : view, to };
}

export function Page({ api, socket, params }) {
  const { live, readAt, receive } = useLiveGame(api, socket, params.id);
  const [games, setGames] = useState(null);
  useEffect(() => {
    api.games().then(setGames).catch(notifyError);
  }, []);
  const first = useFirstPosition(api, live?.game, live?.rules);
  const loss = useLoss(socket);
  useRunNames(api, live?.opponent);
  const game = games?.find((candidate) => candidate.name === live?.game);
  if (!game || first?.game !== live.game || first.rules !== live.rules) return html`<main class="stage" aria-busy="true"></main>`;
  return html`<${Table} key=${live.id} api=${api} live=${live} readAt=${readAt} receive=${receive} game=${game} first=${first} ...${loss} />`;
}

function Table({ api, live, readAt, receive, game, first, lost, lostAt }) {
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
        await api
          .liveGame(live.id)
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
  const tryAgain = () => act(api.liveGame(live.id)); // whoever looks at a game has its player asked again
  const study = (asked = {}) => {
    const { actions } = live.view;
    if (live.result) rememberPlayed({ game: name, rules, start, actions, ...asRecorded(live) });
    go(studyPath({ game: name, rules, start, actions, ply: back.at, flip, ...asked }));
  };
  const again = () =>
    api
      .again(live.id)
      .then(({ id }) => go(`/play/${id}`))
      .catch(notifyError);

  useEffect(() => {
    document.title = `${game.title} – Boardwright`;
  }, []);
  useSpoken(live, game.roles);
  useKeys([
    { keys: ["ArrowLeft"], says: "one move back", run: () => back.to(back.at - 1) },
    { keys: ["ArrowRight"], says: "one move forward", run: () => back.to(back.at + 1) },
    { keys: ["Home", "ArrowUp"], says: "the first position", run: () => back.to(0) },
    { keys: ["End", "ArrowDown"], says: "the present position", run: () => back.to(live.view.line.length) },
    { keys: ["f"], says: "flip the board", run: () => setFlip((before) => !before) },
    { keys: ["p"], says: "take the next piece", run: () => input.chooseNext() },
    { keys: ["r"], says: "rotate the piece in hand", run: () => input.rotate(1) },
    { keys: ["u"], says: "undo", run: undo },
    { keys: ["l"], says: "study this position", run: () => study() },
    { keys: ["Escape"], says: "put the piece down again", run: () => input.cancel() },
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
          <div class="row spread"><h2>${game.title} <span class="quiet">${live.rules}</span></h2></div>
          <p class="status"
            data-status=${live.result ? "over" : mine ? "mine" : "theirs"}>${back.view ? html`Looking back. <button
            class="link" onClick=${() => back.to(live.view.line.length)}>Return to the game</button>` : status}</p>
          ${lost && html`<p class="problem" role="alert">The connection to the server is lost. Trying to reach it again…</p>`}
          ${!lost && live.failure && html`<p class="problem">${live.failure} <button
            class="link" onClick=${tryAgain}>Let it try again</button></p>`}
          <${OtherMoves} legal=${input.legal} onMove=${move} />
          <${MoveList} line=${live.view.line} current=${back.at} go=${back.to} />
          <${Steps} at=${back.at} last=${live.view.line.length} go=${back.to} />
          <${TypedMove} legal=${input.legal} onMove=${move} onText=${typed} disabled=${!input.enabled} />
          <div class="row actions">
            <button class="button" onClick=${undo} disabled=${!canUndo}>Undo</button>
            <button class="button" onClick=${() => setFlip(!flip)}>Flip</button>
            ${!live.result && html`<button class="button" onClick=${() => setAsking(true)}>Resign</button>`}
            <button class="button" onClick=${() => study()}>Study</button>
            ${live.result && html`<button class="button" onClick=${again}>Again, sides changed</button>`}
            <button class="button" onClick=${() => go("/")}>New game</button>
          </div>
        </section>
      </div>
      <${Resign} open=${asking && !live.result} close=${() => setAsking(false)} resign=${() => act(api.resign(live.id))} />
      <${ResultDialog} live=${live} roles=${game.roles} review=${() => study({ review: true })} again=${again} />
    </main>
  `;
}

/** Reads out what was played since it was last looked at, and the result. */
function useSpoken(live, roles) {
  const heard = useRef({ moves: live.view.line.length, over: Boolean(live.result) });
  useEffect(() => {
    const { line } = live.view;
    const moves = line
      .slice(heard.current.moves)
      .map((move) => `${move.role === null ? "Chance" : capital(roles[move.role])}: ${move.text}.`);
    if (line.length < heard.current.moves) moves.push("Taken back.");
    if (live.result && !heard.current.over) moves.push(resultText(live.result, roles));
    else if (moves.length && live.view.to_move === live.human) moves.push("Your move.");
    if (moves.length) announce(moves.join(" "));
    heard.current = { moves: line.length, over: Boolean(live.result) };
  }, [live.version]);
}
