/** Which page a path names, and going there without loading the document again. */
import { html, useLayoutEffect, useState } from "./ui.js";

/** Position texts hold slashes and spaces; in a path a space is an underscore, which no text holds. */
export const positionPath = (text) =>
  encodeURI(text.replaceAll(" ", "_")).replaceAll("?", "%3F").replaceAll("#", "%23");
const positionText = (path) => decodeURI(path).replaceAll("%3F", "?").replaceAll("%23", "#").replaceAll("_", " ");

/**
 * The link to a position, or to a line of play from one. `flip` shows the board from the other side, `review` begins a
 * review of the line.
 * @param {{game: string, rules: string, start?: string|null, actions?: number[], ply?: number, flip?: boolean,
 *   review?: boolean}} line
 */
export function studyPath({ game, rules, start, actions = [], ply, flip, review }) {
  const values = new URLSearchParams();
  if (actions.length) values.set("m", actions.join("."));
  if (ply !== undefined) values.set("ply", String(ply));
  if (flip) values.set("flip", "1");
  if (review) values.set("review", "1");
  const asked = values.size ? `?${values}` : "";
  return `/a/${game}/${encodeURIComponent(rules)}${start ? `/${positionPath(start)}` : ""}${asked}`;
}

/** @returns {{page: string, params: Record<string, any>}} the page `lost` where a path names none */
export function route(where) {
  try {
    return parsePath(where);
  } catch (error) {
    if (error instanceof URIError) return { page: "lost", params: {} }; // a % that begins no character
    throw error;
  }
}

function parsePath({ pathname, search }) {
  const asked = Object.fromEntries(new URLSearchParams(search));
  const study = pathname.match(/^\/a\/([^/]+)(?:\/([^/]+))?(?:\/(.*))?$/);
  if (study) {
    const [, game, rules, start] = study;
    const actions = asked.m ? asked.m.split(".").map(Number) : [];
    const params = {
      game,
      rules: rules && decodeURIComponent(rules),
      start: start ? positionText(start) : null,
      actions,
      ply: asked.ply ? Number(asked.ply) : null,
      flip: asked.flip === "1",
      review: asked.review === "1",
      record: asked.record,
    };
    return { page: "study", params };
  }
  const play = pathname.match(/^\/play\/([^/]+)\/?$/);
  if (play) return { page: "play", params: { id: decodeURIComponent(play[1]) } };
  const page = { "/": "home", "/a": "study", "/a/": "study", "/arena": "arena", "/training": "training" }[pathname];
  return { page: page ?? "lost", params: asked };
}

const listeners = new Set();
const address = () => location.pathname + location.search;
let shown = address(); // what names the page that is open

/** Goes to a path; `replace` leaves no step behind in the browser's history. */
export function go(path, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  shown = address();
  listeners.forEach((listener) => listener());
}

/** Changes the address to one that names what is already shown. */
export function rename(path) {
  history.replaceState(null, "", path);
  shown = address();
}

/** A step in the browser's history; one to another place of the same page would lose what it holds: variations. */
addEventListener("popstate", () => {
  if (address() === shown) return;
  shown = address();
  listeners.forEach((listener) => listener());
});

export function useRoute() {
  const [where, setWhere] = useState(() => route(location));
  useLayoutEffect(() => {
    const listen = () => {
      setWhere(route(location));
      window.scrollTo(0, 0);
    };
    listeners.add(listen);
    return () => listeners.delete(listen);
  }, []);
  return where;
}

export function Link({ to, children, ...rest }) {
  const follow = (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${to} onClick=${follow} ...${rest}>${children}</a>`;
}
