/** Players and results of recorded games, which an address does not hold. Kept as long as the tab. */

/** @typedef {{game: string, rules: string, start?: string|null, actions: number[]}} Moves */
/** @typedef {Moves & {names: string[], result: number, reason: string}} Played `result` as in records */

import { readStored, remember } from "./storage.js";

const KEPT = 20;
const [DRAW, ONGOING] = [2, 3]; // results that no role has won

/** @type {Played[]} those opened last, the newest at the end */
let kept = readStored("played", [], "sessionStorage");

/** Its moves alone. @param {Moves} played @returns {Moves} */
export const movesOf = ({ game, rules, start, actions }) => ({ game, rules, start: start ?? null, actions });
const keyOf = (played) => JSON.stringify(movesOf(played));

/** Remembers a game that is opened with its players and result; ignores one without moves. @param {Played} played */
export function rememberPlayed(played) {
  if (!played.actions.length) return;
  kept = [...kept.filter((other) => keyOf(other) !== keyOf(played)), played].slice(-KEPT);
  remember("played", kept, "sessionStorage");
}

/** Players and end of a live game that is over, as the record has them. @param {any} live */
export const toRecord = ({ human, opponent, result }) => ({
  names: [0, 1].map((role) => (role === human ? "person" : opponent)),
  result: result.winner ?? DRAW,
  reason: result.reason,
});

/** What is known of the game of exactly these moves. @param {Moves} moves @returns {Played|undefined} */
export const playedGame = (moves) => kept.find((played) => keyOf(played) === keyOf(moves));

/** How it ended, where that is known. @param {Played|null} played */
export function endOf(played) {
  if (!played || played.result === ONGOING) return null;
  return { winner: played.result === DRAW ? null : played.result, reason: played.reason || "as recorded" };
}
