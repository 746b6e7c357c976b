/** Matches: the form that starts one, those there are, and one with its table as it fills. */
import { capital, classes, html, useEffect, useRef, useState } from "../lib/ui.js";
import { announce, notifyError } from "../lib/announce.js";
import { ladderOf, opponentAfterRulesChange, rulesTitle } from "../lib/ladder.js";
import { OpponentChoice } from "../panels/opponent.js";
import { Link } from "../lib/router.js";
import { playerName, resultText } from "../lib/sides.js";
import { useRemembered } from "../lib/storage.js";
import { ago, percent, signed } from "../lib/format.js";

const OPENINGS = [["random:2", "Two random moves"], ["random:4", "Four random moves"], ["start", "The initial position"]];
const TIMES = [["", "Player default"], ["0.1", "0.1 s"], ["0.5", "0.5 s"], ["1", "1 s"], ["5", "5 s"]];
const SHOWN_GAMES = 20;
export const isOpen = (match) => match.state === "running" || match.state === "waiting";
export const recordPath = (game, id) => `/a/${game}?record=${id}`;

/** @param {{api: any, game: any, rules: string, ratings: Map<string, any>, started: (id: number) => void, formRef: any}} props */
export function MatchForm({ api, game, rules, ratings, started, formRef }) {
  const ladder = ladderOf(game, rules).map((opponent) => opponent.spec);
  const [choices, setChoices] = useRemembered(`match-${game.name}`, { first: ladder[0], second: ladder[1] ?? ladder[0], games: 20, openings: "random:2", time: "", rules });
  const [busy, setBusy] = useState(false);
  const change = (part) => setChoices((before) => ({ ...before, ...part }));
  const chosenRules = game.rule_sets.some(({ name }) => name === choices.rules) ? choices.rules : game.default_rules;
  function submit(event) {
    event.preventDefault();
    setBusy(true);
    const { first, second, games, openings, time } = choices;
    api.startMatch({ game: game.name, rules: chosenRules, first, second, games: Number(games), openings, time: time ? Number(time) : null })
      .then(({ id }) => started(id))
      .catch(notifyError)
      .finally(() => setBusy(false));
  }
  const changeRules = (after) =>
    change({
      rules: after,
      first: opponentAfterRulesChange(game, choices.first, chosenRules, after),
      second: opponentAfterRulesChange(game, choices.second, chosenRules, after),
    });
  const select = (name, label, options, value, chosen = (text) => change({ [name]: text })) => html`
    <label class="field">${label}
      <select name=${name} value=${value} onChange=${(event) => chosen(event.target.value)}>${options.map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`)}</select>
    </label>`;
  return html`
    <form class="match-form" ref=${formRef} onSubmit=${submit} aria-label="New match">
      <div class="pair">
        <${OpponentChoice} key=${`${game.name} first`} game=${game} rules=${chosenRules} ratings=${ratings} spec=${choices.first} setSpec=${(first) => change({ first })} legend="First player" />
        <${OpponentChoice} key=${`${game.name} second`} game=${game} rules=${chosenRules} ratings=${ratings} spec=${choices.second} setSpec=${(second) => change({ second })} legend="Second player" />
      </div>
      <div class="fields">
        ${select("rules", "Rules", game.rule_sets.map(({ name, title }) => [name, title]), chosenRules, changeRules)}
        <label class="field">Games <input name="games" type="number" inputmode="numeric" min="2" max="1000" step="2" required value=${choices.games} onInput=${(event) => change({ games: event.target.value })} /></label>
        ${select("openings", "Opening", OPENINGS, choices.openings)} ${select("time", "Time per move", TIMES, choices.time)}
      </div>
      <p class="quiet small">Every opening is played twice, with the roles swapped. The time limit applies to players without a limit of their own.</p>
      <button class="button primary" type="submit" disabled=${busy}>${busy ? "Starting…" : "Start the match"}</button>
    </form>
  `;
}

export function MatchLinks({ matches, games, shown, choose }) {
  if (!matches.length) return html`<p class="quiet">No matches yet.</p>`;
  return html`
    <ul class="match-list">
      ${matches.map((match) => {
        const game = games.find((candidate) => candidate.name === match.game);
        const names = match.players.map((spec) => playerName(game, spec)).join(" – ");
        return html`<li key=${match.id}>
          <button class="entry" data-match=${match.id} aria-current=${match.id === shown ? "true" : undefined} onClick=${() => choose(match)}>
            <strong>${names}</strong>
            <span class="quiet">${rulesTitle(game, match.rules)} · ${match.done}/${match.total} · <${State} state=${match.state} />${match.done > 0 && ` · ${percent(match.table.score)}`} · ${ago(match.asked)}</span>
          </button>
        </li>`;
      })}
    </ul>
  `;
}

export const State = ({ state }) => html`<span class=${classes("state", state)}>${state}</span>`;

/** @param {{match: any, game: any, act: (request: Promise<any>) => void, api: any}} props `match` with its games */
export function MatchView({ match, game, act, api }) {
  const names = match.players.map((spec) => playerName(game, spec));
  const before = useRef(match.state);
  useEffect(() => {
    if (before.current !== match.state && !isOpen(match)) announce(`The match is ${match.state}: ${match.table.wins} won, ${match.table.draws} drawn, ${match.table.losses} lost.`);
    before.current = match.state;
  }, [match.state]);
  const rows = [...game.roles.map((name, role) => [`As ${name}`, match.table.by_role[role]]), ["Total", match.table]];
  const edge = (elo, end) => (elo === null ? end : signed(elo));
  const { elo, elo_low, elo_high, score } = match.table;
  return html`
    <section class="panel match" aria-labelledby="match-title" data-state=${match.state}>
      <div class="row spread">
        <h2 id="match-title">${names[0]} <span class="quiet">against</span> ${names[1]}</h2>
        ${isOpen(match) && html`<button class="button small" onClick=${() => act(api.stopMatch(match.id))}>Stop</button>`}
        ${(match.state === "stopped" || match.state === "failed") && html`<button class="button small" onClick=${() => act(api.resumeMatch(match.id))}>Resume</button>`}
      </div>
      <div class="progress">
        <progress max=${match.total} value=${match.done} aria-label="Games played"></progress>
        <span><span class="number">${match.done} of ${match.total}</span> games · <${State} state=${match.state} /></span>
      </div>
      ${match.error && html`<p class="warning" role="note">${capital(match.error)}</p>`}
      <div class="wide" role="region" tabindex="0" aria-label="Table of the match">
        <table class="match-table">
          <caption class="unseen">Results of ${names[0]}</caption>
          <thead><tr><th scope="col" title=${names[0]}>First player</th>${["Games", "Won", "Drawn", "Lost", "Score"].map((name) => html`<th scope="col" class="number">${name}</th>`)}<th scope="col" class="number range">95 %</th></tr></thead>
          <tbody>
            ${rows.map(
              ([name, count]) => html`<tr><th scope="row">${name}</th>${[count.games, count.wins, count.draws, count.losses].map((value) => html`<td class="number">${value}</td>`)}
                <td class="number">${count.games ? percent(count.score) : "–"}</td><td class="number quiet range">${(100 * count.low).toFixed(0)}–${(100 * count.high).toFixed(0)} %</td></tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${match.done > 0 && html`<p class="quiet small">Elo above the second player: ${edge(elo, score > 0.5 ? "+∞" : "−∞")} (95 % interval ${edge(elo_low, "−∞")} to ${edge(elo_high, "+∞")}).</p>`}
      <${Games} match=${match} game=${game} />
    </section>
  `;
}

/** The finished games, newest first, each a link to its replay. */
function Games({ match, game }) {
  const [all, setAll] = useState(false);
  if (!match.games.length) return null;
  const newest = [...match.games].reverse();
  return html`
    <h3>Games</h3>
    <ol class="game-list" reversed start=${match.games.length} style=${{ "--digits": String(match.games.length).length }}>
      ${(all ? newest : newest.slice(0, SHOWN_GAMES)).map((played) => {
        const outcome = played.result === 2 ? "½–½" : played.result === played.first_role ? "1–0" : "0–1";
        const result = resultText({ winner: played.result === 2 ? null : played.result, reason: played.reason }, game.roles);
        return html`<li key=${played.id}><${Link} to=${recordPath(match.game, played.id)} data-record=${played.id}><span class="outcome">${outcome}</span> ${result}</${Link}> <span class="quiet">first player as ${game.roles[played.first_role]}</span></li>`;
      })}
    </ol>
    ${!all && newest.length > SHOWN_GAMES && html`<button class="button small" onClick=${() => setAll(true)}>All ${newest.length} games</button>`}
  `;
}
