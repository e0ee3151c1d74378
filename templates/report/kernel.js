// One kernel: what it is and costs, and its panes side by side. Whatever is pointed at, or stepped to, lights what belongs to it in all of them.

const STAGES = { ttir: ["TTIR", "mlir"], ttgir: ["TTGIR", "mlir"], llir: ["LLIR", "llvm"], ptx: ["PTX", "assembly"], sass: ["SASS", "assembly"], amdgcn: ["AMDGCN", "assembly"] };

const WIDE = "(min-width: 1900px)";

function kernelView(held, kernel, tab, beside) {
  const light = new Light(new Kin(kernel, held));
  const wide = matchMedia(WIDE).matches;
  const panes = [wide ? modelPane(held, kernel, light) : null, bodyPane(kernel, light), companionPane(held, kernel, tab, light, wide)];
  return el("article", { class: "kernel", "aria-label": kernel.id },
    el("div", { class: "row over" }, el("span", {}, el("b", { class: "id" }, kernel.id), ` ${kernel.category}${kernel.phase === "unknown" ? "" : `, ${kernel.phase}`}, ${plural(kernel.cost.launches, "launch")}`),
      kernel.marks.map((mark) => el("span", { class: "chip mark" }, mark)), kernel.results.filter((result) => result.word).map(verdictChip), neighbours(beside)),
    el("h1", { tabindex: -1 }, kernel.title), el("p", { class: "name" }, `${kernel.name}, body ${kernel.body_hash}`),
    computesTold(kernel), stats(kernelNumbers(held, kernel)), remarks(kernel),
    el("div", { class: wide ? "panes three" : "panes" }, panes),
    el("div", { class: "below" }, argumentTable(kernel), launchTable(kernel), stopTable(held, kernel), kernel.results.map(resultBlock), historyBlock(kernel.history), factList(kernel)));
}

function verdictChip(result) {
  return el("span", { class: `chip ${result.tone}` }, result.word);
}

/** The way to the kernel before and after this one, in the order of the table. */
function neighbours({ previous, next, told }) {
  const way = (row, text, key) => row ? el("a", { class: "way", href: `#${row.route}`, title: `${row.title} ( ${key} )` }, text) : el("span", { class: "way none", "aria-hidden": "true" }, text);
  return el("nav", { class: "ways", "aria-label": "Kernels before and after" }, way(previous, "‹ previous", "k"), el("span", { class: "soft" }, told), way(next, "next ›", "j"));
}

/** Each store, where the title does not say it all. */
function computesTold(kernel) {
  if (!kernel.computes.length || (kernel.computes.length === 1 && kernel.computes[0].endsWith(kernel.title))) return null;
  const list = el("div", { class: "computes" }, kernel.computes.map((text) => el("code", {}, ...coloured(text, "python"))));
  return kernel.computes.length > 3 ? el("details", {}, el("summary", {}, `What it computes, ${kernel.computes.length} stores`), list) : list;
}

function kernelNumbers(held, kernel) {
  const cost = kernel.cost;
  const bytes = cost.read === null || cost.written === null ? null : cost.read + cost.written;
  const each = cost.launches > 1 ? ", each launch" : "";
  const found = [];
  if (bytes !== null) {
    const floor = Math.max(cost.seconds, held.card.launch);
    found.push([`${cost.least ? "≥ " : ""}${size(bytes)}`, `${size(cost.read)} read, ${size(cost.written)} written${each}`]);
    found.push([duration(floor), `floor${boundTold(kernel)}`]);
    if (cost.limit && cost.flops) found.push([round(cost.flops / bytes), "FLOP/byte"]);
    if (cost.launches > 1) found.push([size(cost.all_bytes), `of all ${count(cost.launches)} launches`]);
  }
  for (const time of kernel.measured.slice(0, 2)) found.push([duration(time.seconds), `${time.who}, measured ${time.told}${time.count ? `, mean of ${count(time.count)}` : ""}`]);
  for (const [value, what] of kernel.history?.stats ?? []) found.push([value, what]);
  return found;
}

