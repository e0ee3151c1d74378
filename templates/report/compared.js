// The page of two captures: which kernels stayed, moved, changed, came and went, and of each pair what differs. `app.js` asks `PAGE`.

const STATES = { same: "plain", moved: "mark", changed: "changed", added: "good", removed: "bad" };

const PAIR_COLUMNS = [
  { key: "order", title: "#", cell: (row) => row.number, kind: "number", rising: true, hint: "what changed first, then added, removed and what is the same" },
  { key: "title", title: "What it is", cell: titleCell, kind: "what" },
  { key: "kind", title: "State", cell: (row) => stateChip(row.kind), kind: "soft" },
  { key: "phase", title: "Where", cell: (row) => row.phase, kind: "soft" },
  { key: "launchesBy", title: "Launches", cell: (row) => became(...row.told.launches), kind: "number", hint: "sorted by how much they differ" },
  { key: "bytesBy", title: "Bytes", cell: (row) => became(...row.told.bytes), kind: "number", hint: "of all launches; sorted by how much they differ" },
  { key: "floorBy", title: "Floor", cell: (row) => became(...row.told.floor), kind: "number", hint: "of all launches, each side on its own card; sorted by how much they differ" },
  { key: "place", title: "Source", cell: (row) => row.place, kind: "soft code" },
];

function stateChip(state) {
  return el("span", { class: `chip ${STATES[state]}` }, state);
}

/** The kernels of a pair, null where there is none. */
function bothOf(pair) {
  return [HELD.a.kernels[pair.a] ?? null, HELD.b.kernels[pair.b] ?? null];
}

/** A value of both sides, null of a side that is not there. */
function each(sides, value) {
  return sides.map((side, at) => (side ? value(side, [HELD.a, HELD.b][at]) : null));
}

function apart([old, now]) {
  return Math.abs((now ?? 0) - (old ?? 0));
}

function pairRows(held) {
  return held.pairs.map((pair, at) => {
    const sides = bothOf(pair);
    const shown = sides[1] ?? sides[0];
    const row = kernelRow(shown, sides[1] ? held.b : held.a);
    const cost = each(sides, (kernel, side) => costs(kernel.cost, side.card));
    const values = { launches: cost.map((one) => one && one.launches), bytes: cost.map((one) => one && one.bytes), floor: cost.map((one) => one && one.floor) };
    const told = { launches: values.launches.map((n) => n === null ? null : count(n)), bytes: cost.map((one) => one && (one.least ? "≥ " : "") + size(one.bytes)), floor: cost.map((one) => one && duration(one.floor)) };
    const names = each(sides, (kernel) => kernel.name).filter(Boolean);
    const numbers = each(sides, (kernel) => kernel.number).filter((number) => number !== null);
    return {
      ...row, under: pair.as_in >= 0 ? `changed as ${each(bothOf(held.pairs[pair.as_in]), (kernel) => kernel.number).join(" → ")}` : "", route: `pair/${at}`, order: at, number: [...new Set(numbers)].join(" → "), name: [...new Set(names)].join(" → "), kind: pair.state, verdict: null, told,
      launchesBy: apart(values.launches), bytesBy: apart(values.bytes), floorBy: apart(values.floor),
      words: [...row.words, `state:${pair.state}`, ...names].join("\n").toLowerCase(),
    };
  });
}

/** How many of a state there are, and what all launches move and take at least. */
function overview(held, rows, state, changed) {
  const counts = Object.keys(STATES).map((name) => [name, held.pairs.filter((pair) => pair.state === name).length]);
  const table = sortedTable({ rows, columns: PAIR_COLUMNS, state, changed, caption: "Kernels of both captures", tell: (order) => (state.query.trim() ? `${count(order.length)} of ${count(rows.length)} match` : plural(rows.length, "kernel")) });
  return {
    ...table,
    element: el("section", { "aria-label": "Overview" }, el("h1", { tabindex: -1 }, held.name), stats(counts.filter(([, number]) => number).map(([name, number]) => [link(`overview?q=state:${name}`, count(number)), name])),
      section("Both captures", facing("Both captures", [held.a.name, held.b.name], captureFacts(held))), section("Kernels", table.element), fusionBlock(held), callBlock(held),
      [held.a, held.b].flatMap((side) => side.problems.map((problem) => el("p", { class: "remark" }, `${side.name}, ${problem.where}: ${problem.message}`)))),
  };
}

