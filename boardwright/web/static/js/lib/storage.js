/** What the page remembers of a person between visits: small choices, never games (the server keeps those). */
import { useCallback, useState } from "./ui.js";

const PREFIX = "boardwright:";

/** @returns {any} what was remembered under a name, else `otherwise` */
export function remembered(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise; // private windows may have no storage
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // then it lasts as long as the page
  }
}

/** Like `useState`, and the value is there again on the next visit. */
export function useRemembered(name, otherwise) {
  const [value, setValue] = useState(() => remembered(name, otherwise));
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
