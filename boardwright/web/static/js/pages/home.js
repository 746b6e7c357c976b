/** The first page: start a game, or resume one. */
import { html, useEffect, useState, useTitle } from "../lib/ui.js";
import { notify, notifyError } from "../lib/announce.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { useFirstPosition } from "../hooks/useFirstPosition.js";
import { useKeys } from "../lib/keys.js";
import { rulesTitle } from "../lib/ladder.js";
import { mayPass, useGames, usePolled } from "../hooks/usePolled.js";
import { HowToPlay } from "../panels/howto.js";
import { lastChoices, NewGame } from "../panels/newgame.js";
import { Link } from "../lib/router.js";
import { beginsAbove, colourOf, namesByColour, playerName } from "../lib/sides.js";

const SHOWN_GAMES = 8; // until all are asked for

/** `params` may ask for a game, rules and a position to begin from: links of the study page do. */
export function Page({ api, params }) {
  const games = useGames(api);
  const [choices, setChoices] = useState(null);
  const live = usePolled(api.liveGames, () => null, "live");
  useKeys([]);
  useTitle("Boardwright");
  useEffect(() => {
    if (games) setChoices(lastChoices(games, params.game ? { game: params.game, rules: params.rules } : {}));
  }, [games]);
  useEffect(() => live.error && notifyError(live.error), [live.error]);
  const game = games?.find((candidate) => candidate.name === choices?.game);
  const [asked, view] = useStartPosition(api, game, choices, params);
  const first = useFirstPosition(api, game?.name, choices?.rules);
  if (!game || view?.game !== game.name) return html`<main class="stage" aria-busy="true"></main>`;
  return html`
    <main class="stage">
      <h1 class="unseen">Play a game</h1>
      <div class="stage-board"><${Preview} view=${view} first=${first} game=${game} role=${choices.role} /></div>
      <div class="stage-side">
        <section class="panel">
          <h2>${asked ? "New game from this position" : "New game"}</h2>
          <${NewGame} games=${games} choices=${choices} setChoices=${setChoices} position=${asked}
            colours=${[0, 1].map((role) => colourOf(view, game.roles, role))} />
          <${HowToPlay} game=${game} rules=${choices.rules} />
        </section>
        ${live.answer?.length > 0 && html`<${OpenGames} open=${live.answer} games=${games} />`}
      </div>
    </main>
  `;
}

/**
 * The text of the position asked for, if it is one under the rules that are chosen, and the view of what a game begins
 * from: the last one seen while the next is on its way.
 */
function useStartPosition(api, game, choices, params) {
  const [refused, setRefused] = useState(null); // the text of an invalid position
  const [view, setView] = useState(null);
  const fits = game && params.game === game.name && (params.rules ?? game.default_rules) === choices.rules;
  const asked = fits && params.position !== refused ? params.position : undefined;
  const settings = { game: game?.name, rules: choices?.rules, start: asked };
  const { answer, error } = usePolled(
    () => (game ? api.position(settings) : Promise.resolve(null)),
    () => null,
    JSON.stringify(settings),
  );
  useEffect(() => answer && setView(answer), [answer]);
  useEffect(() => {
    if (!error) return;
    const wrong = asked && !mayPass(error);
    if (wrong) setRefused(asked);
    notify(wrong ? `Showing the initial position: the requested one cannot be read (${error.message})` : error.message);
  }, [error]);
  return [asked, view];
}

/** The board as it will be, to look at. */
function Preview({ view, first, game, role }) {
  const input = useInput(view, false, () => {});
  const flip = role !== "random" && first?.game === game.name && beginsAbove(first, game.roles, role);
  return html`<${Board} view=${view} input=${input} flip=${flip} roles=${namesByColour(view, game.roles)}
    label=${`${game.title}, the initial position`} />`;
}

/** Unfinished games, the most recently moved first. */
function OpenGames({ open, games }) {
  const [all, setAll] = useState(false);
  return html`
    <section class="panel">
      <h2>Resume</h2>
      <ul class="open-games">${open.slice(0, all ? open.length : SHOWN_GAMES).map((live) => html`<${OpenGame}
        key=${live.id} live=${live} games=${games} />`)}</ul>
      ${
        open.length > SHOWN_GAMES &&
        html`<button class="button small" aria-expanded=${String(all)} onClick=${() => setAll(!all)}>
          ${all ? "Show fewer" : `Show all ${open.length}`}
        </button>`
      }
    </section>
  `;
}

function OpenGame({ live, games }) {
  const game = games.find((candidate) => candidate.name === live.game);
  return html`
    <li>
      <${Link} to=${`/play/${live.id}`}>
        <strong>${rulesTitle(game, live.rules)}</strong><br />
        <span class="quiet">${game?.roles[live.human]} against ${playerName(game, live.opponent)}</span>
      </${Link}>
    </li>
  `;
}
