/** The ladder of opponents that each rule set of a game has, and who of them plays by which rules. */
import { rulesOfRun } from "./sides.js";

const EASY = 2; // the rung of the ladder for those who have not chosen

/** A rule set of a game; the default one for custom rules and for null. */
export const ruleSetOf = (game, rules) =>
  game.rule_sets.find(({ name }) => name === rules) ?? game.rule_sets.find(({ name }) => name === game.default_rules);

/** What people call a rule set; a custom one by its name. */
export const rulesTitle = (game, rules) =>
  game?.rule_sets.find(({ name }) => name === rules)?.title ?? `${game?.title ?? "Unknown game"}, ${rules}`;

/** Whom one can play under a rule set, weak to strong. */
export const ladderOf = (game, rules) => ruleSetOf(game, rules).opponents;

/** An opponent for a first game. */
export const easyOpponent = (game, rules) => (ladderOf(game, rules)[EASY - 1] ?? ladderOf(game, rules)[0]).spec;

/** The net that ships and that a player has; undefined for nets of runs, and for players without one. */
const shippedNet = (spec) => /(?<=[:,]net=)(?!run\/)[^,]+/.exec(spec)?.[0];

/** Whether a player plays under a rule set: all do but nets that learned other rules (alpha-beta's may) or ship no more. */
export function plays(game, rules, spec) {
  const learned = rulesOfRun(spec);
  if (learned) return learned === ruleSetOf(game, rules).name;
  const net = shippedNet(spec);
  const ladders = spec.startsWith("alphabeta:")
    ? game.rule_sets.map(({ opponents }) => opponents)
    : [ladderOf(game, rules)];
  return !net || ladders.flat().some((opponent) => shippedNet(opponent.spec) === net);
}

/** A player after a change of rules; in the place of one who does not play by the new ones, that on its rung. */
export function opponentAfterRulesChange(game, spec, before, after) {
  if (plays(game, after, spec)) return spec;
  const level = ladderOf(game, before).find((opponent) => opponent.spec === spec)?.level ?? EASY;
  const ladder = ladderOf(game, after);
  return ladder[Math.min(level, ladder.length) - 1].spec;
}
