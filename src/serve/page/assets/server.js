// The routes of the API, as the page uses them. Every address is relative, so that a path prefix of a proxy holds.

import { authorization, first, storedToken } from "./first.js";
import { said } from "./words.js";

/** What goes wrong at the server: its sentence, its kind, its status. */
export class Problem extends Error {
  constructor(body, status) {
    super();
    /** The sentence as the server said it. */
    this.detail = body.detail || body.title || `HTTP ${status}`;
    this.kind = String(body.type || "").replace("/problems/", "");
    this.status = status;
  }

  /** The same in the page's language, where that is known. */
  get message() {
    return said(this.detail);
  }
}

let secret = storedToken;

let askForToken = () => Promise.reject(new Problem({ detail: "a token is needed" }, 401));
let asking = null;

/** Says how the page asks for a token. */
export function onToken(ask) {
  askForToken = ask;
}

/** Asks the server; asks for a token where one is needed. */
export async function call(path, options = {}) {
  let refused = false;
  for (;;) {
    let response;
    let sent;
    try {
      const early = options.method ? null : await first.get(path);
      first.delete(path);
      sent = early ? storedToken : secret;
      const headers = { ...options.headers, ...authorization(sent) };
      if (typeof options.body === "string") headers["content-type"] = "application/json";
      response = early ?? (await fetch(path, { ...options, headers }));
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ type: "/problems/offline", detail: "" }, 0);
    }
    if (response.status === 401) {
      // refused late, with a token that another has taken the place of since
      if (!asking && secret !== sent) continue;
      // several requests that are refused at once ask once
      asking ??= askForToken(refused).finally(() => {
        asking = null;
      });
      // a header takes no other characters, and fetch would throw at every call
      secret = (await asking).replace(/[^\x21-\x7e]/g, "");
      // for this tab alone, and gone with it
      try {
        sessionStorage.setItem("token", secret);
      } catch {
        /* then until it is reloaded */
      }
      refused = true;
      continue;
    }
    if (!response.ok) throw new Problem(await response.json().catch(() => ({})), response.status);
    return response;
  }
}

const fields = (given) => {
  const found = Object.entries(given ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return found.length ? `?${new URLSearchParams(found)}` : "";
};

export async function get(path, given, options) {
  return (await call(path + fields(given), options)).json();
}

/** A picture, as an address that holds all of it: a page may show no others, and a token goes with the request. */
export async function picture(path, given) {
  const held = await (await call(path + fields(given))).blob();
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(held);
  });
}

export async function send(method, path, body, options) {
  const response = await call(path, {
    ...options,
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.status === 204 ? null : response.json();
}

/** The address of a workspace's route. */
export const at = (workspace, ...parts) =>
  ["api/v1/workspaces", workspace, ...parts]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part)))
    .join("/");

/** The events of a reply, as they come: name and data. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      let name = "",
        data = "";
      for (const line of rest.slice(0, end).split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        if (line.startsWith("data:")) data += line.slice(5).trim();
      }
      rest = rest.slice(end + 2);
      if (data) yield [name, JSON.parse(data)];
    }
  }
}
