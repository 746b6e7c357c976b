/** Every request the pages make, by name. Failures are `ApiError`s whose message is the server's one line. */

export class ApiError extends Error {
  /** @param {string} message @param {number} status 0 where the server was not reached */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function request(method, path, body, signal) {
  const options = { method, signal, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the server does not answer: is it still running?", 0);
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(answer?.error ?? `the server answered ${response.status}`, response.status);
  return answer;
}

/** A path with a query of the values that are given. */
function query(path, values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

const get = (path, signal) => request("GET", path, undefined, signal);
const post = (path, body = {}, signal = undefined) => request("POST", path, body, signal);
const id = encodeURIComponent;

let games; // they do not change while the server runs
const positions = new Map(); // recent answers of `position`, oldest first; positions never change
const KEPT_POSITIONS = 400;

export const api = {
  games() {
    games ??= get("/api/games").catch((error) => {
      games = undefined;
      throw error;
    });
    return games;
  },
  /** @param {{game: string, rules?: string, start?: string|null, actions?: number[], moves?: string[]}} asked */
  position(asked) {
    const key = JSON.stringify([asked.game, asked.rules, asked.start ?? null, asked.actions, asked.moves]);
    if (!positions.has(key)) {
      const answer = post("/api/position", asked);
      answer.catch(() => positions.delete(key));
      positions.set(key, answer);
      if (positions.size > KEPT_POSITIONS) positions.delete(positions.keys().next().value);
    }
    return positions.get(key);
  },
  newGame: (choices) => post("/api/play", choices),
  liveGames: () => get("/api/play"),
  liveGame: (game) => get(`/api/play/${id(game)}`),
  move: (game, move) => post(`/api/play/${id(game)}/move`, move),
  undo: (game) => post(`/api/play/${id(game)}/undo`),
  resign: (game) => post(`/api/play/${id(game)}/resign`),
  again: (game) => post(`/api/play/${id(game)}/again`),
  readFile: (game, text) => post("/api/files/read", { game, text }),
  writeFile: (record) => post("/api/files/write", record),
  ratings: (game, rules) => get(query("/api/ratings", { game, rules })),
  crosstable: (game, rules) => get(query("/api/crosstable", { game, rules })),
  records: (filter) => get(query("/api/records", filter)),
  record: (record) => get(`/api/records/${id(record)}`),
  startMatch: (choices) => post("/api/matches", choices),
  matches: () => get("/api/matches"),
  match: (match) => get(`/api/matches/${id(match)}`),
  resumeMatch: (match) => post(`/api/matches/${id(match)}/resume`),
  stopMatch: (match) => request("DELETE", `/api/matches/${id(match)}`),
  runs: () => get("/api/runs"),
  metrics: (run, after) => get(query(`/api/runs/${id(run)}/metrics`, { after })),
  sample: (run, seed) => get(query(`/api/runs/${id(run)}/sample`, { seed })),
};