function captureFacts(held) {
  const both = (value) => [value(held.a), value(held.b)];
  const all = (side, value) => sum(side.kernels, (kernel) => value(kernel.cost));
  return [
    ["with", ...both((side) => side.versions)],
    ["made for", ...both((side) => side.target)],
    ["command", ...both((side) => side.command)],
    ["captured", ...both((side) => side.created && `${side.created} UTC`)],
    ["graphs", ...both((side) => side.graphs.map((graph) => graph.id).join(", "))],
    ["kernels", ...both((side) => count(side.kernels.length))],
    ["launches", ...both((side) => count(all(side, (cost) => cost.launches)))],
    ["library calls", ...both((side) => count(sum(side.calls, (call) => call.lines.length)))],
    ["bytes of all launches", ...both((side) => size(all(side, (cost) => cost.all_bytes)))],
    ["floor of all launches", ...both((side) => duration(all(side, (cost) => cost.all_seconds)))],
    ["floor is of", ...both((side) => side.card.told)],
  ];
}

function fusionBlock(held) {
  if (!held.fusions.length) return null;
  const kernels = (numbers, key) => numbers.map((number, at) => [at ? ", " : "", pairLink(held, key, number)]);
  return section("Fusion boundaries that moved", grid("Fusion boundaries", ["what", "kernels before", "kernels now", "operations", "from"],
    held.fusions.map((change) => [change.kind, kernels(change.a, "a"), kernels(change.b, "b"), mono(change.nodes.join(", ")), change.source.map((line) => el("code", { class: "under" }, line))])));
}

function pairLink(held, key, number, kind = null) {
  const at = held.pairs.findIndex((pair) => pair[key] === number);
  const kernel = held[key].kernels[number];
  return el("a", { class: kind, href: `#pair/${at}`, title: kernel.title }, kernel.number);
}

function callBlock(held) {
  if (!held.calls.length) return null;
  return section("Library calls", facing("Library calls", ["old", "new"], held.calls.map((call) => [mono(call.target), count(call.a), count(call.b)])));
}

function pairView(held, pair, at, tab, beside) {
  const sides = bothOf(pair);
  const shown = sides[1] ?? sides[0];
  const ids = each(sides, (kernel) => kernel.id).filter(Boolean);
  const names = [...new Set(each(sides, (kernel) => `${kernel.name}, body ${kernel.body_hash}`).filter(Boolean))];
  const alike = pair.state === "changed" && el("span", { title: "of what they compute, from which lines and where: 1 is all" }, `similarity ${round(pair.similarity)}`);
  return el("article", { class: "kernel", "aria-label": ids.join(" and ") },
    el("div", { class: "row over" }, el("b", { class: "id" }, ids.join(" → ")), stateChip(pair.state), alike, neighbours(beside)),
    el("h1", { tabindex: -1 }, titles(sides)), names.map((name) => el("p", { class: "name" }, name)),
    pair.as_in >= 0 ? el("p", {}, "But for numbers, the same change as ", el("a", { class: "chip", href: `#pair/${pair.as_in}` }, titles(bothOf(held.pairs[pair.as_in])))) : null,
    pair.places[0].length ? el("p", {}, `The same body, launched elsewhere: ${pair.places[0].join(", ")} before, ${pair.places[1].join(", ")} now.`) : null,
    textPane(held, pair, at, tab), factTable(sides), machineTable(pair.machine), argumentPairs(sides, pair), sides.map((kernel, side) => kernel && launchDetails(kernel, side)));
}

function titles([old, now]) {
  return old && now && old.title !== now.title ? `${old.title} → ${now.title}` : (now ?? old).title;
}

/** The texts of a pair, one tab each, with how many of their lines differ. */
function textPane(held, pair, at, wanted) {
  const heads = [HELD.a.name, HELD.b.name];
  const tabs = pair.texts.map((text) => ({ key: text.name, title: [titleOf(text), sidesOf(text).length > 1 ? [" ", el("span", { class: "chip", title: "lines that differ" }, count(differing(text)))] : null], draw: () => besideText(text, heads) }));
  if (!held.pairs.some((one) => one.texts.length > 2)) tabs.push({ key: "machine", title: "Machine code", draw: () => uncompiled("This page was written without machine code.") });
  else if (tabs.length < 3) tabs.push({ key: "machine", title: "Machine code", draw: () => uncompiled("Only the costliest of the pairs that changed were compiled; --kernels says how many.") });
  return el("section", { class: "pane across", "aria-label": "Texts side by side" }, tabbed({ tabs, wanted, label: "Texts side by side", opened: (tab) => `pair/${at}${tab === tabs[0] ? "" : `/${tab.key}`}` }));
}

function uncompiled(told) {
  return [el("p", {}, told), el("p", {}, "To compile them, each for its capture's card, which needs no GPU: ", el("code", {}, "inductor-lab compare OLD NEW --report FILE --code"))];
}

