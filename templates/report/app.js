// The page as a whole: which view an address names, the keys, the theme. `PAGE` says which views there are; all that is drawn comes from `HELD`.

const LETTERS = PAGE.views.map(([key]) => key[0]);
const KEYS = [["/", "search"], ["j, →", "the next kernel"], ["k, ←", "the one before"], ["↑ ↓", "step through lines, rows and steps"], ["Enter", "open"], ["1, 2, …", "a tab beside the kernel"],
  [LETTERS.join(" "), PAGE.views.map(([, title]) => title.toLowerCase()).join(", ")], ["Esc", `clear the search, or back to the ${PAGE.first}`], ["t", "light or dark"], ["?", "these keys"]];

const main = document.getElementById("main");
const search = document.getElementById("search");
const help = document.getElementById("help");
const STATE = { query: "", sort: PAGE.sort, down: downAtFirst(PAGE.columns.find((column) => column.key === PAGE.sort)), order: [] };
const scrolled = new Map();
let HELD = null;
let ROWS = [];
let table_ = null;
let shown = "";

/** The address: `costs?q=softmax&sort=bytes`, `kernel/3/ptx`, `map/1`. */
function route() {
  const [path, query] = location.hash.slice(1).split("?");
  const [view = "", key = "", tab = ""] = path.split("/").map(decoded);
  return { view: view || PAGE.first, key, tab, query: new URLSearchParams(query ?? "") };
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** Draw what the address names. */
function draw() {
  const asked = route();
  scrolled.set(shown, scrollY);
  shown = location.hash.split("?")[0] || `#${PAGE.first}`;
  table_ = null;
  const view = PAGE.drawn[asked.view];
  main.replaceChildren(view ? view(asked, around(asked)) : tableOf(asked));
  for (const tab of document.querySelectorAll("#views a")) {
    if (tab.dataset.view === (view ? asked.view : PAGE.first)) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const heading = main.querySelector("h1");
  document.title = heading && asked.view !== PAGE.first ? `${heading.textContent} · ${HELD.name}` : HELD.name;
  scrollTo(0, PAGE.views.some(([key]) => key === asked.view) ? scrolled.get(shown) ?? 0 : 0);
  if (document.activeElement !== search) heading?.focus({ preventScroll: true });
}

/** The first view: the table, searched and sorted as the address says. */
function tableOf(asked) {
  if (asked.query.has("q")) search.value = STATE.query = asked.query.get("q");
  sortAs(asked.query.get("sort"), asked.query.get("way"));
  table_ = PAGE.table(HELD, ROWS, STATE, remember);
  return table_.element;
}

/** Sort as an address says; as before where it says nothing. */
function sortAs(key, way) {
  const column = PAGE.columns.find((one) => one.key === key);
  if (column) Object.assign(STATE, { sort: key, down: way ? way === "down" : downAtFirst(column) });
}

function missing(text) {
  return el("section", {}, el("h1", { tabindex: -1 }, text), el("p", {}, link(PAGE.first, "All kernels")));
}

/** The kernels beside one, as the table has them in order: by what it was sorted by, and what it was searched for. */
function around({ view, key }) {
  const route_ = `${view}/${encodeURIComponent(key)}`;
  const filtered = chosen([...ROWS], STATE);
  const order = (filtered.some((row) => row.route === route_) ? filtered : chosen([...ROWS], { ...STATE, query: "" })).filter(PAGE.opens);
  const at = order.findIndex((row) => row.route === route_);
  return { here: order[at], previous: order[at - 1], next: order[at + 1], told: `${count(at + 1)} of ${count(order.length)}` };
}

function go(address) {
  location.hash = address;
}

/** Keep the search and the sort in the address, so that a link to it, and going back, find them. */
function remember() {
  const query = new URLSearchParams();
  if (STATE.query) query.set("q", STATE.query);
  const usual = downAtFirst(PAGE.columns.find((column) => column.key === STATE.sort));
  if (STATE.sort !== PAGE.sort || STATE.down !== usual) query.set("sort", STATE.sort);
  if (STATE.down !== usual) query.set("way", STATE.down ? "down" : "up");
  const text = query.toString();
  history.replaceState(null, "", text ? `#${PAGE.first}?${text}` : `#${PAGE.first}`);
}

function searched() {
  STATE.query = search.value;
  if (!table_) {
    location.hash = PAGE.first;
    return;
  }
  table_.update();
  remember();
}

const PRESSED = {
  "/": () => { search.focus(); search.select(); },
  "?": () => help.showModal(),
  t: themed,
  ...Object.fromEntries(PAGE.views.map(([key]) => [key[0], () => go(key)])),
  j: () => step("next"), ArrowRight: () => step("next"),
  k: () => step("previous"), ArrowLeft: () => step("previous"),
  Escape: () => go(PAGE.first),
};

function step(way) {
  const beside = around(route());
  if (beside.here) {
    if (beside[way]) go(beside[way].route);
  } else main.querySelector(".costs tbody a")?.focus();
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target === search) {
    if (event.key === "Escape") { search.value = ""; searched(); search.blur(); }
    if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); main.querySelector(".costs tbody a")?.focus(); }
    return;
  }
  if (event.target.closest("select, textarea, [role=tablist]") && event.key.startsWith("Arrow")) return;
  const tab = /^[1-9]$/.test(event.key) && main.querySelectorAll("[role=tab]")[event.key - 1];
  const does = tab ? () => tab.click() : PRESSED[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

/** Light, dark, and what was chosen kept where the browser allows it. */
function themed() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  stored(root.dataset.theme);
}

function stored(value) {
  try { return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value); } catch { return null; }
}

function framed() {
  document.getElementById("views").append(...PAGE.views.map(([key, title]) => el("a", { href: `#${key}`, "data-view": key }, title)));
  document.getElementById("theme").addEventListener("click", themed);
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  help.append(el("h2", { id: "help-title" }, "Keys"), el("dl", { class: "pairs" }, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
    el("form", { method: "dialog" }, el("button", {}, "Close")));
  search.addEventListener("input", searched);
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", draw);
  matchMedia(WIDE).addEventListener("change", draw);
  addEventListener("beforeprint", () => table_?.all());
  history.scrollRestoration = "manual";
}

async function start() {
  if (stored()) document.documentElement.dataset.theme = stored();
  if (!("DecompressionStream" in window)) {
    main.replaceChildren(el("p", { class: "remark" }, "This browser can not unpack the page: Chrome 80, Firefox 113, Safari 16.4 or a later one can."));
    return;
  }
  HELD = await unpacked(document.getElementById("data").textContent);
  ROWS = PAGE.rows(HELD);
  framed();
  draw();
}

start();
