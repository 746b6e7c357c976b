/**
 * A game with its variations. Pure functions: each returns a new tree and leaves the old one as it was.
 * A node holds the move that led to it, {text, role, actions}; the root has none. First children are the main line.
 */

/** @typedef {{id: string, parent: string|null, children: string[], move: any, actions: number[], depth: number}} Node */
/** @typedef {{root: string, next: number, nodes: Record<string, Node>}} Tree */

/** @returns {Tree} */
export function newTree() {
  return {
    root: "n0",
    next: 1,
    nodes: { n0: { id: "n0", parent: null, children: [], move: null, actions: [], depth: 0 } },
  };
}

/** Adds a move after a node, unless the node has it already; returns the tree and the new node. @returns {[Tree, string]} */
export function addMove(tree, id, move) {
  const parent = tree.nodes[id];
  const known = parent.children.find((child) => tree.nodes[child].move.actions.join() === move.actions.join());
  if (known) return [tree, known];
  const added = `n${tree.next}`;
  const node = {
    id: added,
    parent: id,
    children: [],
    move,
    actions: [...parent.actions, ...move.actions],
    depth: parent.depth + 1,
  };
  const nodes = { ...tree.nodes, [id]: { ...parent, children: [...parent.children, added] }, [added]: node };
  return [{ ...tree, next: tree.next + 1, nodes }, added];
}

/** Adds several moves after a node. @returns {[Tree, string]} */
export function addLine(tree, id, moves) {
  return moves.reduce(([grown, at], move) => addMove(grown, at, move), /** @type {[Tree, string]} */ ([tree, id]));
}

/** Nodes from the root to a node. @returns {Node[]} */
export function pathTo(tree, id) {
  const path = [];
  for (let at = id; at !== null; at = tree.nodes[at].parent) path.unshift(tree.nodes[at]);
  return path;
}

/** Nodes from the root through a node to the end of its line. @returns {Node[]} */
export function lineThrough(tree, id) {
  const line = pathTo(tree, id);
  for (let next = tree.nodes[id].children[0]; next; next = tree.nodes[next].children[0]) line.push(tree.nodes[next]);
  return line;
}

export const mainLine = (tree) => lineThrough(tree, tree.root);

/** Makes the line through a node the main one. */
export function promote(tree, id) {
  const nodes = { ...tree.nodes };
  for (const { id: child, parent } of pathTo(tree, id)) {
    if (parent === null) continue;
    nodes[parent] = {
      ...nodes[parent],
      children: [child, ...nodes[parent].children.filter((other) => other !== child)],
    };
  }
  return { ...tree, nodes };
}

/** Takes a node and all that follows it out; where it was is where one is then. @returns {[Tree, string]} */
export function remove(tree, id) {
  const { parent } = tree.nodes[id];
  if (parent === null) return [tree, id];
  const nodes = { ...tree.nodes };
  const gone = [id];
  while (gone.length) {
    const at = gone.pop();
    gone.push(...nodes[at].children);
    delete nodes[at];
  }
  nodes[parent] = { ...nodes[parent], children: nodes[parent].children.filter((child) => child !== id) };
  return [{ ...tree, nodes }, parent];
}
