/**
 * A board that shows any scene and takes moves by mouse, touch and keyboard. It knows no game: what may be done comes
 * from `input` (input.js), what is to be seen from the scene.
 */
import { classes, html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { usePieces, useSteps } from "./animate.js";
import { borderOf, Floor, Frame, Labels } from "./floor.js";
import { allCells, CELL, cellName, keyOf, keyOfCells, same, viewer } from "./geometry.js";
import { sceneAlong } from "./moves.js";
import { Considered, Heat, Hints, Marks } from "./overlays.js";
import { Block, Disc, Ghost } from "./pieces.js";

const DRAG_PIXELS = 5;

/**
 * @param {{view: any, input: any, flip?: boolean, roles?: string[], considered?: any[], label?: string,
 *   heat?: {kind: string, shares: Map<string, number>}|null}} props `roles` are names by colour
 */
export function Board({ view, input, flip = false, roles = [], considered = [], heat = null, label }) {
  const svg = useRef(null);
  const along = useMemo(() => sceneAlong(view.scene, input.legal, input.path), [view.scene, input.legal, input.path]);
  const scene = useSteps(view, input.path.length > 2) ?? along;
  const seen = useMemo(() => viewer(scene, flip), [scene.rows, scene.columns, flip]);
  const [drag, setDrag] = useState(null); // {cell, x, y, moved, held} while a button is down
  const pressed = useRef(null); // the pointer that was pressed on the board, until it is let go
  const [focus, setFocus] = useState(
    /** @type {[number, number]} */ ([Math.floor(scene.rows / 2), Math.floor(scene.columns / 2)]),
  );
  const border = borderOf(scene);
  const [width, height] = [scene.columns * CELL + 2 * border, scene.rows * CELL + 2 * border];
  const floor = useMemo(
    () => html`<${Floor} scene=${scene} view=${seen} />`,
    [JSON.stringify(view.scene.tints), scene.rows, scene.columns, flip],
  );
  const labels = useMemo(
    () => html`<${Labels} scene=${scene} view=${seen} />`,
    [JSON.stringify(view.scene.cell_labels), scene.rows, scene.columns, flip],
  );
  const frame = useMemo(
    () => html`<${Frame} scene=${scene} view=${seen} />`,
    [scene.rows, scene.columns, flip, view.scene.row_names.join()],
  );

  const pointAt = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current.getScreenCTM().inverse());
    return { x, y };
  };
  const cellAt = (event) => {
    const { x, y } = pointAt(event);
    const cell = [Math.floor(y / CELL), Math.floor(x / CELL)];
    return cell[0] >= 0 && cell[0] < scene.rows && cell[1] >= 0 && cell[1] < scene.columns ? seen.seen(cell) : null;
  };

  function down(event) {
    const cell = cellAt(event);
    if (!cell || event.button > 0) return;
    setFocus(cell);
    if (!input.enabled) return;
    pressed.current = event.pointerId;
    svg.current.setPointerCapture(event.pointerId); // so that it is let go here, wherever that happens
    if (input.places) return;
    const held = input.isTaken(cell);
    const takes = !input.next.has(keyOf(cell)) && input.canTake(cell);
    if (takes && !held) input.take(cell);
    setDrag({
      cell,
      held,
      takes: takes || held,
      begin: [event.clientX, event.clientY],
      moved: false,
      ...pointAt(event),
    });
  }
  function move(event) {
    const cell = cellAt(event);
    input.hoverOver(cell);
    if (!drag) return;
    const moved = drag.moved || Math.hypot(event.clientX - drag.begin[0], event.clientY - drag.begin[1]) > DRAG_PIXELS;
    setDrag({ ...drag, moved: moved && drag.takes, ...pointAt(event) });
  }
  function release() {
    pressed.current = null;
    setDrag(null);
  }
  function up(event) {
    const cell = cellAt(event);
    const dragged = drag;
    const meant = pressed.current === event.pointerId && event.button === 0;
    release();
    if (!meant || !input.enabled || !cell) return;
    if (input.places) {
      const again = input.pinned && input.ghost?.cells.some((part) => same(part, cell));
      if (event.pointerType === "mouse") input.place(cell);
      else if (again) input.place(input.hover);
      else input.pin(cell);
    } else if (dragged && !input.step(cell)) {
      if (!dragged.moved && (dragged.held || !dragged.takes) && same(dragged.cell, cell)) input.cancel();
    }
  }
  useEffect(() => {
    const wheel = (event) => {
      if (!input.chosen) return;
      event.preventDefault();
      input.rotate(event.deltaY > 0 ? 1 : -1);
    };
    svg.current.addEventListener("wheel", wheel, { passive: false });
    return () => svg.current?.removeEventListener("wheel", wheel);
  });

  const hovered = scene.pieces.find((piece) => same(piece.cell, input.hover ?? []));
  const escapes =
    hovered?.kind === "king" || input.path.some((cell) => kingAt(scene, cell)) ? (view.hints?.escapes ?? []) : [];
  return html`
    <svg ref=${svg}
      class=${classes("board", { takes: input.enabled, places: input.places })} viewBox=${`${-border} ${-border} ${width} ${height}`}
      style=${{ aspectRatio: `${width} / ${height}` }}
      onMouseDown=${(event) => event.preventDefault()} onPointerDown=${down} onPointerMove=${move} onPointerUp=${up}
      onPointerCancel=${release} onPointerLeave=${() => input.pinned || input.hoverOver(null)}>
      ${frame} ${floor}
      <${Marks} scene=${scene} view=${seen} />
      ${heat && html`<${Heat} shares=${heat.shares} kind=${heat.kind} view=${seen} />`}
      <${Hints} input=${input} scene=${scene} view=${seen} escapes=${escapes} />
      ${labels}
      <g class="blocks">
        ${scene.polyominoes.map((block) => html`<${Block}
          key=${block.letter + block.role} cells=${block.cells.map(seen.seen)} role=${block.role} />`)}
      </g>
      <${Pieces} scene=${scene} view=${seen} drag=${drag} />
      ${input.ghost && html`<${Ghost} cells=${input.ghost.cells.map(seen.seen)} role=${input.ghost.role}
        legal=${input.ghost.legal} covers=${keyOfCells(input.ghost.cells)} />`}
      <${Considered} moves=${considered} view=${seen} />
      <${Cells} scene=${scene} view=${seen} input=${input} roles=${roles} focus=${focus} setFocus=${setFocus} label=${label} />
    </svg>
  `;
}