/** What holds the floor where it is; nothing where the estimate says what binds. */
function boundTold({ cost, notes }) {
  if (notes.estimate?.length) return "";
  if (cost.limit === "launch") return `, bound by the launch itself; its bytes and operations need ${duration(cost.seconds)}`;
  return cost.limit ? `, bound by ${cost.limit}` : ", by its operands and its result alone";
}

function remarks(kernel) {
  const notes = kernel.notes;
  const choices = (notes.choices ?? []).map((text) => `The autotuner times ${text}`);
  const likely = (notes.estimate ?? []).map((text) => `Takes ${text}`);
  const plain = [...(notes.launch ?? []), ...likely, ...choices, ...(kernel.cost.read === null ? notes.traffic ?? [] : [])];
  return el("div", { class: "remarks" }, plain.map((text) => el("p", {}, text)), noted(notes.hazard, "remark"), noted(notes.claim, "remark claim"));
}

function noted(texts, kind) {
  return texts?.length ? el("ul", { class: kind }, texts.map((text) => el("li", {}, text))) : null;
}

/** Lights what belongs together. Elements are entered by what they stand for; one that is clicked stays lit. */
class Light {
  constructor(kin) {
    this.kin = kin;
    this.places = { line: new Map(), node: new Map(), source: new Map() };
    this.lit = [];
    this.pinned = null;
  }

  /** Enter an element as standing for a `line`, a `node` or a `source`, and let it be pointed at. */
  enter(element, kind, key) {
    const places = this.places[kind];
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(element);
    element.addEventListener("pointerenter", () => this.show(kind, key));
    element.addEventListener("pointerleave", () => this.back());
    element.addEventListener("focus", () => this.show(kind, key, element));
    element.addEventListener("click", () => this.pin(kind, key, element));
    return element;
  }

  /** Leave out what is no longer there. */
  forget(pane) {
    for (const places of Object.values(this.places)) {
      for (const [key, elements] of places) places.set(key, elements.filter((element) => !pane.contains(element)));
    }
  }

  /** Light everything that belongs to a thing; from the keyboard, where `from` has the focus, scroll the other panes to it. */
  show(kind, key, from = null) {
    for (const element of this.lit) element.classList.remove("kin");
    const found = this.kin.of(kind, key);
    this.lit = Object.entries(found).flatMap(([what, keys]) => [...keys].flatMap((one) => this.places[what].get(one) ?? []));
    for (const element of this.lit) element.classList.add("kin");
    if (from) this.follow(from);
  }

  follow(from) {
    const pane = from.closest(".pane");
    for (const other of document.querySelectorAll(".pane .scroll")) {
      const first = this.lit.find((element) => other.contains(element));
      if (first && !pane.contains(other)) reveal(other, first);
    }
  }

  pin(kind, key, element) {
    const same = this.pinned && this.pinned[0] === kind && this.pinned[1] === key;
    this.pinned = same ? null : [kind, key];
    this.show(kind, key, element);
  }

  back() {
    if (this.pinned) this.show(...this.pinned);
    else this.clear();
  }

  clear() {
    this.pinned = null;
    for (const element of this.lit) element.classList.remove("kin");
    this.lit = [];
  }
}

/** The lines of the kernel with what they do. */
function bodyPane(kernel, light) {
  const code = colouredLines(kernel.body, "python");
  const rows = kernel.lines.map((row, at) => light.enter(el("tr", { "data-item": true, tabindex: at ? -1 : 0 },
    el("th", { scope: "row", class: "no" }, String(row.line)), el("td", { class: "src" }, el("pre", {}, code[row.line - 1] ?? "")),
    el("td", { class: "why" }, row.text, row.origin && el("span", { class: "from" }, row.origin))), "line", row.line));
  const body = el("tbody", {}, rows);
  roving(body, () => rows);
  sameNames(body);
  const head = el("thead", { class: "hidden" }, el("tr", {}, ["line", "Triton", "what it does"].map((text) => el("th", { scope: "col" }, text))));
  return el("section", { class: "pane body", "aria-label": "Triton" }, el("h2", {}, "Triton, line by line"), el("table", { class: "code" }, el("caption", { class: "hidden" }, "The kernel's lines, explained"), head, body));
}

