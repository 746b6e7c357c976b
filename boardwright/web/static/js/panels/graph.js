/** The value of a game move by move, with its turning points; a click goes to the move. */
import { html, useEffect, useRef } from "../lib/ui.js";
import uPlot from "../../vendor/uPlot.js";

const HEIGHT = 120;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** A colour as canvas understands it: `light-dark()` is resolved by an element that has it. */
function resolveColour(name, element) {
  element.style.color = colour(name);
  const found = getComputedStyle(element).color;
  element.style.color = "";
  return found;
}

/**
 * @param {{values: (number|null)[], judged: ({name: string}|null)[], at: number, go: (ply: number) => void, roles: string[]}} props
 * values of role 0 by ply, the first before any move
 */
export function ValueGraph({ values, judged, at, go, roles }) {
  const box = useRef(null);
  const plot = useRef(null);
  const latest = useRef({ judged, at, go });
  latest.current = { judged, at, go };
  useEffect(() => {
    const element = box.current;
    const inks = Object.fromEntries(
      ["--accent", "--accent-soft", "--ink-2", "--line", "--inaccuracy", "--mistake", "--blunder"].map((name) => [
        name,
        resolveColour(name, element),
      ]),
    );
    const draw = (u) => {
      const { ctx } = u;
      const x = u.valToPos(latest.current.at, "x", true);
      ctx.save();
      ctx.strokeStyle = inks["--accent"];
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
      latest.current.judged.forEach((said, ply) => {
        const value = u.data[1][ply];
        if (!said || value === null) return;
        ctx.fillStyle = inks[`--${said.name}`];
        ctx.beginPath();
        ctx.arc(u.valToPos(ply, "x", true), u.valToPos(value, "y", true), 4 * devicePixelRatio, 0, 2 * Math.PI);
        ctx.fill();
      });
      ctx.restore();
    };
    const axis = {
      stroke: inks["--ink-2"],
      grid: { stroke: inks["--line"], width: 1 },
      ticks: { show: false },
      font: "11px system-ui",
    };
    plot.current = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { range: [-1.08, 1.08] } },
        axes: [
          { ...axis, size: 22, gap: 2 },
          { ...axis, size: 26, gap: 2, splits: () => [-1, 0, 1], values: () => ["−1", "0", "1"] },
        ],
        series: [
          {},
          {
            stroke: inks["--ink-2"],
            width: 2,
            fill: inks["--accent-soft"],
            fillTo: 0,
            points: { show: false },
            spanGaps: true,
          },
        ],
        hooks: { draw: [draw] },
      },
      [values.map((_, ply) => ply), values],
      element,
    );
    const click = () => {
      const { idx } = plot.current.cursor;
      if (idx !== null && idx !== undefined) latest.current.go(idx);
    };
    plot.current.over.addEventListener("click", click);
    const sized = new ResizeObserver(() => plot.current.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      plot.current.destroy();
    };
  }, [document.documentElement.dataset.theme]);
  useEffect(() => plot.current.setData([values.map((_, ply) => ply), values]), [values]);
  useEffect(() => plot.current.redraw(false), [at, judged]);
  const known = values.filter((value) => value !== null).length;
  return html`<div class="graph" ref=${box} role="img"
    aria-label=${`Value for ${roles[0]} move by move, ${known} of ${values.length} positions evaluated`}
    data-known=${known}></div>`;
}