const kingAt = (scene, cell) => scene.pieces.some((piece) => piece.kind === "king" && same(piece.cell, cell));

function Pieces({ scene, view, drag }) {
  return html`
    <g class="pieces">
      ${usePieces(scene).map((piece) => {
        const dragged = drag?.moved && !piece.leaving && same(piece.cell, drag.cell);
        const { x, y } = dragged ? drag : view.middle(piece.cell);
        const look = classes("piece", { leaving: piece.leaving, taken: piece.taken, dragged });
        return html`<g key=${piece.id} class=${look} style=${{ transform: `translate(${x}px, ${y}px)` }}><g
          class="piece-body"><${Disc} role=${piece.role} kind=${piece.kind} /></g></g>`;
      })}
    </g>
  `;
}

/** The cells as things that can be pointed at, focused and read out; one of them is in the tab order. */
function Cells({ scene, view, input, roles, focus, setFocus, label }) {
  const grid = useRef(null);
  const contents = useMemo(() => describe(scene, roles), [scene, roles]);
  const turn = view.flip ? -1 : 1;
  const steps = { ArrowUp: [-turn, 0], ArrowDown: [turn, 0], ArrowLeft: [0, -turn], ArrowRight: [0, turn] };
  function to(cell) {
    setFocus(cell);
    input.hoverOver(cell);
    grid.current.querySelector(`[data-cell="${keyOf(cell)}"]`)?.focus();
  }
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps[event.key];
    const within = (value, size) => Math.min(Math.max(value, 0), size - 1);
    if (step) to([within(focus[0] + step[0], scene.rows), within(focus[1] + step[1], scene.columns)]);
    else if (event.key === "Home" || event.key === "End")
      to([focus[0], (event.key === "Home") !== view.flip ? 0 : scene.columns - 1]);
    else if (event.key === "Enter" || event.key === " ") input.press(focus);
    else if (event.key === "Escape") input.cancel();
    else return;
    event.preventDefault();
  }
  return html`
    <g ref=${grid} class="cells" role="grid" aria-label=${label ?? "board"} aria-rowcount=${scene.rows}
      aria-colcount=${scene.columns} onKeyDown=${press}>
      ${Array.from(
        { length: scene.rows },
        (_, row) => html`
        <g role="row" key=${row}>
          ${allCells({ rows: 1, columns: scene.columns }).map(([, column]) => {
            const cell = /** @type {[number, number]} */ ([row, column]);
            const key = keyOf(cell);
            const { x, y } = view.corner(cell);
            const fits =
              input.ghost && same(cell, input.hover) ? (input.ghost.legal ? ", fits here" : ", does not fit here") : "";
            const can = input.next.has(key) ? ", legal move" : input.forced.has(key) ? ", must capture" : fits;
            return html`<rect key=${key} role="gridcell" data-cell=${key} class="cell" x=${x} y=${y} width=${CELL} height=${CELL}
              tabindex=${same(cell, focus) ? 0 : -1} aria-selected=${input.isTaken(cell)} onFocus=${() => setFocus(cell)}
              aria-label=${`${cellName(scene, cell)}, ${contents.get(key) ?? "empty"}${can}`} />`;
          })}
        </g>`,
      )}
    </g>
  `;
}

/** The piece on each cell, in words. */
function describe(scene, roles) {
  const owner = (role) => (role === null ? "neutral" : (roles[role] ?? `side ${role + 1}`));
  const words = new Map(scene.pieces.map((piece) => [keyOf(piece.cell), `${owner(piece.role)} ${piece.kind}`]));
  for (const block of scene.polyominoes)
    for (const cell of block.cells) words.set(keyOf(cell), `${owner(block.role)} block ${block.letter}`);
  return words;
}
