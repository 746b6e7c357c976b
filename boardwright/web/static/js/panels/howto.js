/** The rules of a game, collapsed at first. */
import { html, useEffect, useState } from "../lib/ui.js";
import { ruleSetOf } from "../lib/ladder.js";
import { whileShown } from "../lib/retry.js";
import { route } from "../lib/router.js";

/** @param {{game: any, rules: string}} props nothing is shown for custom rules and for games without a text */
export function HowToPlay({ game, rules }) {
  const { name, how_to_play: paragraphs } = ruleSetOf(game, rules);
  if (name !== rules || !paragraphs.length) return null;
  return html`
    <details class="how-to-play">
      <summary>How to play</summary>
      <div>
        ${paragraphs.map(({ title, text }) => html`<p key=${title}><strong>${title}.</strong> ${text}</p>`)}
      </div>
    </details>
  `;
}

/** The rules of the game that the open page plays or studies; nothing on other pages, and until they are known. */
export function RulesInPlay({ api }) {
  const [shown, setShown] = useState(null);
  useEffect(() => {
    const { page, params } = route(location);
    const named = { play: () => api.liveGame(params.id), study: async () => params }[page] ?? (async () => ({}));
    const show = ([games, { game, rules }]) => {
      const found = games.find(({ name }) => name === game);
      if (found) setShown({ game: found, rules: rules ?? found.default_rules });
    };
    return whileShown(Promise.all([api.games(), named()]), show, () => {}); // the keys are there all the same
  }, []);
  return shown && html`<${HowToPlay} ...${shown} />`;
}
