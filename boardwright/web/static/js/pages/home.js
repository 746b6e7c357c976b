/** The first page: choose a game and begin, or go on with one. */
import { html, useEffect, useMemo, useState } from "../ui.js";
import { notifyError } from "../announce.js";
import { Board } from "../board/board.js";
import { useInput } from "../board/input.js";
import { useKeys } from "../keys.js";
import { lastChoices, NewGame } from "../panels/newgame.js";
import { Link } from "../router.js";
import { beginsAbove, colourOf, playerName } from "../sides.js";

const SHOWN_GAMES = 8;

/** `params` may ask for a game, rules and a position to begin from: links of the study page do. */
export function Page({ api, params }) {
  const [games, setGames] = useState(null);
  const [choices, setChoices] = useState(null);
  const [open, setOpen] = useState([]);
  const [view, setView] = useState(null);
  useKeys([]);
  useEffect(() => {
    document.title = "Boardwright";
    api
      .games()
      .then((list) => {
        setGames(list);
        setChoices(lastChoices(list, params.game ? { game: params.game, rules: params.rules } : {}));
      })
      .catch(notifyError);
    api.liveGames().then(setOpen).catch(notifyError);
  }, []);
  const asked = choices && params.game === choices.game && params.rules === choices.rules ? params.position : undefined;
  useEffect(() => {
    if (choices)
      api.position({ game: choices.game, rules: choices.rules, start: asked }).then(setView).catch(notifyError);
  }, [choices?.game, choices?.rules, asked]);
  if (!games || !view || view.game !== choices.game) return html`<main class="stage" aria-busy="true"></main>`;
  const game = games.find((candidate) => candidate.name === choices.game);
  return html`
    <main class="stage">
      <h1 class="unseen">Play a game</h1>
      <div class="stage-board"><${Preview} view=${view} game=${game} role=${choices.role} /></div>
      <div class="stage-side">
        <section class="panel">
          <h2>${asked ? "New game from this position" : "New game"}</h2>
          <${NewGame} games=${games} choices=${choices} setChoices=${setChoices} position=${asked}
            colours=${[0, 1].map((role) => colourOf(view, game.roles, role))} />
        </section>
        ${
          open.length > 0 &&
          html`<section class="panel">
          <h2>Go on with</h2>
          <ul class="open-games">${open.slice(0, SHOWN_GAMES).map((live) => html`<${OpenGame}
            key=${live.id} live=${live} games=${games} />`)}</ul>
        </section>`
        }
      </div>
    </main>
  `;
}

/** The board as it will be, to look at. */
function Preview({ view, game, role }) {
  const input = useInput(view, false, () => {});
  const flip = useMemo(() => role !== "random" && beginsAbove(view, game.roles, role), [view, role]);
  return html`<${Board} view=${view} input=${input} flip=${flip} roles=${game.roles}
    label=${`${game.title}, the first position`} />`;
}

function OpenGame({ live, games }) {
  const game = games.find((candidate) => candidate.name === live.game);
  return html`
    <li>
      <${Link} to=${`/play/${live.id}`}>
        <strong>${game?.title ?? live.game}</strong> <span class="quiet">${live.rules}</span><br />
        <span class="quiet">${game?.roles[live.human]} against ${playerName(game, live.opponent)}</span>
      </${Link}>
    </li>
  `;
}
