/** Choosing a player: one from the ladder, or any kind of player with its options. */
import { html, useEffect, useState } from "../ui.js";

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

/** @param {{game: any, spec: string, setSpec: (spec: string) => void, ratings?: Map<string, any>, legend: string}} props */
export function OpponentChoice({ game, spec, setSpec, ratings = new Map(), legend }) {
  const listed = game.opponents.some((opponent) => opponent.spec === spec);
  const [other, setOther] = useState(!listed);
  useEffect(() => setOther(!game.opponents.some((opponent) => opponent.spec === spec)), [game.name]);
  const chosen = parseSpec(spec);
  const player = game.players.find((candidate) => candidate.name === chosen.name);
  function choose(value) {
    setOther(value === OTHER);
    if (value !== OTHER) setSpec(value);
  }
  const setOption = (name, value) => setSpec(writeSpec({ name: chosen.name, options: { ...chosen.options, [name]: value } }));
  return html`
    <div class="opponent">
      <label class="field">${legend}
        <select name="opponent" value=${other ? OTHER : spec} onChange=${(event) => choose(event.target.value)}>
          ${game.opponents.map(({ spec: value, label, level }) => html`<option key=${value}
            value=${value}>${level}. ${label}${ratingText(ratings.get(value))}</option>`)}
          <option value=${OTHER}>Another player…</option>
        </select>
      </label>
      ${
        other &&
        html`
        <div class="other-player">
          <label class="field">Player
            <select name="player" value=${chosen.name} onChange=${(event) => setSpec(event.target.value)}>
              ${!player && html`<option value=${chosen.name}>${chosen.name}</option>`}
              ${game.players.map(({ name }) => html`<option key=${name}
                value=${name}>${name}${ratingText(ratings.get(name))}</option>`)}
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
                  <input value=${chosen.options[option.name] ?? ""} placeholder=${option.default ?? option.metavar}
                    onChange=${(event) => setOption(option.name, event.target.value.trim())} />
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
