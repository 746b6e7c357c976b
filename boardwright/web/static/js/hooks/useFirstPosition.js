/** The initial position of a game, which decides whose side of the board is below. */
import { useEffect, useState } from "../lib/ui.js";
import { retryUntilAnswered } from "../lib/retry.js";

/** The initial position of a game under some rules, never one from an address; null until it is loaded. */
export function useFirstPosition(api, game, rules) {
  const [first, setFirst] = useState(null);
  useEffect(() => (game ? retryUntilAnswered(() => api.position({ game, rules }), setFirst) : undefined), [game, rules]);
  return first;
}
