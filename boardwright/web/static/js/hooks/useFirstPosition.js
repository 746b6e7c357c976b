/** Where a game begins by itself: it says whose side of the board is below, wherever the pieces stand later. */
import { useEffect, useState } from "../lib/ui.js";
import { retryUntilAnswered } from "../lib/retry.js";

/** The first position of a game under some rules, never one that was asked for; the last known, null at first. */
export function useFirstPosition(api, game, rules) {
  const [first, setFirst] = useState(null);
  useEffect(() => (game ? retryUntilAnswered(() => api.position({ game, rules }), setFirst) : undefined), [game, rules]);
  return first;
}
