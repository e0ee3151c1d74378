// The map of one graph: its launches and library calls from top to bottom, and an arc for each buffer from who writes it to who reads it.
// Only what is in sight is drawn, so a graph may have thousands.

const ROW = 26;
const AHEAD = 12;

/** Steps with where each buffer that they read was written, and who reads what they write. */
function flowOf(graph) {
  const writer = new Map();
  const edges = [];
  graph.steps.forEach((step, at) => {
    for (const buffer of step.reads) {
      if (writer.has(buffer.memory)) edges.push({ from: writer.get(buffer.memory), to: at, name: buffer.name, bytes: buffer.bytes });
    }
    for (const buffer of step.writes) writer.set(buffer.memory, at);
  });
  return edges;
}

function mapView(held, at, go, first) {
  const graph = held.graphs[at];
  const picker = el("select", { change: () => go(`map/${picker.value}`) },
    held.graphs.map((other, place) => el("option", { value: place, selected: place === at }, `${other.kind} ${other.id}: ${plural(other.steps.length, "step")}`)));
  const lead = "Each row is a launch or a library call, in the order in which the graph runs them. An arc is a buffer on its way through memory: the thicker, the more bytes; a line beside rows is a span, which one kernel would do faster. "
    + "Select a row to see what it reads and writes.";
  const section = el("section", { "aria-label": "Map" }, el("h1", { tabindex: -1 }, "Map of a graph"), el("p", { class: "lead" }, lead));
  if (!graph || !graph.steps.length) {
    section.append(held.graphs.length ? el("label", {}, "Graph ", picker) : "", el("p", {}, "No kernel is launched here."));
    return section;
  }
  section.append(el("div", { class: "row" }, el("label", {}, "Graph ", picker)), mapOf(held, graph, first));
  return section;
}

