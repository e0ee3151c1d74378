// Building the page: elements from values. Text is set as text everywhere, so that nothing a log said is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a function among the attributes listens, null and false are left out. */
function el(tag, attributes = {}, ...children) {
  return built(document.createElement(tag), attributes, children);
}

/** The same in a picture. */
function shape(tag, attributes = {}, ...children) {
  return built(document.createElementNS(SVG, tag), attributes, children);
}

function built(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return node;
}

/** A link inside the page. */
function link(route, ...children) {
  return el("a", { href: `#${route}` }, ...children);
}

/** A table with a heading for each column; cells are texts or elements. */
function grid(caption, columns, rows, kind = "") {
  const head = el("tr", {}, columns.map((column) => el(column ? "th" : "td", column ? { scope: "col" } : {}, column)));
  const body = rows.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell))));
  const table = el("table", { class: `grid ${kind}` }, el("caption", { class: "hidden" }, caption), el("thead", {}, head), el("tbody", {}, body));
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, table);
}

/** One tab stop for many items: arrows go from one to the next, Home and End to the ends. `items` asks for them anew. */
function roving(container, items, { before = "ArrowUp", after = "ArrowDown" } = {}) {
  const steps = { [before]: (at) => at - 1, [after]: (at) => at + 1, Home: () => 0, End: () => Infinity };
  container.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const every = items();
    const at = every.indexOf(document.activeElement.closest("[data-item]"));
    if (at < 0 || !every.length) return;
    event.preventDefault();
    event.stopPropagation();
    stand(every, every[Math.max(0, Math.min(every.length - 1, step(at)))]);
  });
}

/** A bar of tabs and the panel that the chosen one draws; `opened` is told which one, and says at which address it is found. */
function tabbed({ tabs, wanted, label, opened }) {
  const chosen = tabs.find((tab) => tab.key === wanted) ?? tabs[0];
  const content = el("div", { class: "scroll", role: "tabpanel", id: "panel", tabindex: 0 });
  const buttons = tabs.map((tab) => el("button", { type: "button", role: "tab", id: `tab-${tab.key}`, "aria-controls": "panel", "data-item": true, click: () => history.replaceState(null, "", `#${open(tab)}`) }, tab.title));
  const bar = el("div", { class: "tabs", role: "tablist", "aria-label": label }, buttons);
  roving(bar, () => buttons, { before: "ArrowLeft", after: "ArrowRight" });

  function open(tab) {
    tabs.forEach((other, at) => {
      buttons[at].setAttribute("aria-selected", other === tab);
      buttons[at].tabIndex = other === tab ? 0 : -1;
    });
    const address = opened(tab, content);
    content.setAttribute("aria-labelledby", `tab-${tab.key}`);
    content.replaceChildren(...[tab.draw()].flat(Infinity).filter(Boolean));
    content.scrollTop = 0;
    return address;
  }

  open(chosen);
  return [bar, content];
}

/** Make one of many items the tab stop, and go there. */
function stand(every, item) {
  for (const other of every) if (other.tabIndex === 0) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

/** Scroll a pane, and never the page, until an element of it is seen. */
function reveal(pane, element) {
  const outer = pane.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) pane.scrollTop += inner.top - outer.top - outer.height / 3;
}
