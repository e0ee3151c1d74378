// What may gain most, and what costs most: every kernel and library call, sorted by any column, searched as one types.

const FIRST_ROWS = 60;
const MORE_ROWS = 200;

/** One row a column: the key that it sorts by, its heading, its cell. Numbers are sorted from the largest down. */
const COLUMNS = [
  { key: "order", title: "#", cell: (row) => row.number, kind: "number", rising: true, hint: "in the program's order" },
  { key: "title", title: "What it is", cell: titleCell, kind: "what" },
  { key: "kind", title: "Kind", cell: (row) => row.kind, kind: "soft" },
  { key: "phase", title: "Where", cell: (row) => row.phase, kind: "soft" },
  { key: "launches", title: "Launches", cell: (row) => count(row.launches), kind: "number" },
  { key: "bytes", title: "Bytes", cell: bytesCell, kind: "number", hint: "of all launches, each element of a launch once" },
  { key: "floor", title: "Floor", cell: floorCell, kind: "number", hint: "of all launches: of each what its bytes, operations or special functions need; launching is left out" },
  { key: "gap", title: "May gain", cell: gapCell, kind: "number", hint: "how far the estimate is from the floor: what an edit may gain" },
  { key: "measured", title: "Measured", cell: measuredCell, kind: "number", hint: "of all launches, by the time of one" },
  { key: "place", title: "Source", cell: (row) => row.place, kind: "soft code" },
];

function titleCell(row) {
  const verdict = row.verdict && el("span", { class: `chip ${row.verdict.tone}` }, row.verdict.word);
  const narrow = [row.kind, row.phase, plural(row.launches, "launch"), row.bytes === null ? "" : size(row.bytes)].filter(Boolean).join(" · ");
  return [link(row.route, row.title), verdict, el("span", { class: "under" }, row.name), el("span", { class: "under narrow" }, narrow)];
}

function bytesCell(row) {
  return amount(row, size(row.bytes), row.one === null ? "" : size(row.one), row.bytesShare, row.least ? "≥ " : "");
}

function floorCell(row) {
  return amount(row, duration(row.floor), duration(row.oneFloor), row.floorShare, "");
}

function gapCell(row) {
  return row.gap === null ? "" : [duration(row.gap), el("span", { class: "under" }, `of ${duration(row.estimate)}`)];
}

function measuredCell(row) {
  return row.measured === null ? "" : amount(row, duration(row.measured), duration(row.measured / row.launches), null, "");
}

/** A sum, what it is made of, and its share of the whole as a number and a bar. */
function amount(row, whole, one, part, least) {
  const made = row.launches > 1 && one && one !== "–" ? `${count(row.launches)} × ${one}` : "";
  const told = [made, part === null ? "" : percent(part)].filter(Boolean).join(", ");
  const bar = part === null ? null : el("span", { class: "bar", style: `width: ${(100 * part).toFixed(1)}%` });
  return [least + whole, el("span", { class: "under" }, told), bar];
}

/** The rows that hold every word of a query, in the order of a sort. */
function chosen(rows, { query, sort, down }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => words.every((word) => row.words.includes(word)));
  return found.sort((a, b) => compared(a[sort], b[sort], down) || compared(a.bytes, b.bytes, true) || a.order - b.order);
}

/** What is not known comes last, whichever way. */
function compared(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const way = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  return down ? -way : way;
}

/** Numbers from the largest down, words and the program's order upwards. */
function downAtFirst(column) {
  return !column.rising && column.kind.includes("number");
}

/** Columns that say something of this capture. */
function columnsOf(rows) {
  return COLUMNS.filter((column) => column.key !== "measured" || rows.some((row) => row.measured !== null));
}

function costsView(held, rows, state, changed) {
  const table = sortedTable({ rows, columns: columnsOf(rows), state, changed, caption: "Kernels and library calls by what they cost", tell: (order) => tellMatches(order, rows, state) });
  return { ...table, element: el("section", { "aria-label": "Costs" }, el("h1", { tabindex: -1 }, held.name), summary(held, rows), table.element, about(held)) };
}

