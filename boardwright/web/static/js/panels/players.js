/** Who plays: a name, whether it is their turn, and their clock. */
import { classes, html, useEffect, useState } from "../lib/ui.js";

const LOW_SECONDS = 20;

/**
 * Seconds left of a clock that was read at `at` and runs since; when the connection is lost after that it is shown as
 * stopped until it is read again: clocks are paused while the server is down.
 */
function useRemaining(clock, role, at, lostAt) {
  const running = clock?.running === role;
  const stopped = lostAt > at;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running || stopped) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 200);
    return () => clearInterval(timer);
  }, [running, stopped]);
  if (!clock) return null;
  return Math.max(0, clock.remaining[role] - (running ? ((stopped ? lostAt : performance.now()) - at) / 1000 : 0));
}

function clockText(seconds) {
  const whole = Math.ceil(seconds - 1e-6);
  if (seconds < 10) return seconds.toFixed(1);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** @param {{name: string, role: number, colour: number, roleName: string, clock: any, readAt: number, lostAt: number, turn: boolean, note?: string}} props */
export function PlayerStrip({ name, role, colour, roleName, clock, readAt, lostAt, turn, note }) {
  const remaining = useRemaining(clock, role, readAt, lostAt);
  return html`
    <div class=${classes("player", { turn })}>
      <i class=${`side-dot colour-${colour}`}></i>
      <span class="player-name" title=${name}>${name}</span>
      <span class="quiet">${roleName}</span>
      ${note && html`<span class="thinking" role="status">${note}<i></i><i></i><i></i></span>`}
      ${remaining !== null && html`<span class=${classes("clock", { low: remaining < LOW_SECONDS })} role="timer"
        aria-label=${`Clock of ${roleName}`}>${clockText(remaining)}</span>`}
    </div>
  `;
}
