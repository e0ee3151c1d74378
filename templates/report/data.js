// The capture, unpacked, and what several views ask of it: rows to sort and search, and which parts of a kernel belong together.

/** What Python packed: JSON, deflated, as base64. */
async function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length); // a loop: Uint8Array.from asks an iterator for each of a million letters
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Every kernel and every group of library calls as one row of the table of costs. */
function rowsOf(held) {
  const rows = [...held.kernels.map((kernel) => kernelRow(kernel, held)), ...held.calls.map((call, at) => callRow(call, at, held))];
  const bytes = sum(rows, (row) => row.bytes);
  const floor = sum(rows, (row) => row.floor);
  for (const row of rows) {
    row.bytesShare = share(row.bytes, bytes);
    row.floorShare = share(row.floor, floor);
    row.words = row.words.join("\n").toLowerCase();
  }
  return rows;
}

function sum(rows, value) {
  return rows.reduce((total, row) => total + (value(row) ?? 0), 0);
}

function share(part, whole) {
  return part === null || !whole ? null : part / whole;
}

function kernelRow(kernel, held) {
  const source = kernel.source.map((at) => held.lines[at]);
  const graph = held.graphs[kernel.graph]?.id ?? "";
  return {
    ...costs(kernel.cost, held.card),
    route: `kernel/${encodeURIComponent(kernel.number)}`,
    order: held.kernels.indexOf(kernel),
    number: kernel.number,
    title: kernel.title,
    name: kernel.name,
    kind: kernel.category,
    phase: kernel.phase,
    measured: measuredOf(kernel),
    place: source.length ? place(source[0]) : "",
    verdict: kernel.results.find((result) => result.word && result.tone !== "plain") ?? null,
    words: [kernel.id, kernel.name, kernel.title, kernel.category, kernel.phase, graph, kernel.body_hash, kernel.claim, ...kernel.computes,
      ...kernel.marks, ...kernel.ops, ...kernel.nodes, ...source.flatMap((line) => [`${line.file}:${line.line}`, line.code])],
  };
}

function callRow(call, at, held) {
  const graph = held.graphs[call.graph]?.id ?? "";
  const source = call.source.map((line) => held.lines[line]);
  return {
    ...costs(call.cost, held.card),
    route: `call/${at}`,
    order: held.kernels.length + at,
    number: "",
    title: call.signature ? `${call.name}: ${call.signature}` : call.name,
    name: `${call.target}, ${plural(call.lines.length, "call")} in ${graph || "no graph"}`,
    kind: "library call",
    phase: call.phase,
    measured: null,
    place: source.length ? place(source[0]) : "",
    verdict: null,
    words: [call.target, call.name, call.signature, "library call", call.phase, graph, ...source.flatMap((line) => [`${line.file}:${line.line}`, line.code])],
  };
}

function costs(cost, card) {
  const one = cost.read === null || cost.written === null ? null : cost.read + cost.written;
  return {
    launches: cost.launches,
    one,
    least: cost.least,
    bytes: cost.all_bytes,
    oneFloor: cost.seconds,
    floor: cost.bound,
    estimate: cost.estimate,
    gap: cost.estimate === null ? null : cost.estimate - cost.bound,
    launched: cost.launches * card.launch,
  };
}

/** Seconds of all launches of the generated kernel, by its best known time of one. */
function measuredOf(kernel) {
  const one = kernel.measured.find((time) => time.who === "generated");
  return one ? one.seconds * kernel.cost.launches : null;
}

/** Which lines of the body, nodes and source lines of one kernel belong together. */
class Kin {
  constructor(kernel, held) {
    this.nodes = nodesOf(kernel, held);
    this.nodeOfLine = new Map(kernel.lines.filter((row) => row.node).map((row) => [row.line, row.node]));
    this.sourceOfNode = new Map(this.nodes.filter((node) => node.line >= 0).map((node) => [node.name, node.line]));
  }

  /** Everything that belongs to a `line`, a `node` or a `source`: a set of each. */
  of(kind, key) {
    const nodes = new Set(this.nodesBehind(kind, key));
    const lines = new Set(kind === "line" ? [key] : this.linesOf(nodes));
    const sources = new Set([...nodes].map((name) => this.sourceOfNode.get(name)).filter((source) => source !== undefined));
    if (kind === "source") sources.add(key);
    return { line: lines, node: nodes, source: sources };
  }

  nodesBehind(kind, key) {
    if (kind === "node") return [key];
    if (kind === "line") return this.nodeOfLine.has(key) ? [this.nodeOfLine.get(key)] : [];
    return [...this.sourceOfNode].filter(([, source]) => source === key).map(([name]) => name);
  }

  linesOf(nodes) {
    return [...this.nodeOfLine].filter(([, node]) => nodes.has(node)).map(([line]) => line);
  }
}

/** The nodes of a kernel in the graph's order: those that it was made of, and those whose values its lines read or write. */
function nodesOf(kernel, held) {
  const own = new Set(kernel.nodes);
  const wanted = new Set([...own, ...kernel.lines.map((row) => row.node).filter(Boolean)]);
  const nodes = held.graphs[kernel.graph]?.nodes ?? [];
  return nodes.filter((node) => wanted.has(node.name)).map((node) => ({ ...node, own: own.has(node.name) }));
}
