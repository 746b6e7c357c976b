/** Choices that are remembered between visits; games are stored on the server. */
import { useCallback, useState } from "./ui.js";

const PREFIX = "boardwright:";

/** @returns {any} what was remembered under a name, else `otherwise`; `store` may be the one of the tab */
export function readStored(name, otherwise, store = "localStorage") {
  try {
    const text = window[store].getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text.replaceAll('"zero:', '"alphazero:')); // the player's old name
  } catch {
    return otherwise; // private windows may have no storage
  }
}

export function remember(name, value, store = "localStorage") {
  try {
    window[store].setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // then it lasts as long as the page
  }
}

/** Like `useState`, with a value that is remembered between visits. */
export function useRemembered(name, otherwise) {
  const [value, setValue] = useState(() => readStored(name, otherwise));
  const change = useCallback(
    (next) =>
      setValue((before) => {
        const after = typeof next === "function" ? next(before) : next;
        remember(name, after);
        return after;
      }),
    [name],
  );
  return [value, change];
}
