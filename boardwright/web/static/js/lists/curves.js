/** The metrics of a run as curves that are updated while it runs. */
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/ui.js";
import uPlot from "../../vendor/uPlot.js";
import { large } from "../lib/format.js";

const HEIGHT = 190;
const COLOURS = ["--curve-0", "--curve-1", "--curve-2", "--curve-3"];
const MIN_WINDOW = 5;
const WINDOW_SHARE = 0.05; // of a rolling mean: iterations, share of the run
const MAIN = ["elo", "against-random", "outcomes", "loss-total", "loss-policy", "loss-value", "entropy", "policy-entropy", "td-error", "vae-loss", "reconstruction", "speed"];

/**
 * Curves by name with those of a later answer: it begins where it begins, what was there from then on gives way.
 * @param {Record<string, {iterations: number[], frames: number[], values: (number|null)[]}>} known
 */
export function joinCurves(known, later) {
  const curves = { ...known };
  for (const [name, curve] of Object.entries(later)) {
    if (!curve.iterations.length) continue;
    const before = curves[name];
    const keep = before ? before.iterations.findIndex((iteration) => iteration >= curve.iterations[0]) : 0;
    const cut = (key) => [...(before ? before[key].slice(0, keep < 0 ? undefined : keep) : []), ...curve[key]];
    curves[name] = { iterations: cut("iterations"), frames: cut("frames"), values: cut("values") };
  }
  return curves;
}

/** The mean of the numbers among those around each. */
export function rollingMean(values) {
  const window = Math.max(MIN_WINDOW, Math.round(WINDOW_SHARE * values.length) | 1);
  const half = Math.floor(window / 2);
  return values.map((_, place) => {
    const around = values.slice(Math.max(0, place - half), place + half + 1).filter((value) => value !== null && value !== undefined);
    return around.length ? around.reduce((sum, value) => sum + value, 0) / around.length : null;
  });
}

/** The columns of a figure over the frames at which any of its curves has a value. */
function columns(figure, curves) {
  const names = Object.keys(figure.scalars).filter((name) => curves[name]);
  const bounds = figure.band && figure.band.every((name) => curves[name]) ? figure.band : [];
  const framesAt = new Map();
  for (const name of [...names, ...bounds]) curves[name].iterations.forEach((iteration, place) => framesAt.set(iteration, curves[name].frames[place]));
  const iterations = [...framesAt.keys()].sort((one, other) => one - other);
  const column = (name) => {
    const found = new Map(curves[name].iterations.map((iteration, place) => [iteration, curves[name].values[place]]));
    return iterations.map((iteration) => found.get(iteration) ?? null);
  };
  const rolling = figure.rolling && iterations.length >= 2 * MIN_WINDOW; // a mean of fewer would hide them
  return { names, frames: iterations.map((iteration) => framesAt.get(iteration)), iterations, values: names.map(column), bounds: bounds.map(column), rolling };
}

