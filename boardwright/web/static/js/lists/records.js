/** Games of the record, newest first, a page at a time, each a link to its replay. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { notifyError } from "../lib/announce.js";
import { FormField } from "../panels/FormField.js";
import { whileShown } from "../lib/retry.js";
import { Link } from "../lib/router.js";
import { playerName, resultText } from "../lib/sides.js";
import { recordPath } from "./matches.js";
import { ago } from "../lib/format.js";

const PAGE = 10;
const MAX_LISTED = 100; // that the server lists at once
const NOTHING = { games: [], more: false };

/** @param {{api: any, game: any, rules: string, version: string}} props a new `version` asks for the newest again */
export function Records({ api, game, rules, version }) {
  const [player, setPlayer] = useState("");
  const [pages, setPages] = useState(NOTHING);
  const about = `${game.name} ${rules} ${player}`;
  const asked = useRef(about);
  const ask = (before, limit) => api.records({ game: game.name, rules, player, before, limit });
  useEffect(() => {
    const again = asked.current === about; // then all that is shown stays, with what is new before it
    const limit = Math.min(Math.max(PAGE, again ? pages.games.length : 0), MAX_LISTED);
    asked.current = about;
    return whileShown(ask(undefined, limit), (games) => setPages({ games, more: games.length === limit }));
  }, [about, version]);
  const more = () => {
    const last = pages.games.at(-1).id;
    const append = (before, games) =>
      before.games.at(-1)?.id === last ? { games: [...before.games, ...games], more: games.length === PAGE } : before;
    return ask(last, PAGE)
      .then((games) => setPages((before) => append(before, games)))
      .catch(notifyError);
  };
  const names = useMemo(() => playerNames(game), [game]);
  const choose = (typed) => setPlayer([...names].find(([, name]) => sameWords(name, typed))?.[0] ?? typed);
  return html`
    <section class="panel" aria-labelledby="records-title">
      <div class="row spread">
        <h2 id="records-title">Games</h2>
        <label class="field inline">Player <${FormField} type="search" name="player" placeholder="all" list="record-players" value=${player} setValue=${choose} /></label>
        <datalist id="record-players">${[...names].map(([spec, name]) => html`<option key=${spec} value=${spec} label=${name} />`)}</datalist>
      </div>
      <ul class="record-list">${pages.games.map((record) => html`<${Entry} key=${record.id} record=${record} game=${game} />`)}</ul>
      ${!pages.games.length && html`<p class="quiet">No games${player ? ` of ${player}` : ""} in the database.</p>`}
      ${pages.more && html`<button class="button small" onClick=${more}>Older games</button>`}
    </section>
  `;
}

const sameWords = (one, other) => one.toLowerCase() === other.toLowerCase();

/** What people call those who play a game, by spec: the opponents of all its rule sets, and people. */
function playerNames(game) {
  const opponents = game.rule_sets.flatMap((rules) => rules.opponents);
  return new Map([["person", "A person"], ...opponents.map(({ spec }) => [spec, playerName(game, spec)])]);
}

function Entry({ record, game }) {
  const names = record.players.map((spec, role) => `${playerName(game, spec)} (${game.roles[role]})`).join(" – ");
  const result = record.result === 3 ? "unfinished" : resultText({ winner: record.result === 2 ? null : record.result, reason: record.reason }, game.roles);
  const words = html`<strong>${names}</strong><br /><span class="quiet">${result} · ${ago(record.stored)}</span>`;
  if (!record.replayable) return html`<li title="Played under custom rules that this page does not know">${words}</li>`;
  return html`<li><${Link} to=${recordPath(record.game, record.id)} data-record=${record.id}>${words}</${Link}></li>`;
}
