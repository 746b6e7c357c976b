/** The player that analyses, as chosen on this page or on an earlier visit. */
import { useState } from "../lib/ui.js";
import { ladderOf, plays } from "../lib/ladder.js";
import { useRemembered } from "../lib/storage.js";

/** The strongest net of the ladder with its search; without one, a search without a net. */
function defaultAgent(game, rules) {
  const best = ladderOf(game, rules).at(-1).spec;
  const names = game.players.map((player) => player.name);
  return /^(alphazero|alphabeta):net=/.test(best) ? best : (["alphabeta", "mc"].find((name) => names.includes(name)) ?? best);
}

/** @returns {[string, (spec: string) => void]} a remembered player is used only if it plays by the rules */
export function useAnalysisAgent(game, rules) {
  const [saved, setSaved] = useRemembered(`engine:${game.name}`, defaultAgent(game, rules));
  const [chosen, setChosen] = useState(null); // on this page: if it does not play by these rules, the server says so
  const choose = (spec) => {
    setChosen(spec);
    setSaved(spec);
  };
  return [chosen ?? (plays(game, rules, saved) ? saved : defaultAgent(game, rules)), choose];
}