/** A colour of the style sheet as the canvas wants it. */
function resolveColour(name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

const faint = (colour, share) => colour.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${share})`);

/** uPlot's options for a figure: faint measured values and their mean, or a line with its band. */
function optionsFor(figure, data, width, follow) {
  const [ink, grid] = [resolveColour("--ink-2"), resolveColour("--line")];
  const series = [{}];
  data.names.forEach((_, place) => {
    const stroke = resolveColour(COLOURS[place % COLOURS.length]);
    if (data.rolling) series.push({ stroke: faint(stroke, 0.3), width: 1, spanGaps: true, points: { show: false } });
    series.push({ stroke, width: 2, spanGaps: true, points: { show: data.frames.length < 40, size: 5, fill: stroke } });
  });
  const bands = [];
  if (data.bounds.length) {
    const stroke = resolveColour(COLOURS[0]);
    data.bounds.forEach(() => series.push({ stroke: "transparent", width: 0, spanGaps: true, points: { show: false } }));
    bands.push({ series: [series.length - 1, series.length - 2], fill: faint(stroke, 0.18) });
  }
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "12px system-ui, sans-serif" };
  const spread = (low, high) => {
    const [least, most] = [Math.min(low, ...figure.includes), Math.max(high, ...figure.includes)];
    return least === most ? [least - 1, most + 1] : uPlot.rangeNum(least, most, 0.06, true);
  };
  return {
    width,
    height: HEIGHT,
    series,
    bands,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false }, y: { range: (_, low, high) => (low === null ? [0, 1] : spread(low, high)) } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(large), space: 70, size: 30 },
      { ...axis, values: (_, splits) => splits.map(large), size: 58 },
    ],
    hooks: { setCursor: [(plot) => follow(plot.cursor.idx ?? null)] },
  };
}

function dataFor(data) {
  const lines = data.values.flatMap((values) => (data.rolling ? [values, rollingMean(values)] : [values]));
  return [data.frames, ...lines, ...data.bounds];
}

/** Whether it is day or night on the page, as a value that changes with it. */
function useColours() {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((count) => count + 1);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", changed);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", changed);
    };
  }, []);
  return changes;
}

/** @param {{figure: any, curves: any}} props */
function Curve({ figure, curves }) {
  const place = useRef(null);
  const plot = useRef(null);
  const [at, setAt] = useState(null);
  const colours = useColours();
  const data = useMemo(() => columns(figure, curves), [curves, figure.name]);
  useLayoutEffect(() => {
    const made = new uPlot(optionsFor(figure, data, place.current.clientWidth, setAt), dataFor(data), place.current);
    plot.current = made;
    const observer = new ResizeObserver(([entry]) => made.setSize({ width: Math.max(120, Math.floor(entry.contentRect.width)), height: HEIGHT }));
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [figure.name, data.names.join(), data.bounds.length, data.rolling, colours]);
  useLayoutEffect(() => plot.current?.setData(dataFor(data)), [data]);
  const point = at ?? data.frames.length - 1;
  const read = data.names.map((name, line) => [figure.scalars[name], data.values[line][point] ?? (at === null ? data.values[line].findLast((value) => value !== null) : null)]);
  const text = (value) => (value === null || value === undefined ? "–" : large(value));
  return html`
    <figure class="curve" data-figure=${figure.name} data-points=${data.frames.length}>
      <figcaption><strong>${figure.title}</strong> <span class="quiet">${figure.y_label}</span></figcaption>
      <div ref=${place} role="img" aria-label=${`${figure.title}, now ${read.map(([name, value]) => `${name} ${text(value)}`).join(", ")}`}></div>
      <p class="legend">
        ${read.map(([name, value], line) => html`<span><i style=${{ background: `var(${COLOURS[line % COLOURS.length]})` }}></i>${name} <b class="number">${text(value)}</b></span>`)}
        <span class="quiet">iteration ${data.iterations[point]}</span>
      </p>
    </figure>
  `;
}

/** @param {{figures: any[], curves: any}} props only what the run has measured is drawn */
export function Curves({ figures, curves }) {
  const [more, setMore] = useState(false);
  const has = (name) => curves[name]?.values.some((value) => value !== null);
  const drawn = figures.filter((figure) => Object.keys(figure.scalars).some(has));
  if (!drawn.length) return html`<p class="quiet">No metrics yet: the first iteration is running.</p>`;
  const [main, others] = [true, false].map((main) => drawn.filter((figure) => MAIN.includes(figure.name) === main));
  const all = (list) => html`<div class="curves">${list.map((figure) => html`<${Curve} key=${figure.name} figure=${figure} curves=${curves} />`)}</div>`;
  return html`
    ${all(main)}
    ${others.length > 0 &&
    html`<details onToggle=${(event) => setMore(event.target.open)}><summary>More curves (${others.length})</summary>${more && all(others)}</details>`}
  `;
}
