// The frame: where one is (the part behind # of the address), the list of screens, keys, the document beside.
import { Fragment, html, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor.js";
import { get, onToken } from "./server.js";
import { keep, kept, LANGUAGES, languageNow, loadSentences, setLanguage, t } from "./words.js";
import { Dialog, Icon, Round, Skeleton, Toasts, Trouble, useModule } from "./parts.js";
import { Ask } from "./ask.js";

const SCREENS = ["ask", "documents", "entities", "communities", "map", "library", "trends", "status"];
const LETTERS = {
  a: "ask",
  d: "documents",
  e: "entities",
  c: "communities",
  m: "map",
  l: "library",
  t: "trends",
  s: "status",
};
/** Parts of an address that stand for a record, and the screen that shows it. */
const RECORDS = { a: "ask", t: "ask", d: "documents", e: "entities", c: "communities" };
/** Screens but the first are loaded when they are first gone to. Some browsers remember that a module could not be loaded: what
 * is tried again has another address. */
const load = (screen, tries) => import(`./${screen}.js${tries ? `?again=${tries}` : ""}`);

function routeOf(hash) {
  const [path, fields] = hash.replace(/^#\/?/, "").split("?");
  const decode = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const parts = path.split("/").map(decode);
  const [, workspace = null, what = "ask", ...rest] = parts[0] === "w" ? parts : [];
  const id = rest.join("/") || null;
  const screen = RECORDS[what] ?? (SCREENS.includes(what) ? what : "ask");
  return {
    workspace,
    screen,
    record: RECORDS[what] ? what : null,
    id,
    fields: Object.fromEntries(new URLSearchParams(fields ?? "")),
  };
}

/** The address of a place within a workspace. */
export const address = (workspace, ...parts) => `#/w/${[workspace, ...parts].map(encodeURIComponent).join("/")}`;

function Screen({ screen, ...rest }) {
  const [loaded, setLoaded] = useState({ ask: Ask });
  // the screen that could not be loaded: the others are there as before
  const [failed, setFailed] = useState(null);
  const [tries, setTries] = useState(0);
  const Shown = loaded[screen];
  useEffect(() => {
    setFailed(null);
    if (Shown) return undefined;
    let left = false;
    load(screen, tries).then(
      (module) => setLoaded((old) => ({ ...old, [screen]: module.default })),
      () => !left && setFailed(screen),
    );
    return () => {
      left = true;
    };
  }, [screen, tries]);
  useEffect(() => {
    if (failed !== screen || Shown) return undefined;
    const again = () => setTries((old) => old + 1);
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [failed, screen, Shown]);
  if (!Shown && failed === screen)
    return html`<div class="page"><${Trouble} error=${{ kind: "offline" }} again=${() => setTries(tries + 1)} /></div>`;
  if (!Shown) return html`<div class="page"><${Skeleton} lines=${6} /></div>`;
  return html`<${Shown} key=${`${rest.workspace} ${screen}`} ...${rest} />`;
}

function TokenDialog({ refused, give }) {
  const [text, setText] = useState("");
  return html`<${Dialog} title=${t("token.title")} close=${() => {}}>
    <form onSubmit=${(event) => {
      event.preventDefault();
      if (text.trim()) give(text.trim());
    }}>
      <p>${refused ? t("token.refused") : t("token.text")}</p>
      <label class="field">${t("token.label")}<input type="password" autocomplete="off" value=${text} onInput=${(event) => setText(event.target.value)} autofocus /></label>
      <p class="row end"><button type="submit" class="button first">${t("token.enter")}</button></p></form></${Dialog}>`;
}

function Keys({ close }) {
  const rows = [
    ["/", "keys.question"],
    ["j  k", "keys.citations"],
    ["o", "keys.open"],
    ["Esc", "keys.close"],
    ["Ctrl Enter", "keys.send"],
    ...Object.entries(LETTERS).map(([letter, screen]) => [`g ${letter}`, `screen.${screen}`]),
    ["?", "keys.help"],
  ];
  return html`<${Dialog} title=${t("keys.title")} close=${close}><dl class="keys">${rows.map(
    ([key, word]) =>
      html`<div key=${key}>
        <dt>${key.split(/ +/).map((part) => html`<kbd>${part}</kbd> `)}</dt>
        <dd>${t(word)}</dd>
      </div>`,
  )}</dl></${Dialog}>`;
}

/** Where something stands on the screen, from its top; nothing where it is not shown. */
const topOf = (element) => (element?.getClientRects().length ? element.getBoundingClientRect().top : null);

function App() {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  const [language, changeLanguage] = useState(languageNow());
  const [scheme, setScheme] = useState(kept("scheme") ?? "");
  const [server, setServer] = useState({ about: null, me: null, workspaces: null, error: null });
  const [token, setToken] = useState(null);
  const [pane, setPane] = useState(null);
  const [keys, setKeys] = useState(false);
  const [turn, setTurn] = useState(0);
  const opener = useRef(null);
  const stood = useRef(null);
  const actions = useRef({});

  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    onToken((refused) => new Promise((give) => setToken({ refused, give })));
  }, []);
  useEffect(() => {
    Promise.all([get("api/v1"), get("api/v1/me"), get("api/v1/workspaces")]).then(
      ([about, me, { items }]) => setServer({ about, me, workspaces: items, error: null }),
      (error) => setServer((old) => ({ ...old, error })),
    );
  }, [turn]);
  useEffect(() => {
    if (scheme) document.documentElement.dataset.scheme = scheme;
    else delete document.documentElement.dataset.scheme;
  }, [scheme]);

  const { workspaces } = server;
  const known =
    workspaces &&
    (workspaces.find(({ name }) => name === route.workspace) ??
      (route.workspace ? null : (workspaces.find((one) => one.is_default) ?? workspaces[0])));
  const workspace = known?.name ?? null;
  // not before there is something to ask in
  const beside = useModule(workspace && "pane");
  const go = useCallback(
    (...parts) => {
      location.hash = workspace ? address(workspace, ...parts) : "";
    },
    [workspace],
  );
  const may = useCallback(
    (role) => {
      const roles = ["read", "ask", "write", "admin"];
      return (
        server.me &&
        roles.indexOf(server.me.role) >= roles.indexOf(role) &&
        !(server.about.read_only && roles.indexOf(role) >= 2)
      );
    },
    [server],
  );

  /** Opens a sentence in its document, beside; `trail` lists the citations that the arrows go through. */
  const open = useCallback((sentence, from, trail) => {
    if (from) {
      opener.current = from;
      stood.current = topOf(from);
    }
    setPane({ sentence, trail: trail ?? null });
  }, []);
  const close = useCallback(() => {
    stood.current = topOf(opener.current);
    setPane((old) => {
      old?.trail?.closed?.();
      return null;
    });
  }, []);
  // what was pressed stays under the pointer when the text beside the pane gets narrow or wide
  useLayoutEffect(() => {
    const top = topOf(opener.current);
    if (top !== null && stood.current !== null) document.querySelector("main").scrollTop += top - stood.current;
    stood.current = null;
  }, [pane === null]);
  // on a narrow screen what lies beside the pane is there again only when the pane is gone
  useLayoutEffect(() => {
    if (pane) return;
    if (opener.current?.isConnected) opener.current.focus({ preventScroll: true });
    opener.current = null;
  }, [pane]);
  useEffect(() => {
    opener.current = null;
    setPane(null);
  }, [workspace, route.screen]);
  // on a narrow screen the list of screens scrolls
  useEffect(() => {
    document.querySelector(".side nav a[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [route.screen, workspace]);
  useEffect(() => {
    document.title = `${t(`screen.${route.screen}`)} · ${workspace ?? "graphwright"}`;
  }, [route.screen, workspace, language]);

  useEffect(() => {
    let waiting = 0;
    const press = (event) => {
      const inField = event.target.matches?.("textarea, input, select, [contenteditable]");
      if (event.key === "Escape" && !document.querySelector("dialog[open]") && pane && !event.defaultPrevented) {
        close();
        return;
      }
      if (
        inField ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.isComposing ||
        document.querySelector("dialog[open]")
      )
        return;
      if (Date.now() - waiting < 1200 && LETTERS[event.key]) {
        event.preventDefault();
        waiting = 0;
        go(LETTERS[event.key]);
        return;
      }
      waiting = 0;
      if (event.key === "g") waiting = Date.now();
      else if (event.key === "?") setKeys(true);
      else if (event.key === "/") {
        event.preventDefault();
        const box = document.querySelector("[data-question], main input[type=search]");
        if (box) box.focus();
        else go("ask");
      } else actions.current[event.key]?.(event);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [pane, go, close]);

  const other = language === "en" ? "zh" : "en";
  const isDark = scheme ? scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const context = useMemo(
    () => ({
      workspace,
      about: server.about,
      me: server.me,
      may,
      go,
      open,
      close,
      pane,
      actions,
      address: (...parts) => address(workspace, ...parts),
    }),
    [workspace, server, may, go, open, close, pane],
  );

  return html`<${Fragment}><a class="skip" href="#main" onClick=${(event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  }}>${t("skip")}</a>
  <div class="frame">
    <header class="side">
      <a class="name" href=${workspace ? address(workspace, "ask") : "#"}><img src="assets/icon.svg" alt="" width="22" height="22" />graphwright</a>
      ${
        workspaces?.length > 0 &&
        html`<select
          class="workspace"
          aria-label=${t("workspace")}
          value=${workspace ?? ""}
          onChange=${(event) => {
            location.hash = address(event.target.value, route.screen);
          }}
        >
          ${!workspace && html`<option value="">${t("workspace.choose")}</option>`}${workspaces.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
        </select>`
      }
      <nav aria-label=${t("screens")}><ul>${SCREENS.map(
        (screen) =>
          html`<li key=${screen}>
            <a
              href=${workspace ? address(workspace, screen) : "#"}
              aria-current=${route.screen === screen ? "page" : undefined}
            >
              <${Icon} name=${screen} /><span>${t(`screen.${screen}`)}</span></a
            >
          </li>`,
      )}</ul></nav>
      <div id="side-extra"></div>
      <div class="side-end">
        <button type="button" class="quiet" lang=${other === "zh" ? "zh-Hans" : "en"} onClick=${() => {
          setLanguage(other);
          loadSentences().finally(() => changeLanguage(other));
        }}>${LANGUAGES[other]["language"]}</button>
        <${Round} icon=${isDark ? "sun" : "moon"} label=${isDark ? t("light") : t("dark")} onClick=${() => {
          const wanted = isDark ? "light" : "dark";
          keep("scheme", wanted);
          setScheme(wanted);
        }} />
        <button type="button" class="round" aria-label=${t("keys.title")} title=${t("keys.title")} onClick=${() => setKeys(true)}>?</button>
      </div>
    </header>
    <div class=${pane ? "panes two" : "panes"}>
      <main id="main" tabindex="-1">
        ${
          server.error
            ? html`<div class="page"><${Trouble} error=${server.error} again=${() => setTurn(turn + 1)} /></div>`
            : !workspaces
              ? html`<div class="page"><${Skeleton} lines=${5} /></div>`
              : !workspace
                ? html`<div class="page">
                    <h1>${t("nothing.title")}</h1>
                    <p>${route.workspace ? t("nothing.workspace", { name: route.workspace }) : t("nothing.text")}</p>
                    <pre><code>graphwright index FOLDER</code></pre>
                  </div>`
                : html`<${Screen} ...${context} screen=${route.screen} route=${route} />`
        }
      </main>
      ${pane && beside && html`<${beside.Pane} ...${context} shown=${pane} />`}
    </div>
  </div>
  ${keys && html`<${Keys} close=${() => setKeys(false)} />`}
  ${
    token &&
    html`<${TokenDialog}
      refused=${token.refused}
      give=${(text) => {
        token.give(text);
        setToken(null);
      }}
    />`
  }
  <${Toasts} /></${Fragment}>`;
}

setLanguage(languageNow());
// without them the page is there all the same
loadSentences().catch(() => {});
render(html`<${App} />`, document.getElementById("app"));
