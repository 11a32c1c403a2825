// What is asked first of all: on its way while the page's other modules still come, so this one imports nothing.

let token = null;
try {
  token = sessionStorage.getItem("token");
} catch {
  /* asked for again, then */
}
/** The token of this tab, where it has one. */
export const storedToken = token;

/** The header that a token goes in. */
export const authorization = (secret) => (secret ? { authorization: `Bearer ${secret}` } : {});

const FIRST = ["api/v1", "api/v1/me", "api/v1/workspaces"];
/** Replies by address, each to be taken once; nothing where the server was not reached. */
export const first = new Map(FIRST.map((path) => [path, fetch(path, { headers: authorization(token) }).catch(() => null)]));
