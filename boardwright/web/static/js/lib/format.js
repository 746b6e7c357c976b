/** Numbers and times as people read them. */

/** 0.625 as "62.5 %". */
export const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Points with halves: 3.5 as "3½". */
export const points = (count) => (count % 1 ? `${Math.floor(count) || ""}½` : String(count));

/** A whole number, with a true minus. */
export const whole = (value) => `${Math.round(value) < 0 ? "−" : ""}${Math.abs(Math.round(value))}`;

/** An Elo number with its sign. */
export const signed = (elo) => `${elo < 0 ? "−" : "+"}${Math.abs(Math.round(elo))}`;

/** 1234567 as "1.23 M". */
export function large(count) {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (Math.abs(count) >= size) return `${Number((count / size).toPrecision(3))} ${unit}`;
  return String(Number(count.toPrecision(4)));
}

/** How long ago a time like 2025-01-31T18:00:00Z was. */
export function ago(text) {
  const seconds = Math.max(0, (Date.now() - Date.parse(text)) / 1000);
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]])
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}${seconds >= 2 * size ? "s" : ""} ago`;
  return "just now";
}
