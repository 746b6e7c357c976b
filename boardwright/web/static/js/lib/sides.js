/** Roles and colours. Pictures show pieces in two colours; the game decides which role has which. */

/** The colour (0 dark, 1 light) a role's pieces have in a position's pictures. */
export function colourOf(view, roles, role) {
  const tray = view.scene.trays.find((candidate) => candidate.name === roles[role]);
  if (tray) return tray.role;
  if (view.to_move !== null && view.scene.to_move !== null)
    return view.to_move === role ? view.scene.to_move : 1 - view.scene.to_move;
  return role;
}

/** Names of the roles by the colour of their pieces. */
export function namesByColour(view, roles) {
  return colourOf(view, roles, 0) === 0 ? roles : [roles[1], roles[0]];
}

/**
 * Whether a role's pieces begin at the top, so that it should see the board flipped. `view` is the game's own first
 * position: later ones, and those made by hand, may have them anywhere.
 */
export function beginsAbove(view, roles, role) {
  const colour = colourOf(view, roles, role);
  const mean = (which) => {
    const rows = view.scene.pieces.filter((piece) => piece.role === which).map((piece) => piece.cell[0]);
    return rows.reduce((sum, row) => sum + row, 0) / (rows.length || 1);
  };
  return mean(colour) < mean(1 - colour) - 1;
}

/** A result in words: "Light wins: ...". Roles named in the plural win, others wins. */
export function resultText(result, roles) {
  if (result.winner === null || result.winner === undefined) return `Draw: ${result.reason}`;
  const name = roles[result.winner];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${name.endsWith("s") ? "win" : "wins"}: ${result.reason}`;
}

const knownRuns = new Map(); // by id, the training runs seen so far
const RUN_ID = /(?<=net=run\/)[0-9a-f]+/;

/** Remembers what training runs are called, and which rules they learn. */
export const nameRuns = (runs) => runs.forEach((run) => knownRuns.set(run.id, run));

/** Whether a player's net is that of a training run. */
export const hasRunNet = (spec) => RUN_ID.test(spec);

/** The rules that a player's net learned in a run; undefined where it is of no run, or of one not seen yet. */
export const rulesOfRun = (spec) => knownRuns.get(RUN_ID.exec(spec)?.[0])?.rules;

/** What people call an opponent: its label on a ladder, else its spec, with the name of a run instead of its id. */
export const playerName = (game, spec) =>
  game?.rule_sets.flatMap(({ opponents }) => opponents).find((opponent) => opponent.spec === spec)?.label ??
  spec.replace(RUN_ID, (id) => knownRuns.get(id)?.name ?? id);