function mapOf(held, graph, first) {
  const spans = spansOf(held, graph);
  const edges = flowOf(graph);
  const touching = graph.steps.map(() => []);
  for (const edge of edges) {
    touching[edge.from].push(edge);
    touching[edge.to].push(edge);
  }
  const most = Math.max(...edges.map((edge) => edge.bytes ?? 0), 1);
  const pane = el("div", { class: "map", tabindex: 0, role: "application", "aria-label": `The ${graph.steps.length} steps of ${graph.id}: up and down select one` });
  const aside = el("div", { class: "step", role: "status" });
  let selected = Math.min(first, graph.steps.length - 1);
  let waiting = false;

  function draw() {
    waiting = false;
    const width = pane.clientWidth;
    if (!width) return; // not on the page yet
    const arcs = Math.min(width * (width < 500 ? 0.24 : 0.34), 300);
    const first = Math.max(0, Math.floor(pane.scrollTop / ROW) - AHEAD);
    const last = Math.min(graph.steps.length - 1, Math.ceil((pane.scrollTop + pane.clientHeight) / ROW) + AHEAD);
    const picture = shape("svg", { width, height: graph.steps.length * ROW + 8, "aria-hidden": "true" });
    const near = edges.filter((edge) => edge.from <= last && edge.to >= first);
    picture.append(...near.filter((edge) => !isOf(edge, selected)).map((edge) => arc(edge, arcs, most, "")));
    const chosen = near.filter((edge) => isOf(edge, selected));
    picture.append(...chosen.map((edge) => arc(edge, arcs, most, way(edge, selected))), ...chosen.map((edge) => edgeTold(edge, arcs, way(edge, selected))));
    picture.append(...spans.filter((span) => span.first <= last && span.last >= first).map((span) => spanMark(span, arcs - 2, span.first <= selected && selected <= span.last)));
    for (let at = first; at <= last; at++) picture.append(stepRow(held, graph.steps[at], at, arcs, width, at === selected, () => select(at)));
    pane.replaceChildren(picture);
  }

  function select(at) {
    selected = Math.max(0, Math.min(graph.steps.length - 1, at));
    aside.replaceChildren(...stepTold(held, graph, selected, touching[selected], select), ...spans.filter((span) => span.first <= selected && selected <= span.last).flatMap(spanTold));
    const top = selected * ROW;
    if (top < pane.scrollTop || top + ROW > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - pane.clientHeight / 2;
    draw();
  }

  function soon() {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  }

  const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
  pane.addEventListener("keydown", (event) => {
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    select(selected + steps[event.key]);
  });
  pane.addEventListener("scroll", soon);
  new ResizeObserver(() => select(selected)).observe(pane);
  return el("div", { class: "mapped" }, pane, aside);
}

function isOf(edge, at) {
  return edge.from === at || edge.to === at;
}

/** An arc on the left of the rows; it reaches further out the further apart they are. */
function arc(edge, room, most, kind) {
  const [a, b] = [edge.from, edge.to].map((at) => at * ROW + ROW / 2);
  const out = room - Math.min(room - 10, 14 + 26 * Math.log2(1 + edge.to - edge.from));
  const wide = 1 + 5 * Math.sqrt((edge.bytes ?? 0) / most);
  return shape("g", { class: `arc ${kind}` }, shape("path", { d: `M${room},${a} C${out},${a} ${out},${b} ${room},${b}`, "stroke-width": wide.toFixed(1) }));
}

/** Seen from a step: whether a buffer comes in or goes out. */
function way(edge, at) {
  return edge.to === at ? "in" : "out";
}

/** The bytes of an arc, at its other end. */
function edgeTold(edge, room, kind) {
  const at = kind === "in" ? edge.from : edge.to;
  return shape("g", { class: `arc ${kind}` }, shape("text", { class: "edge", x: room - 8, y: at * ROW + ROW / 2 + 4, "text-anchor": "end" }, size(edge.bytes)));
}

function stepRow(held, step, at, left, width, here, choose) {
  const kernel = held.kernels[step.kernel];
  const title = kernel ? kernel.title : callTitle(held.calls[step.call]);
  const group = shape("g", { class: `step-row ${kernel ? "kernel" : "call"}${here ? " here" : ""}`, transform: `translate(${left},${at * ROW})`, click: choose },
    shape("rect", { x: 2, y: 2, width: width - left - 8, height: ROW - 4, rx: 5 }),
    shape("text", { x: 10, y: ROW / 2 + 4, class: "n" }, kernel ? kernel.number : "lib"),
    shape("foreignObject", { x: 46, y: 2, width: Math.max(width - left - 58, 0), height: ROW - 4 }, el("div", {}, title)));
  return group;
}

/** In words: what a step reads, from where; what it writes, for whom. */
function stepTold(held, graph, at, edges, select) {
  const step = graph.steps[at];
  const kernel = held.kernels[step.kernel];
  const title = kernel ? kernel.title : callTitle(held.calls[step.call]);
  const route = kernel ? `kernel/${encodeURIComponent(kernel.number)}` : `call/${step.call}`;
  const jump = (other) => el("button", { type: "button", class: "plain", click: () => select(other) }, stepName(held, graph.steps[other]));
  const read = step.reads.map((buffer) => [buffer, edges.filter((edge) => edge.to === at && edge.name === buffer.name).map((edge) => edge.from)]);
  const written = step.writes.map((buffer) => [buffer, edges.filter((edge) => edge.from === at && sameMemory(graph, edge, buffer)).map((edge) => edge.to)]);
  const listed = (pairs, none) => el("ul", { class: "buffers" }, pairs.map(([buffer, others]) => el("li", {}, el("code", {}, buffer.name), ` ${size(buffer.bytes)}, `,
    others.length ? others.slice(0, 6).map((other) => [jump(other), " "]) : el("span", { class: "soft" }, none), others.length > 6 ? `and ${others.length - 6} more` : null)));
  return [
    el("h2", {}, link(route, title)), el("p", { class: "soft" }, `step ${at + 1} of ${graph.steps.length}, line ${step.line} of its module`),
    step.reads.length ? el("h3", {}, "Reads") : null, step.reads.length ? listed(read, "from outside these steps") : null,
    step.writes.length ? el("h3", {}, "Writes") : null, step.writes.length ? listed(written, "read by none of these steps") : null,
    step.reads.length || step.writes.length ? null : el("p", { class: "soft" }, "The text does not say which buffers it reads and writes."),
  ].filter(Boolean);
}

function sameMemory(graph, edge, buffer) {
  return graph.steps[edge.to].reads.some((read) => read.name === edge.name && read.memory === buffer.memory);
}

function stepName(held, step) {
  const kernel = held.kernels[step.kernel];
  return kernel ? `${kernel.number} ${kernel.title}`.slice(0, 60) : held.calls[step.call].name;
}

function callTitle(call) {
  return call.signature ? `${call.name}: ${call.signature}` : call.name;
}
