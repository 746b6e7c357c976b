/** Games of the record, newest first, a page at a time, each a link to its replay. */
import { html, useEffect, useState } from "../ui.js";
import { notifyError } from "../announce.js";
import { TextInput } from "../field.js";
import { Link } from "../router.js";
import { playerName, resultText } from "../sides.js";
import { recordPath } from "./matches.js";
import { ago } from "./words.js";

const PAGE = 10;

/** @param {{api: any, game: any, rules: string, version: number}} props a new `version` asks for the newest again */
export function Records({ api, game, rules, version }) {
  const [player, setPlayer] = useState("");
  const [pages, setPages] = useState({ games: [], more: false });
  const ask = (before) => api.records({ game: game.name, rules, player, before, limit: PAGE });
  useEffect(() => {
    let open = true;
    ask()
      .then((games) => open && setPages({ games, more: games.length === PAGE }))
      .catch(notifyError);
    return () => (open = false);
  }, [game.name, rules, player, version]);
  const more = () =>
    ask(pages.games.at(-1).id)
      .then((games) => setPages((before) => ({ games: [...before.games, ...games], more: games.length === PAGE })))
      .catch(notifyError);
  return html`
    <section class="panel" aria-labelledby="records-title">
      <div class="row spread">
        <h2 id="records-title">Games</h2>
        <label class="field inline">Player <${TextInput} type="search" name="player" placeholder="all" value=${player} setValue=${setPlayer} /></label>
      </div>
      <ul class="record-list">${pages.games.map((record) => html`<${Entry} key=${record.id} record=${record} game=${game} />`)}</ul>
      ${!pages.games.length && html`<p class="quiet">No games${player ? ` of ${player}` : ""} in the record.</p>`}
      ${pages.more && html`<button class="button small" onClick=${more}>Older games</button>`}
    </section>
  `;
}

function Entry({ record, game }) {
  const names = record.players.map((spec, role) => `${playerName(game, spec)} (${game.roles[role]})`).join(" – ");
  const result = record.result === 3 ? "not over" : resultText({ winner: record.result === 2 ? null : record.result, reason: record.reason }, game.roles);
  const words = html`<strong>${names}</strong><br /><span class="quiet">${result} · ${ago(record.stored)}</span>`;
  if (!record.replayable) return html`<li title="Played by rules of its own, which this page does not know">${words}</li>`;
  return html`<li><${Link} to=${recordPath(record.game, record.id)} data-record=${record.id}>${words}</${Link}></li>`;
}
