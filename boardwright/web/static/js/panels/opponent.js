/** Choosing a player: one from the ladder, a training run's net, or any kind of player with its options. */
import { html, useEffect, useState } from "../lib/ui.js";
import { api } from "../lib/api.js";
import { FormField } from "./FormField.js";
import { ruleSetOf } from "../lib/ladder.js";
import { whileShown } from "../lib/retry.js";
import { nameRuns } from "../lib/sides.js";

const OTHER = "other";

/** "name:a=1,b=2" in parts. */
export function parseSpec(spec) {
  const colon = spec.indexOf(":");
  if (colon < 0) return { name: spec, options: {} };
  const pairs = spec
    .slice(colon + 1)
    .split(",")
    .filter(Boolean)
    .map((pair) => [pair.split("=")[0], pair.slice(pair.indexOf("=") + 1)]);
  return { name: spec.slice(0, colon), options: Object.fromEntries(pairs) };
}

export function writeSpec({ name, options }) {
  const given = Object.entries(options).filter(([, value]) => value !== "");
  return given.length ? `${name}:${given.map(([key, value]) => `${key}=${value}`).join(",")}` : name;
}

const ratingText = (rating) =>
  rating ? ` · ${Math.round(rating.elo)} (+${Math.round(rating.plus)} −${Math.round(rating.minus)})` : "";

const ANCHOR = "random"; // the player whose rating is 0 by definition

/** A rating that ships: "1,240 ± 60". */
const shippedText = (spec, { elo, plus, minus }) =>
  Math.round(elo).toLocaleString("en").replace("-", "−") +
  (spec === ANCHOR ? "" : ` ± ${Math.round(Math.max(plus, minus))}`);

/** The meaning of the shipped ratings, next to that of the chosen player. */
function ratedText(spec, rating, ratedOn) {
  if (spec === ANCHOR) return `Random moves are rated 0 Elo by definition. The others were measured on ${ratedOn}`;
  return `${rating ? shippedText(spec, rating) : "Ratings:"} Elo above random moves (95 %), measured on ${ratedOn}`;
}

/** The nets of training runs that play a game by some rules, named by their runs; none until they are known. */
function useNets(game, rules) {
  const [nets, setNets] = useState([]);
  useEffect(() => {
    const named = (run) => ({ spec: run.player, label: `Net of ${run.name}`, rules: run.rules });
    const show = (runs) => {
      nameRuns(runs);
      setNets(runs.filter((run) => run.game === game.name && run.player).map(named));
    };
    return whileShown(api.runs(), show, () => {}); // without an answer there is the ladder
  }, [game.name]);
  return nets.filter((net) => net.rules === rules);
}

/**
 * Ratings by the games of this server, `ratings`, are shown only where none ship: the two are measured from other zeros.
 * @param {{game: any, rules: string | null, spec: string, setSpec: (spec: string) => void, ratings?: Map<string, any>, legend: string}} props
 */
export function OpponentChoice({ game, rules, spec, setSpec, ratings = new Map(), legend }) {
  const { name: ruleSet, opponents: ladder, rated_on: ratedOn } = ruleSetOf(game, rules);
  const rating = ladder.find((opponent) => opponent.spec === spec)?.rating;
  const played = (value) => (ratedOn === null ? ratingText(ratings.get(value)) : "");
  const nets = useNets(game, ruleSet);
  const [choosesOther, setChoosesOther] = useState(false); // whether "Another player" is selected
  useEffect(() => setChoosesOther(false), [game.name]);
  const other = choosesOther || ![...ladder, ...nets].some((listed) => listed.spec === spec);
  const chosen = parseSpec(spec);
  const player = game.players.find((candidate) => candidate.name === chosen.name);
  function choose(value) {
    setChoosesOther(value === OTHER);
    if (value !== OTHER) setSpec(value);
  }
  const setOption = (name, value) => setSpec(writeSpec({ name: chosen.name, options: { ...chosen.options, [name]: value } }));
  return html`
    <div class="opponent">
      <label class="field">${legend}
        <select name="opponent" value=${other ? OTHER : spec} onChange=${(event) => choose(event.target.value)}>
          ${ladder.map(({ spec: value, label, level, rating: shipped }) => html`<option key=${value}
            value=${value}>${level}. ${label}${shipped ? ` · ${shippedText(value, shipped)}` : played(value)}</option>`)}
          ${nets.map(({ spec: value, label }) => html`<option key=${value}
            value=${value}>${label}${played(value)}</option>`)}
          <option value=${OTHER}>Another player…</option>
        </select>
        ${ratedOn !== null && html`<small>${ratedText(spec, rating, ratedOn)}</small>`}
      </label>
      ${
        other &&
        html`
        <div class="other-player">
          <label class="field">Player
            <select name="player" value=${chosen.name} onChange=${(event) => setSpec(event.target.value)}>
              ${!player && html`<option value=${chosen.name}>${chosen.name}</option>`}
              ${game.players.map(({ name }) => html`<option key=${name}
                value=${name}>${name}${played(name)}</option>`)}
            </select>
            ${player && html`<small>${player.summary}</small>`}
          </label>
          ${
            player &&
            player.options.length > 0 &&
            html`<details>
            <summary>Options</summary>
            <div class="options">
              ${player.options.map(
                (option) => html`<label class="field" key=${option.name} title=${option.summary}>${option.name}
                  <${FormField} value=${chosen.options[option.name] ?? ""} placeholder=${option.default ?? option.metavar}
                    setValue=${(value) => setOption(option.name, value)} />
                  <small>${option.summary}</small>
                </label>`,
              )}
            </div>
          </details>`
          }
          <p class="quiet spec"><code>${spec}</code></p>
        </div>
      `
      }
    </div>
  `;
}
