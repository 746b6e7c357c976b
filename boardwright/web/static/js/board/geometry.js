/**
 * Geometry of boards. Cells are [row, column], row 0 at the top, as in a scene; all lengths are drawn for a cell of
 * 48 and scaled as a whole. A board that is flipped is seen from the other side.
 */

/** @typedef {[number, number]} Cell */

export const CELL = 48;
export const BORDER = 26; // of the frame, where the coordinates are
export const BARE_BORDER = 12; // without coordinates

export const keyOf = ([row, column]) => `${row},${column}`;
export const cellOf = (key) => /** @type {Cell} */ (key.split(",").map(Number));
export const same = (a, b) => Boolean(a && b) && a[0] === b[0] && a[1] === b[1];
/** One text for a set of cells in any order. */
export const keyOfCells = (cells) => cells.map(keyOf).sort().join(" ");

/** Cell to cell of the picture: turned by half a turn if the board is flipped; its own inverse. */
export function viewer({ rows, columns }, flip) {
  const seen = ([row, column]) => (flip ? [rows - 1 - row, columns - 1 - column] : [row, column]);
  const middle = (cell) => {
    const [row, column] = seen(cell);
    return { x: (column + 0.5) * CELL, y: (row + 0.5) * CELL };
  };
  return {
    rows,
    columns,
    flip,
    seen,
    middle,
    corner: (cell) => ({ x: middle(cell).x - CELL / 2, y: middle(cell).y - CELL / 2 }),
  };
}

/** @returns {Cell[]} all cells of a board, row by row */
export function allCells({ rows, columns }) {
  return Array.from({ length: rows * columns }, (_, index) => [Math.floor(index / columns), index % columns]);
}

/** What people call a cell: its label, else its coordinates, else row and column numbers. */
export function cellName(scene, cell) {
  const label = scene.cell_labels.find((labelled) => same(labelled.cell, cell));
  if (label) return label.label;
  const [row, column] = cell;
  if (scene.row_names.length && scene.column_names.length) return scene.column_names[column] + scene.row_names[row];
  return `row ${row + 1} column ${column + 1}`;
}

/**
 * Paths of a block of cells: its body, to be stroked nearly as wide as a cell, and the seams in it. Strokes between the
 * middles of neighbours leave the same margin all around any shape.
 */
export function blockPaths(cells, size = CELL) {
  const held = new Set(cells.map(keyOf));
  const has = (row, column) => held.has(`${row},${column}`);
  let body = "";
  let seams = "";
  for (const [row, column] of cells) {
    const [x, y, half] = [(column + 0.5) * size, (row + 0.5) * size, size / 2];
    const [right, below] = [has(row, column + 1), has(row + 1, column)];
    body += `M${x} ${y}h0.05`;
    if (right) {
      body += `M${x} ${y}h${size}`;
      seams += `M${x + half} ${y - half * 0.62}v${half * 1.24}`;
    }
    if (below) {
      body += `M${x} ${y}v${size}`;
      seams += `M${x - half * 0.62} ${y + half}h${half * 1.24}`;
    }
    if (right && below && has(row + 1, column + 1)) body += `M${x} ${y + half}h${size}`;
  }
  return { body, seams };
}

/** The same shape moved to the corner [0, 0]. */
export function atCorner(cells) {
  const top = Math.min(...cells.map(([row]) => row));
  const left = Math.min(...cells.map(([, column]) => column));
  return cells.map(([row, column]) => /** @type {Cell} */ ([row - top, column - left]));
}

/** The different ways a shape can be turned, by quarter turns clockwise, unturned first. @returns {Cell[][]} */
export function orientations(cells) {
  const found = new Map();
  let shape = atCorner(cells);
  for (let turn = 0; turn < 4; turn++) {
    const key = keyOfCells(shape);
    if (!found.has(key)) found.set(key, shape);
    shape = atCorner(shape.map(([row, column]) => [column, -row]));
  }
  return [...found.values()];
}

/** The shape put on the board with its middle cell on `cell`, moved as little as keeps it on the board. */
export function shapeAt(shape, cell, { rows, columns }) {
  const mean = (axis) => shape.reduce((sum, part) => sum + part[axis], 0) / shape.length;
  const [meanRow, meanColumn] = [mean(0), mean(1)];
  const far = ([row, column]) => (row - meanRow) ** 2 + (column - meanColumn) ** 2;
  const anchor = shape.reduce((best, part) => (far(part) < far(best) - 1e-9 ? part : best));
  const fit = (shift, size, axis) =>
    Math.min(Math.max(shift, 0), size - 1 - Math.max(...shape.map((part) => part[axis])));
  const down = fit(cell[0] - anchor[0], rows, 0);
  const across = fit(cell[1] - anchor[1], columns, 1);
  return shape.map(([row, column]) => /** @type {Cell} */ ([row + down, column + across]));
}
