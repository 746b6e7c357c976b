/**
 * What values say about moves. Values are from -1 to 1 as role 0 sees them: 1 is a win for role 0. A move is judged by
 * how much of the value its mover had is gone after it.
 */

/** Worst first. */
export const JUDGEMENTS = [
  { least: 0.6, name: "blunder", plural: "blunders", sign: "??" },
  { least: 0.4, name: "mistake", plural: "mistakes", sign: "?" },
  { least: 0.2, name: "inaccuracy", plural: "inaccuracies", sign: "?!" },
];

/** How much a move by `role` lost; never less than nothing. */
export function loss(role, before, after) {
  if (role === null || before === undefined || before === null || after === undefined || after === null) return 0;
  return Math.max(0, role === 0 ? before - after : after - before);
}

/** @returns {{name: string, sign: string}|null} */
export const judge = (lost) => JUDGEMENTS.find(({ least }) => lost >= least - 1e-9) ?? null;

/** Judgements of the moves of a line by node. @param {any[]} line nodes, the root first; @param {Record<string, number>} values by node */
export function judgeLine(line, values) {
  const judged = {};
  line.slice(1).forEach((node, index) => {
    const found = judge(loss(node.move.role, values[line[index].id], values[node.id]));
    if (found) judged[node.id] = found;
  });
  return judged;
}

/** The value of a position that is over. */
export const finalValue = (outcome) => (outcome.winner === null ? 0 : outcome.winner === 0 ? 1 : -1);

/** A value with its sign, as "+0.42". */
export const valueText = (value) =>
  value === null || value === undefined ? "–" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
