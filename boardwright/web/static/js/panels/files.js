/** Games and positions in and out: files, links, texts. */
import { Dialog, html, useEffect, useState } from "../lib/ui.js";
import { notify, notifyError } from "../lib/announce.js";
import { api } from "../lib/api.js";
import { rememberPlayed } from "../lib/recordedGames.js";
import { go, studyPath } from "../lib/router.js";

const headline = (read, index) => {
  const [first, second] = read.record.names ?? [];
  const { event } = read.headers;
  return `${index + 1}. ${first || "?"} – ${second || "?"}${event ? `, ${event}` : ""}`;
};

/** Puts a text on the clipboard, or shows it if there is no clipboard. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  } catch {
    window.prompt(`${what}:`, text);
  }
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** @param {{games: any[], game: any, view: any, record: any}} props `record` is what is to be written */
export function Files({ games, game, view, record }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [found, setFound] = useState(null);
  const [written, setWritten] = useState(null); // where it is another position than that on the board
  useEffect(() => setWritten(null), [view.text]);
  const load = (one) => {
    setOpen(false);
    setFound(null);
    setText("");
    const played = { game: game.name, ...one.record };
    rememberPlayed(played);
    go(studyPath({ ...played, ply: 0 }));
  };
  const read = (content) => {
    setFound(null);
    return api.readFile(game.name, content)
      .then(({ games: read, errors }) => {
        if (read.length === 1 && !errors.length) return load(read[0]);
        setFound({ games: read, errors: read.length || errors.length ? errors : [`No ${game.title} game found in this text.`] });
      })
      .catch(notifyError);
  };
  const write = () =>
    api.writeFile(record)
      .then((file) => save(file.name, file.text))
      .catch(notifyError);
  const setPosition = (event) => {
    event.preventDefault();
    const text = (written ?? view.text).trim();
    api.position({ game: game.name, rules: view.rules, start: text })
      .then(() => {
        setWritten(null); // not before: who wrote one square wrong wants to correct it
        go(studyPath({ game: game.name, rules: view.rules, start: text }));
      })
      .catch(notifyError);
  };
  const here = studyPath({ game: game.name, rules: view.rules, start: view.text });
  const another = (name) => go(studyPath({ game: name, rules: games.find((one) => one.name === name).default_rules }));
  return html`
    <section class="panel files" aria-label="Files and positions">
      <div class="row">
        <label class="field grow">Game
          <select value=${game.name}
            onChange=${(event) => another(event.target.value)}>
            ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.title}</option>`)}
          </select>
        </label>
        <label class="field grow">Rules
          <select value=${view.rules} onChange=${(event) => go(studyPath({ game: game.name, rules: event.target.value }))}>
            ${game.rule_sets.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
          </select>
        </label>
      </div>
      <form class="typed" onSubmit=${setPosition}>
        <label class="unseen" for="position-text">Position as text</label>
        <input id="position-text" class="text-input" spellcheck="false" value=${written ?? view.text}
          onInput=${({ target }) => setWritten(target.value === view.text ? null : target.value)} />
        <button class="button" disabled=${written === null}>Set</button>
      </form>
      <div class="row actions">
        <button class="button"
          onClick=${() => copy(location.origin + here, "Link to this position")}>Copy link</button>
        <button class="button" disabled=${Boolean(view.outcome)}
          onClick=${() => go(`/?${new URLSearchParams({ game: game.name, rules: view.rules, position: view.text })}`)}>Play from here</button>
        <button class="button" onClick=${() => {
          setFound(null);
          setOpen(true);
        }}>Load…</button>
        <button class="button" onClick=${write}>Save</button>
      </div>
      <${Dialog} open=${open} close=${() => setOpen(false)} aria-label="Load a game">
        ${open && html`<h2>Load a game of ${game.title}</h2>
        <label class="field">From a file<input type="file" name="game-file"
          onChange=${(event) => event.target.files[0]?.text().then(read)} /></label>
        <label class="field">Or paste the text<textarea class="text-input" rows="6" spellcheck="false" value=${text}
          onInput=${(event) => setText(event.target.value)}></textarea></label>
        ${found?.errors.map((error) => html`<p class="problem">${error}</p>`)}
        ${found && html`<ul class="open-games found">${found.games.map((one, index) => html`<li><button class="link"
          onClick=${() => load(one)}>${headline(one, index)}</button></li>`)}</ul>`}
        <div class="row"><button class="button primary" disabled=${!text.trim()}
          onClick=${() => read(text)}>Read</button><button class="button"
          onClick=${() => setOpen(false)}>Cancel</button></div>`}
      </${Dialog}>
    </section>
  `;
}
