/** Where a game begins by itself: it says whose side of the board is below, wherever the pieces stand later. */
import { useEffect, useState } from "./ui.js";
import { untilAnswered } from "./patience.js";

/** The first position of a game under some rules, never one that was asked for; the last known, null at first. */
export function useFirst(api, game, rules) {
  const [first, setFirst] = useState(null);
  useEffect(() => (game ? untilAnswered(() => api.position({ game, rules }), setFirst) : undefined), [game, rules]);
  return first;
}
