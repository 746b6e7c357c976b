/** The rating list of a game with its intervals, by role too, and the crosstable. */
import { capital, html, useState } from "../lib/ui.js";
import { playerName } from "../lib/sides.js";
import { percent, points, whole } from "../lib/format.js";

/** Where a list begins and ends on the scale of its bars, a little wider than its intervals. */
function scaleOf(rows) {
  const low = Math.min(...rows.map((row) => row.elo - row.minus));
  const high = Math.max(...rows.map((row) => row.elo + row.plus));
  const room = Math.max(10, 0.04 * (high - low));
  return { low: low - room, width: high - low + 2 * room };
}

/** An interval drawn over the scale of its list; the numbers next to it say the same. */
function Interval({ row, scale }) {
  const at = (elo) => `${((100 * (elo - scale.low)) / scale.width).toFixed(2)}%`;
  const width = `${((100 * (row.plus + row.minus)) / scale.width).toFixed(2)}%`;
  return html`
    <span class="interval" aria-hidden="true">
      <i class="zero" style=${{ left: at(0) }}></i><i class="reach" style=${{ left: at(row.elo - row.minus), width }}></i><i class="point" style=${{ left: at(row.elo) }}></i>
    </span>
  `;
}

/** A player's label on the ladder with its spec, or the spec alone. */
function Player({ game, spec }) {
  const label = playerName(game, spec);
  return label === spec ? spec : html`${label} <small class="spec-aside">${spec}</small>`;
}

function Table({ rows, game, caption }) {
  const scale = scaleOf(rows);
  return html`
    <div class="wide" role="region" tabindex="0" aria-label=${caption}>
      <table class="ratings">
        <caption class="unseen">${caption}</caption>
        <thead><tr><th></th><th scope="col">Player</th><th scope="col" class="number">Elo</th><th scope="col" class="number">95 %</th><th scope="col" class="bar"><span class="unseen">interval</span></th><th scope="col" class="number">Score</th><th scope="col" class="number">Games</th></tr></thead>
        <tbody>
          ${rows.map(
            (row, place) => html`<tr key=${row.name} data-player=${row.name}>
              <td class="number quiet">${place + 1}</td>
              <th scope="row" title=${row.name}><${Player} game=${game} spec=${row.name} /></th>
              <td class="number">${whole(row.elo)}</td>
              <td class="number quiet">+${Math.round(row.plus)} −${Math.round(row.minus)}</td>
              <td class="bar"><${Interval} row=${row} scale=${scale} /></td>
              <td class="number">${percent(row.score)}</td>
              <td class="number">${row.games}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{list: any, game: any}} props `list` as /api/ratings has it */
export function RatingList({ list, game }) {
  const [role, setRole] = useState(null);
  const views = [[null, "All games"], ...game.roles.map((name, number) => [number, `As ${name}`])];
  const rows = role === null ? list.ratings : list.roles[role];
  const favoured = game.roles[list.advantage >= 0 ? 0 : 1];
  return html`
    <section class="panel" aria-labelledby="ratings-title">
      <div class="row spread">
        <h2 id="ratings-title">Rating list</h2>
        <div class="row" role="group" aria-label="Which games">
          ${views.map(([number, name]) => html`<button class="button small" aria-pressed=${role === number} onClick=${() => setRole(number)}>${name}</button>`)}
        </div>
      </div>
      ${list.warnings.map((warning) => html`<p class="warning" role="note">${capital(warning)}.</p>`)}
      ${rows.length
        ? html`<${Table} rows=${rows} game=${game} caption=${role === null ? `Ratings, ${game.title}` : `Ratings as ${game.roles[role]}`} />
            <p class="quiet small">BayesElo over ${list.games} games, average rating 0${role === null ? "" : ` among those who played ${game.roles[role]}`}. ${capital(favoured)} ${favoured.endsWith("s") ? "have" : "has"} an advantage of ${Math.abs(Math.round(list.advantage))} Elo.</p>`
        : html`<p class="quiet">No finished games yet. Start a match, or play some.</p>`}
    </section>
  `;
}

/** The colour of a cell shows the score, its text the points. */
function Cell({ cell, row, column }) {
  if (!cell) return html`<td class="none" aria-label="no games">·</td>`;
  const games = cell.wins + cell.draws + cell.losses;
  const won = cell.wins + cell.draws / 2;
  const says = `${row} against ${column}: ${cell.wins} won, ${cell.draws} drawn, ${cell.losses} lost`;
  return html`<td class="number" title=${says} style=${{ "--share": `${Math.round((100 * won) / games)}%` }}>${points(won)}<small>/${games}</small></td>`;
}

/** @param {{table: any, game: any}} props `table` as /api/crosstable has it */
export function Crosstable({ table, game }) {
  if (!table.rows.length) return null;
  const names = table.rows.map((row) => playerName(game, row.name));
  return html`
    <section class="panel" aria-labelledby="crosstable-title">
      <h2 id="crosstable-title">Crosstable</h2>
      <div class="wide" role="region" tabindex="0" aria-label="Crosstable">
        <table class="crosstable">
          <thead><tr><th></th><th scope="col">Player</th><th scope="col" class="number">Score</th>${names.map((name, place) => html`<th scope="col" class="number" title=${name}>${place + 1}</th>`)}</tr></thead>
          <tbody>
            ${table.rows.map(
              (row, place) => html`<tr key=${row.name}>
                <td class="number quiet">${place + 1}</td><th scope="row" title=${row.name}>${names[place]}</th><td class="number">${percent(row.score)}</td>
                ${row.against.map((cell, other) => html`<${Cell} cell=${cell} row=${names[place]} column=${names[other]} />`)}
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${table.left_out > 0 && html`<p class="quiet small">${table.left_out} players with fewer games are not shown.</p>`}
    </section>
  `;
}

