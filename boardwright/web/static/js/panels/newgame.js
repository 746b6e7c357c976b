/** The form that begins a game: game, rules, side, opponent and clock. */
import { capital, html, useEffect, useState } from "../lib/ui.js";
import { notifyError } from "../lib/announce.js";
import { api } from "../lib/api.js";
import { easyOpponent, opponentAfterRulesChange, plays, ruleSetOf } from "../lib/ladder.js";
import { whileShown } from "../lib/retry.js";
import { go } from "../lib/router.js";
import { readStored, remember } from "../lib/storage.js";
import { OpponentChoice } from "./opponent.js";

const CLOCKS = [
  ["none", "No clock", null],
  ["60+1", "1 min + 1 s", { base: 60, increment: 1 }],
  ["180+2", "3 min + 2 s", { base: 180, increment: 2 }],
  ["300+5", "5 min + 5 s", { base: 300, increment: 5 }],
  ["900+10", "15 min + 10 s", { base: 900, increment: 10 }],
];

/** The choices to begin with: those asked for, else those made last, as far as they still exist. */
export function lastChoices(games, asked = {}) {
  const kept = readStored("new-game", {});
  const last = asked.game
    ? { ...(kept.game === asked.game ? kept : { role: kept.role, clock: kept.clock }), ...asked }
    : kept;
  const game = games.find((candidate) => candidate.name === last.game) ?? games[0];
  return choicesFor(game, last.game === game.name ? last : { role: last.role, clock: last.clock });
}

export function choicesFor(game, before = {}) {
  const rules = game.rule_sets.some(({ name }) => name === before.rules) ? before.rules : game.default_rules;
  const last = before.opponent;
  return {
    game: game.name,
    rules,
    role: before.role ?? 0,
    opponent: last && plays(game, rules, last) ? last : easyOpponent(game, rules),
    clock: before.clock ?? "none",
  };
}

/** Starts a game and goes to it; `position` is a text to begin from. */
async function begin(choices, position = undefined) {
  remember("new-game", choices);
  const clock = CLOCKS.find(([key]) => key === choices.clock)?.[2] ?? null;
  const { game, rules, role, opponent } = choices;
  const live = await api.newGame({ game, rules, role, opponent, clock, position });
  go(`/play/${live.id}`);
}

/** @param {{games: any[], choices: any, setChoices: (choices: any) => void, colours: number[], position?: string}} props */
export function NewGame({ games, choices, setChoices, colours, position }) {
  const [busy, setBusy] = useState(false);
  const [ratings, setRatings] = useState(new Map());
  const game = games.find((candidate) => candidate.name === choices.game);
  const { summary } = ruleSetOf(game, choices.rules);
  const change = (part) => setChoices({ ...choices, ...part });
  const changeRules = (rules) =>
    change({ rules, opponent: opponentAfterRulesChange(game, choices.opponent, choices.rules, rules) });
  useEffect(() => {
    setRatings(new Map());
    return whileShown(
      api.ratings(choices.game, choices.rules),
      (list) => setRatings(new Map(list.ratings.map((rating) => [rating.name, rating]))),
      () => {}, // without a record there are no ratings, and the game can be played all the same
    );
  }, [choices.game, choices.rules]);
  function submit(event) {
    event.preventDefault();
    setBusy(true);
    begin(choices, position)
      .catch(notifyError)
      .finally(() => setBusy(false));
  }
  const sides = [...game.roles.map((name, role) => [role, capital(name), colours[role]]), ["random", "Random", null]];
  return html`
    <form class="new-game" onSubmit=${submit} aria-label="New game">
      <fieldset>
        <legend>Game</legend>
        <div class="choices">
          ${games.map((one) => html`<label key=${one.name}><input type="radio" name="game" value=${one.name}
            checked=${one.name === game.name}
            onChange=${() => setChoices(choicesFor(one, { role: choices.role, clock: choices.clock }))} />
            <span>${one.title}</span></label>`)}
        </div>
      </fieldset>
      <label class="field">Rules
        <select name="rules" value=${choices.rules} onChange=${(event) => changeRules(event.target.value)}>
          ${game.rule_sets.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
        </select>
        ${summary && html`<small>${summary}</small>`}
      </label>
      <fieldset>
        <legend>You play</legend>
        <div class="choices">
          ${sides.map(([role, name, colour]) => html`<label key=${role}><input type="radio" name="role" value=${role}
            checked=${choices.role === role} onChange=${() => change({ role })} /><span>${colour !== null && html`<i
            class=${`side-dot colour-${colour}`}></i>`}${name}</span></label>`)}
        </div>
      </fieldset>
      <${OpponentChoice}
        game=${game} rules=${choices.rules} ratings=${ratings} spec=${choices.opponent} setSpec=${(opponent) => change({ opponent })} legend="Against" />
      <label class="field">Clock
        <select name="clock" value=${choices.clock} onChange=${(event) => change({ clock: event.target.value })}>
          ${CLOCKS.map(([key, name]) => html`<option key=${key} value=${key}>${name}</option>`)}
        </select>
      </label>
      <button class="button primary" type="submit" disabled=${busy}>${busy ? "Setting up…" : "Play"}</button>
    </form>
  `;
}
