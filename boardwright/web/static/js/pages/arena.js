/** The arena: who is how strong, who beat whom, and matches to find out more. */
import { html, useEffect, useMemo, useRef, useState, useTitle } from "../lib/ui.js";
import { notifyError } from "../lib/announce.js";
import { useKeys } from "../lib/keys.js";
import { rulesTitle } from "../lib/ladder.js";
import { isOpen, MatchForm, MatchLinks, MatchView } from "../lists/matches.js";
import { useGames, usePolled } from "../hooks/usePolled.js";
import { Crosstable, RatingList } from "../lists/ratings.js";
import { Records } from "../lists/records.js";
import { rename } from "../lib/router.js";
import { readStored, remember } from "../lib/storage.js";

const LIVE_MS = 2000;
const IDLE_MS = 15000;

export function Page({ api, socket, params }) {
  const games = useGames(api);
  useTitle("Arena – Boardwright");
  if (!games) return html`<main class="plain" aria-busy="true"></main>`;
  return html`<${Arena} api=${api} socket=${socket} games=${games} params=${params} />`;
}

/** What is looked at, in the address too, so that it is there again after a reload. */
function useShown(games, params) {
  const known = (name) => games.some((game) => game.name === name);
  const last = readStored("arena-game", games[0].name);
  const [shown, setShown] = useState(() => ({
    game: known(params.game) ? params.game : known(last) ? last : games[0].name,
    rules: params.rules ?? "",
    match: /^\d{1,15}$/.test(params.match ?? "") ? Number(params.match) : null,
  }));
  const show = (part) => setShown((before) => ({ ...before, ...part }));
  useEffect(() => {
    remember("arena-game", shown.game);
    const given = Object.entries(shown).filter(([, value]) => value);
    rename(`/arena?${new URLSearchParams(given)}`);
  }, [shown]);
  return [shown, show];
}

function Arena({ api, socket, games, params }) {
  const [shown, show] = useShown(games, params);
  const game = games.find((candidate) => candidate.name === shown.game);
  const form = useRef(null);
  const list = usePolled(api.matches, (matches) => (matches.some(isOpen) ? LIVE_MS : IDLE_MS), "matches");
  const matches = list.answer ?? [];
  const match = usePolled(
    () => (shown.match ? api.match(shown.match) : Promise.resolve(null)),
    (answer) => (answer && isOpen(answer) ? LIVE_MS : null), // the socket is faster, if it is open
    String(shown.match),
  );
  const live = Boolean(match.answer && isOpen(match.answer));
  useEffect(() => (live ? socket.watchMatch(shown.match, match.refresh) : undefined), [shown.match, live]);
  const finished = useMemo(() => matches.filter((one) => !isOpen(one)).length, [list.answer]);
  const settings = `${shown.game} ${shown.rules} ${finished}`;
  const ratings = usePolled(() => api.ratings(shown.game, shown.rules), () => IDLE_MS, settings);
  const table = usePolled(() => api.crosstable(shown.game, shown.rules), () => IDLE_MS, settings);
  const lists = useLast(ratings.answer, `${shown.game} ${shown.rules}`);
  const tables = useLast(table.answer, `${shown.game} ${shown.rules}`);
  useEffect(() => {
    const error = match.error ?? list.error ?? ratings.error;
    if (error) notifyError(error);
    if (match.error?.status === 404) show({ match: null });
  }, [match.error, list.error, ratings.error]);
  const byName = useMemo(() => new Map((lists?.ratings ?? []).map((row) => [row.name, row])), [lists]);

  const act = (request) =>
    request
      .then(() => {
        match.refresh();
        list.refresh();
      })
      .catch(notifyError);
  const started = (id) => {
    show({ match: id });
    list.refresh();
  };
  const choose = (chosen) => show({ game: chosen.game, rules: "", match: chosen.id });
  const nextGame = (step) => {
    const place = games.findIndex((candidate) => candidate.name === shown.game);
    show({ game: games[(place + step + games.length) % games.length].name, rules: "" });
  };
  const along = (step) => {
    const place = matches.findIndex((one) => one.id === shown.match);
    const next = matches[Math.min(Math.max(place + step, 0), matches.length - 1)];
    if (next) choose(next);
  };
  useKeys([
    { keys: ["ArrowRight"], says: "the next game", run: () => nextGame(1) },
    { keys: ["ArrowLeft"], says: "the previous game", run: () => nextGame(-1) },
    { keys: ["ArrowDown"], says: "the next match", run: () => along(1) },
    { keys: ["ArrowUp"], says: "the previous match", run: () => along(-1) },
    { keys: ["n"], says: "a new match", run: () => form.current?.querySelector("select")?.focus() },
  ]);

  const rules = [...new Set([...(lists?.rule_sets ?? []), ...(shown.rules ? [shown.rules] : [])])];
  const shownMatch = match.answer;
  return html`
    <main class="plain arena">
      <div class="row spread">
        <h1>Arena</h1>
        <div class="row">
          <div class="choices" role="radiogroup" aria-label="Game">
            ${games.map((one) => html`<label key=${one.name}><input type="radio" name="arena-game" value=${one.name} checked=${one.name === game.name} onChange=${() => show({ game: one.name, rules: "" })} /><span>${one.title}</span></label>`)}
          </div>
          <label class="field inline">Rules
            <select name="arena-rules" value=${shown.rules} onChange=${(event) => show({ rules: event.target.value })}>
              <option value="">all</option>
              ${rules.map((name) => html`<option key=${name} value=${name}>${rulesTitle(game, name)}</option>`)}
            </select>
          </label>
        </div>
      </div>
      <div class="arena-columns">
        <div>
          ${lists && html`<${RatingList} key=${game.name} list=${lists} game=${game} />`}
          ${tables && html`<${Crosstable} table=${tables} game=${game} />`}
        </div>
        <div class="arena-matches">
          ${shownMatch && html`<${MatchView} key=${shownMatch.id} match=${shownMatch} game=${games.find((one) => one.name === shownMatch.game)} act=${act} api=${api} />`}
          <section class="panel">
            <h2>New match</h2>
            <${MatchForm} key=${game.name} api=${api} game=${game} rules=${shown.rules} ratings=${byName} started=${started} formRef=${form} />
          </section>
          <section class="panel">
            <h2>Matches</h2>
            <${MatchLinks} matches=${matches} games=${games} shown=${shown.match} choose=${choose} />
          </section>
        </div>
        <${Records} api=${api} game=${game} rules=${shown.rules} version=${`${finished} ${lists?.games}`} />
      </div>
    </main>
  `;
}

/** The last answer about the same thing, while the next is on its way. */
function useLast(answer, about) {
  const last = useRef({ about, answer });
  if (answer || last.current.about !== about) last.current = { about, answer };
  return last.current.answer;
}
