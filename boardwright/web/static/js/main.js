/** The frame around every page: navigation, theme, help, and which page is shown. */
import { html, render, useEffect, useLayoutEffect, useState } from "./lib/ui.js";
import { Announcer } from "./lib/announce.js";
import { api } from "./lib/api.js";
import { Defs } from "./board/defs.js";
import { Help, TEXT_FIELDS } from "./lib/keys.js";
import { LoadError } from "./panels/LoadError.js";
import { RulesInPlay } from "./panels/howto.js";
import { Link, useRoute } from "./lib/router.js";
import { makeSocket } from "./lib/socket.js";
import { useRemembered } from "./lib/storage.js";

const PAGES = {
  home: () => import("./pages/home.js"),
  play: () => import("./pages/play.js"),
  study: () => import("./pages/study.js"),
  arena: () => import("./pages/arena.js"),
  training: () => import("./pages/training.js"),
};
const NAVIGATION = [
  ["/", "Play", ["home", "play"]],
  ["/a", "Study", ["study"]],
  ["/arena", "Arena", ["arena"]],
  ["/training", "Training", ["training"]],
];
const THEMES = { auto: "system", light: "light", dark: "dark" };
const THEME_SIGNS = { auto: "◐", light: "☀", dark: "☾" };
const socket = makeSocket();

function useTheme() {
  const [theme, setTheme] = useRemembered("theme", "auto");
  useLayoutEffect(() => void (document.documentElement.dataset.theme = theme), [theme]);
  const names = Object.keys(THEMES);
  return [theme, () => setTheme(names[(names.indexOf(theme) + 1) % names.length])];
}

function usePage(page) {
  const [loaded, setLoaded] = useState({});
  useEffect(() => {
    if (loaded[page] || !PAGES[page]) return;
    PAGES[page]()
      .then((module) => setLoaded((before) => ({ ...before, [page]: module.Page })))
      .catch(() => setLoaded((before) => ({ ...before, [page]: LoadError })));
  }, [page]);
  return PAGES[page] ? loaded[page] : NotFound;
}

const NotFound = () =>
  html`<main class="plain"><h1>Page not found</h1><p><${Link} to="/">Play a game</${Link}></p></main>`;

function App() {
  const { page, params } = useRoute();
  const Page = usePage(page);
  const [theme, nextTheme] = useTheme();
  const [help, setHelp] = useState(false);
  useLayoutEffect(() => {
    const listen = (event) => {
      if (event.key !== "?" || event.target.closest(TEXT_FIELDS)) return;
      event.preventDefault();
      setHelp((open) => !open);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  const skip = (event) => {
    event.preventDefault(); // the address names what is shown, and stays
    document.getElementById("content").focus();
  };
  return html`
    <a class="skip" href="#content" onClick=${skip}>Skip to content</a>
    <${Defs} />
    <header class="top">
      <${Link} to="/" class="brand" aria-label="Boardwright, home"><svg viewBox="0 0 32 32" aria-hidden="true">
        <use href="#emblem" /></svg><span>Boardwright</span></${Link}>
      <nav aria-label="Pages">
        ${NAVIGATION.map(([to, name, pages]) => html`<${Link} to=${to}
          aria-current=${pages.includes(page) ? "page" : undefined}>${name}</${Link}>`)}
      </nav>
      <div class="top-tools">
        <button class="icon" onClick=${nextTheme} aria-label=${`Colours: ${THEMES[theme]}. Change`}
          title=${`Colours: ${THEMES[theme]}`}>${THEME_SIGNS[theme]}</button>
        <button class="icon" onClick=${() => setHelp(true)} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)">?</button>
      </div>
    </header>
    <div id="content" tabindex="-1">
      ${Page ? html`<${Page} key=${page} api=${api} socket=${socket} params=${params} />` : html`<main class="plain"
        aria-busy="true"></main>`}
    </div>
    <${Help} open=${help} close=${() => setHelp(false)}>${help && html`<${RulesInPlay} api=${api} />`}</${Help}>
    <${Announcer} />
  `;
}

render(html`<${App} />`, document.getElementById("app"));