function besideText(text, heads) {
  const missing = text.missing.map((why, at) => why && el("p", { class: "soft" }, `${heads[at]}: ${why}`));
  const sides = sidesOf(text);
  if (sides.length === 1) return [missing, el("p", { class: "soft" }, `Only ${heads[sides[0]]} has this.`), besideTable(text, heads)];
  const rows = text.rows.length ? besideTable(text, heads) : el("p", { class: "soft" }, "There is nothing to show.");
  return [missing, el("p", { class: "soft" }, differing(text) ? "Marked is what differs. Names that each side chooses freely, of values, registers and labels, are no difference." : "Nothing that counts differs."), rows];
}

/** What the kernels move, take and are told of. */
function factTable(sides) {
  const both = (value) => each(sides, (kernel, side) => value(kernel, side)).map((told) => told ?? "");
  const notes = (kind) => both((kernel) => (kernel.notes[kind] ?? []).join("; "));
  const measured = both((kernel) => { const time = kernel.measured.find((one) => one.who === "generated"); return time ? `${duration(time.seconds)}, ${time.told}` : ""; });
  return section("Traffic and cost", facing("Traffic and cost", ["old", "new"], [
    ["kind", ...both((kernel) => kernel.category)],
    ["launches", ...both((kernel) => count(kernel.cost.launches))],
    ["read, each", ...both((kernel) => size(kernel.cost.read))],
    ["written, each", ...both((kernel) => size(kernel.cost.written))],
    ["operations, each", ...both((kernel) => (kernel.cost.flops ? rate(kernel.cost.flops, "FLOP") : ""))],
    ["floor, each", ...both((kernel, side) => (kernel.cost.seconds === null ? "" : `${duration(Math.max(kernel.cost.seconds, side.card.launch))}${boundTold(kernel)}`))],
    ["estimate, each", ...notes("estimate")],
    ["floor of all", ...both((kernel) => duration(kernel.cost.all_seconds))],
    ["measured", ...measured],
    ["launch", ...notes("launch")], ["autotuner", ...notes("choices")], ["hazards", ...notes("hazard")],
    ["operations", ...both((kernel) => kernel.ops.join(", "))],
    ["from", ...each(sides, (kernel, side) => kernel.source.map((line) => place(side.lines[line])).join(", "))],
  ]));
}

function machineTable(machine) {
  return machine && section("What the compiler made", facing("What the compiler made", machine.columns.slice(1), machine.rows));
}

function argumentPairs(sides, pair) {
  const rows = pair.arguments.map(([a, b]) => {
    const both = [sides[0]?.arguments[a] ?? null, sides[1]?.arguments[b] ?? null];
    const alone = sides[0] && sides[1] && !(both[0] && both[1]) && stateChip(both[0] ? "removed" : "added");
    const [name, ...rest] = ["name", "passed", "type", "holds", "role"].map((key) => became(both[0] && both[0][key], both[1] && both[1][key]));
    return [[name, alone], ...rest];
  });
  return section("Arguments of the launch", grid("Arguments", ["argument", "passed", "type", "holds", "role"], rows));
}

function launchDetails(kernel, side) {
  const table = launchTable(kernel);
  return table && el("section", { class: "block" }, el("h2", {}, `Launches in ${[HELD.a, HELD.b][side].name}`), table);
}

/** Both programs, each line with the pairs that it became part of. */
function programView(held) {
  const pairs = [kernelsOf(held, "a"), kernelsOf(held, "b")];
  const chips = (side, place_) => (pairs[side].get(place_) ?? []).slice(0, 12).map((number) => [pairLink(held, side ? "b" : "a", number, "chip"), " "]);
  return el("section", { "aria-label": "Program" }, el("h1", { tabindex: -1 }, "Both programs"), el("p", { class: "lead" }, "The lines from which something was generated, and the kernels that they became part of."),
    held.program.rows.length ? el("div", { class: "pane across" }, el("div", { class: "scroll" }, besideTable(held.program, [held.a.name, held.b.name], chips))) : el("p", {}, "The text names no line of the program."));
}

/** Place of the program -> numbers of the kernels of one side. */
function kernelsOf(held, key) {
  const found = new Map();
  held[key].kernels.forEach((kernel, number) => { for (const line of kernel.source) { const at = place(held[key].lines[line]); found.set(at, [...(found.get(at) ?? []), number]); } });
  return found;
}

const PAGE = {
  first: "overview",
  views: [["overview", "Overview"], ["program", "Program"]],
  columns: PAIR_COLUMNS,
  sort: "order",
  rows: pairRows,
  table: overview,
  opens: () => true,
  drawn: {
    program: () => programView(HELD),
    pair: (asked, beside) => (HELD.pairs[asked.key] ? pairView(HELD, HELD.pairs[asked.key], asked.key, asked.tab, beside) : missing(`There is no pair ${asked.key} here.`)),
  },
};