/** A table that is sorted by any column and narrowed by the search, drawn a screen at a time. */
function sortedTable({ rows, columns, state, changed, caption, tell }) {
  const body = el("tbody");
  const told = el("p", { class: "told", role: "status" });
  const sentinel = el("div", { class: "sentinel", "aria-hidden": "true" });
  const headings = columns.map((column) => heading(column, () => sortBy(column)));
  let order = [];

  function sortBy(column) {
    state.down = state.sort === column.key ? !state.down : downAtFirst(column);
    state.sort = column.key;
    update();
    changed();
  }

  function update() {
    order = chosen(rows, state);
    state.order = order;
    body.replaceChildren(...order.slice(0, FIRST_ROWS).map((row) => drawn(row, columns)));
    told.textContent = tell(order);
    columns.forEach((column, at) => headings[at].setAttribute("aria-sort", column.key !== state.sort ? "none" : state.down ? "descending" : "ascending"));
    picker.value = state.sort;
    if (!order.length) body.append(el("tr", {}, el("td", { colspan: columns.length, class: "none" }, "Nothing matches.")));
  }

  function more(all) {
    const from = body.rows.length;
    if (order.length > from) body.append(...order.slice(from, all ? undefined : from + MORE_ROWS).map((row) => drawn(row, columns)));
  }

  const picker = el("select", { change: () => sortBy(columns.find((column) => column.key === picker.value)) },
    columns.map((column) => el("option", { value: column.key }, column.title)));
  const table = el("table", { class: "costs" }, el("caption", { class: "hidden" }, caption),
    el("thead", {}, el("tr", {}, headings)), body);
  const observer = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && more(false), { rootMargin: "1500px" });
  observer.observe(sentinel);
  walkRows(body);
  update();
  return {
    element: el("div", {}, el("div", { class: "row" }, told, el("label", { class: "sorter" }, "Sort by ", picker)), table, sentinel),
    update,
    all: () => more(true),
  };
}

function heading(column, sort) {
  return el("th", { scope: "col", class: column.kind, "aria-sort": "none" }, el("button", { type: "button", click: sort, title: column.hint ?? null }, column.title));
}

function drawn(row, columns) {
  return el("tr", {}, columns.map((column) => el("td", { class: column.kind }, column.cell(row))));
}

/** Arrows, j and k go from one kernel's link to the next. */
function walkRows(body) {
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const row = event.target.closest("tr");
    if (!step || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    (step > 0 ? row.nextElementSibling : row.previousElementSibling)?.querySelector("a")?.focus();
  });
}

/** `12 of 674 match: 1.2 GB, 35.0 % of all bytes`. */
function tellMatches(order, rows, state) {
  if (!state.query.trim()) return `${count(rows.length)} rows: ${plural(rows.filter((row) => row.number).length, "kernel")}, and library calls by function`;
  const bytes = order.reduce((total, row) => total + (row.bytesShare ?? 0), 0);
  return `${count(order.length)} of ${count(rows.length)} match; ${percent(bytes)} of the bytes`;
}

/** The capture in numbers. */
function summary(held, rows) {
  const kernels = held.kernels.length;
  const launches = held.kernels.reduce((total, kernel) => total + kernel.cost.launches, 0);
  const calls = held.calls.reduce((total, call) => total + call.lines.length, 0);
  const uncounted = rows.filter((row) => row.bytes === null).length;
  const measured = rows.filter((row) => row.measured !== null);
  return stats([
    [count(kernels), `${plural(kernels, "kernel").split(" ")[1]} in ${plural(launches, "launch")}`],
    [count(calls), "library calls"],
    [size(sum(rows, (row) => row.bytes)), uncounted ? `moved by what can be counted; ${plural(uncounted, "row")} can not` : "moved by all launches"],
    [duration(sum(rows, (row) => row.floor)), `the floor of these on ${held.card.label}; launching them takes about ${duration(sum(rows, (row) => row.launched))}`],
    measured.length ? [duration(sum(measured, (row) => row.measured)), `measured, of ${plural(measured.length, "kernel")}`] : null,
  ]);
}

/** Big numbers, each with what it is. */
function stats(pairs) {
  return el("dl", { class: "stats" }, pairs.filter(Boolean).map(([value, what]) => el("div", {}, el("dt", {}, what), el("dd", {}, value))));
}

/** Graph breaks and recompiles: why there are several graphs. */
function eventList(events) {
  if (!events.length) return null;
  const kinds = { graph_break: "graph break", recompile: "recompiled" };
  return el("section", { class: "block", "aria-label": "Compilation" }, el("h2", {}, "Why there are several graphs"),
    grid("Graph breaks and recompiles", ["what", "where", "why"], events.map((event) => [kinds[event.kind] ?? event.kind, event.where || (event.source && place(event.source)) || "", [event.reason, ...event.guards.map((guard) => el("span", { class: "under" }, guard)), ...event.hints.map((hint) => el("span", { class: "under" }, hint))]])));
}

/** Where the capture is from, and what could not be read. */
function about(held) {
  const trace = held.trace && ["Profile", [el("code", {}, held.trace), "; to look at it, open it at ui.perfetto.dev with “Open trace file”: the slices there bear these kernels' names"]];
  const pairs = [["Made for", held.target], ["With", held.versions], ["Command", held.command && el("code", {}, held.command)], ["Captured", held.created && `${held.created} UTC`],
    ["Floor", `what bytes, operations and special functions take on ${held.card.told}; launching is left out`],
    ["May gain", "an estimate less the floor: the instructions, atomic additions and loops of the body counted too. It is no time"], trace];
  return el("section", { class: "about", "aria-label": "About this capture" },
    el("dl", { class: "pairs" }, pairs.filter((pair) => pair && pair[1]).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    eventList(held.events),
    held.problems.map((problem) => el("p", { class: "remark" }, `${problem.where}: ${problem.message}`)));
}