/** A name under the pointer lights wherever its kernel uses it. */
function sameNames(table) {
  const mark = (name) => { for (const span of table.querySelectorAll(".t-name")) span.classList.toggle("same", span.textContent === name); };
  table.addEventListener("pointerover", (event) => { if (event.target.matches(".t-name")) mark(event.target.textContent); });
  table.addEventListener("pointerout", (event) => { if (event.target.matches(".t-name")) mark(null); });
}

/** Where there is room: what the kernel is from, always in sight. */
function modelPane(held, kernel, light) {
  return el("section", { class: "pane companion", "aria-label": "Model and graph" }, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Model and graph" }, originLists(held, kernel, light)));
}

/** Beside the body: where it is from, and what becomes of it; one tab at a time. */
function companionPane(held, kernel, wanted, light, wide) {
  const tabs = tabsOf(held, kernel, light).filter((tab) => !wide || tab.key !== "model");
  const opened = (tab, content) => {
    light.forget(content);
    return `kernel/${encodeURIComponent(kernel.number)}${tab === tabs[0] ? "" : `/${tab.key}`}`;
  };
  return el("section", { class: "pane companion", "aria-label": "Beside the kernel" }, tabbed({ tabs, wanted, label: "What stands beside the kernel", opened }));
}

function tabsOf(held, kernel, light) {
  const compiled = kernel.code.filter((code) => code.stage);
  const missing = kernel.code.find((code) => !code.stage)?.missing;
  const stages = compiled.map((code) => ({ key: code.stage, title: STAGES[code.stage]?.[0] ?? code.stage, draw: () => codeLines(code, light) }));
  const none = { key: "machine", title: "Machine code", draw: () => noCode(held, missing) };
  return [
    { key: "model", title: "Model and graph", draw: () => originLists(held, kernel, light) },
    { key: "source", title: "Whole source", draw: () => el("pre", { class: "whole" }, ...coloured(kernel.text, "python")) },
    ...(stages.length ? stages : [none]),
  ];
}

function noCode(held, missing) {
  const told = missing || (held.code_card ? `Only the costliest kernels of this page were compiled, for ${held.code_card}; --kernels says how many.` : "This page was written without machine code.");
  return [el("p", {}, told), el("p", {}, "To compile kernels for a card, which needs no GPU: ", el("code", {}, "inductor-lab report CAPTURE --code --gpu h200"))];
}

/** The user's lines and the graph's nodes. */
function originLists(held, kernel, light) {
  const sources = [...new Set([...kernel.source, ...light.kin.sourceOfNode.values()])].sort((a, b) => a - b);
  const lines = sources.map((at, position) => light.enter(originItem(position, [el("span", { class: "at" }, place(held.lines[at])), el("code", {}, ...coloured(held.lines[at].code.trim(), "python"))]), "source", at));
  const nodes = light.kin.nodes.map((node, position) => light.enter(originItem(position, [el("code", { class: node.own ? "" : "soft" }, nodeText(node)), el("span", { class: "from" }, node.type)]), "node", node.name));
  return [
    el("h2", {}, "Your program"), lines.length ? lists(lines) : el("p", { class: "soft" }, "The text names no line of the program."),
    el("h2", {}, "The graph's nodes"), nodes.length ? lists(nodes) : el("p", { class: "soft" }, "The text holds no graph for this kernel."),
  ];
}

function originItem(position, parts) {
  return el("li", { "data-item": true, tabindex: position ? -1 : 0 }, parts);
}

function lists(items) {
  const list = el("ul", { class: "origins" }, items);
  roving(list, () => items);
  return list;
}

function nodeText(node) {
  return node.call ? `${node.name} = ${node.call}` : `${node.name}: ${node.target}`;
}

/** What the compiler made, each line lit with the kernel's line that it is from. */
function codeLines(code, light) {
  if (code.missing) return el("p", {}, code.missing);
  const language = STAGES[code.stage]?.[1] ?? "assembly";
  const rows = colouredLines(code.text, language).map((parts, at) => {
    const line = code.lines[at] ?? 0;
    const row = el("div", { class: line ? "made" : "made none", "data-item": line ? true : null, tabindex: line ? -1 : null }, el("span", { class: "no", "aria-hidden": "true" }, line ? String(line) : ""), el("code", {}, parts));
    return line ? light.enter(row, "line", line) : row;
  });
  const items = rows.filter((row) => row.hasAttribute("data-item"));
  if (items.length) items[0].tabIndex = 0;
  const list = el("div", { class: "stage" }, rows);
  roving(list, () => items);
  return [el("p", { class: "soft" }, `Compiled for ${code.gpu}. The number before a line is the kernel's line that it is from.`), list];
}

function argumentTable(kernel) {
  const first = kernel.launches.length ? "passed first" : "passed";
  return section("Arguments", grid("Arguments", ["argument", first, "type", "holds", "role"], kernel.arguments.map((row) => [mono(row.name), mono(row.passed), mono(row.type), mono(row.holds), row.role])));
}

function launchTable(kernel) {
  if (!kernel.launches.length) return null;
  const rows = kernel.launches.map((launch, at) => [String(at + 1), mono(launch.at), mono(launch.passed || "the same"), size(launch.bytes), launch.place || "not told"]);
  return el("details", { open: rows.length <= 8 }, el("summary", {}, `What its ${rows.length} launches pass; together they move ${size(kernel.cost.all_bytes)}`),
    grid("Launches", ["launch", "at", "passed", "bytes", "from"], rows));
}

function mono(text) {
  return text ? el("code", {}, text) : "";
}

function section(title, ...children) {
  return el("section", { class: "block" }, el("h2", {}, title), children);
}

/** Where fusion stopped: what goes through memory between this kernel and others. */
function stopTable(held, kernel) {
  const between = held.stops.flatMap((stop) => [["to", stop.producer, stop.consumer, stop], ["from", stop.consumer, stop.producer, stop]]);
  const rows = between.filter(([, own]) => own === kernel.id).map(([way, , id, stop]) => {
    const other = held.kernels.find((one) => one.id === id);
    return [mono(stop.buffer), size(stop.bytes), [`${way} `, link(`kernel/${encodeURIComponent(other.number)}`, `${other.number} ${other.title}`)], stop.why];
  });
  return rows.length ? section("What goes through memory to other kernels", grid("Buffers between kernels", ["buffer", "bytes", "kernel", "why they are not one kernel"], rows)) : null;
}

function factList(kernel) {
  const pairs = [["its lines", kernel.traced], ["its comment", kernel.claim], ["operations", kernel.ops.join(", ")]].filter((pair) => pair[1]);
  return section("How this is known", el("dl", { class: "pairs" }, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

/** A verdict, a comparison, machine code: as inductor_lab/report/results.py words it. */
function resultBlock(result) {
  return el("section", { class: "block result" }, el("h2", {}, result.title, " ", result.word && verdictChip(result)), result.sentence && el("p", {}, result.sentence),
    result.rows.length ? grid(result.title, result.columns, result.rows, "numbers") : null, result.notes.map((note) => el("p", { class: "soft" }, note)));
}

function historyBlock(past) {
  if (!past) return null;
  const rows = past.past.map((one) => [one.date, one.file, mono(one.edit), one.verb, el("span", { class: one.tone }, one.said), one.device]);
  return section("Results over time", past.chart && historyChart(past.chart), grid("Results over time", ["when (UTC)", "file", "edit", "by", "result", "on"], rows),
    past.earlier ? el("p", {}, `and ${past.earlier} earlier`) : null);
}

function historyChart(chart) {
  const points = chart.points.map((point) => shape("g", { class: point.tone }, shape("title", {}, point.title),
    shape("line", { x1: point.x, x2: point.x, y1: point.low, y2: point.high }), shape("circle", { cx: point.x, cy: point.y, r: 3.5 })));
  return [
    el("p", {}, "The generated kernel's time over the hand kernel's, with its 95 % interval; above the line the hand kernel is faster."),
    shape("svg", { class: "chart", viewBox: `0 0 ${chart.width} ${chart.height}`, width: chart.width, height: chart.height, role: "img", "aria-label": "Ratios over time" },
      shape("line", { class: "one", x1: chart.left, x2: chart.right, y1: chart.one, y2: chart.one }),
      chart.labels.map(([height, text]) => shape("text", { x: chart.left - 6, y: height + 3.5 }, text)), points),
  ];
}

/** Library calls of one function on the same shapes: what is known of them. */
function callView(held, call) {
  const graph = held.graphs[call.graph];
  const source = call.source.map((at) => el("li", {}, el("span", { class: "at" }, place(held.lines[at])), el("code", {}, ...coloured(held.lines[at].code.trim(), "python"))));
  return el("article", { class: "kernel" }, el("div", { class: "row over" }, el("span", {}, `library call, ${call.target}`)), el("h1", { tabindex: -1 }, call.name),
    el("p", { class: "name" }, call.signature), stats(callNumbers(call)), call.words && el("p", {}, call.words),
    el("p", {}, `Called in ${graph ? graph.id : "a graph that is not here"}, line ${call.lines.join(", ")} of its module. No kernel was generated for it: a library computes it.`),
    source.length ? section("Your program", el("ul", { class: "origins" }, source)) : null,
    graph ? el("p", {}, link(`map/${call.graph}`, "Where it stands among the graph's kernels")) : null);
}

function callNumbers(call) {
  const { read, written, flops, all_bytes: bytes, all_seconds: seconds } = call.cost;
  const found = [[count(call.lines.length), call.lines.length === 1 ? "call" : "calls"]];
  if (read !== null && written !== null) found.push([`≥ ${size(read + written)}`, "each, operands and result once"]);
  if (flops) found.push([rate(flops, "FLOP"), "each"]);
  if (bytes !== null) found.push([size(bytes), "of all"]);
  if (seconds !== null) found.push([duration(seconds), "floor of all"]);
  return found;
}

/** The user's lines in the order of the program, each with the kernels that it became part of. */
function sourceView(held) {
  const made = new Map();
  const became = [...held.kernels.map((kernel) => ({ route: `kernel/${encodeURIComponent(kernel.number)}`, title: kernel.title, word: kernel.number, source: kernel.source })),
    ...held.calls.map((call, at) => ({ route: `call/${at}`, title: callTitle(call), word: call.name, source: call.source }))];
  for (const one of became) for (const at of one.source) made.set(at, [...(made.get(at) ?? []), one]);
  const order = [...made.keys()].sort((a, b) => held.lines[a].file.localeCompare(held.lines[b].file) || held.lines[a].line - held.lines[b].line);
  const files = Map.groupBy ? Map.groupBy(order, (at) => held.lines[at].file) : order.reduce((found, at) => found.set(held.lines[at].file, [...(found.get(held.lines[at].file) ?? []), at]), new Map());
  const chips = (several) => el("span", { class: "chips" }, several.slice(0, 12).map((one) => [el("a", { class: "chip", href: `#${one.route}`, title: one.title }, one.word), " "]),
    several.length > 12 ? `and ${several.length - 12} more` : null);
  const blocks = [...files].map(([file, lines]) => el("section", { class: "block" }, el("h2", { class: "file" }, file), el("ol", { class: "program" },
    lines.map((at) => el("li", {}, el("span", { class: "at" }, String(held.lines[at].line)), el("code", {}, ...coloured(held.lines[at].code.trim(), "python")), chips(made.get(at)))))));
  return el("section", { "aria-label": "Program" }, el("h1", { tabindex: -1 }, "Your program"), el("p", { class: "lead" }, "Each line, and the kernels and library calls that it became part of."),
    blocks.length ? blocks : el("p", {}, "The text names no line of the program."));
}
