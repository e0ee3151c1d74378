// Two texts side by side: what is alike folds away, what differs is marked, in words that say so and not by colour alone.

const AROUND = 3;
/** Lines of what is alike that stay in sight beside a difference. */

const LANGUAGE_OF = { source: "python", program: "python", computation: "outline" };
const TEXT_TITLES = { source: "Triton", computation: "Computation" };

function titleOf(text) {
  return TEXT_TITLES[text.name] ?? STAGES[text.name]?.[0] ?? (text.name || "Machine code");
}

function differing(text) {
  return text.rows.filter((row) => !row.alike).length;
}

/** The table of a text; `beyond` draws what else stands in a cell, from the side and the place of its line. */
function besideTable(text, heads, beyond = () => null) {
  const language = LANGUAGE_OF[text.name] ?? STAGES[text.name]?.[1] ?? "assembly";
  const body = el("tbody");
  const head = el("thead", {}, el("tr", {}, heads.map((name) => [el("th", { class: "no" }, el("span", { class: "hidden" }, "line")), el("th", { scope: "col" }, name)])));
  for (const part of folded(text.rows)) {
    const rows = () => part.rows.map((row) => besideRow(row, language, beyond));
    if (!part.hidden) body.append(...rows());
    else {
      const open = el("button", { type: "button", click: () => line.replaceWith(...rows()) }, `${plural(part.rows.length, "line")} alike`);
      const line = el("tr", { class: "fold" }, el("td", { colspan: 4 }, open));
      body.append(line);
    }
  }
  return el("table", { class: `beside ${text.name}` }, el("caption", { class: "hidden" }, `${titleOf(text)}: ${heads.join(" and ")}`), head, body);
}

/** Runs of rows, those far from any difference hidden; nothing is where all is alike. */
function folded(rows) {
  const near = new Array(rows.length).fill(false);
  rows.forEach((row, at) => { if (!row.alike) near.fill(true, Math.max(0, at - AROUND), at + AROUND + 1); });
  if (!near.includes(true)) return [{ hidden: false, rows }];
  const parts = [];
  rows.forEach((row, at) => {
    if (parts.at(-1)?.hidden === !near[at]) parts.at(-1).rows.push(row);
    else parts.push({ hidden: !near[at], rows: [row] });
  });
  return parts.map((part) => (part.rows.length > 1 ? part : { ...part, hidden: false }));
}

function besideRow(row, language, beyond) {
  const kind = row.alike ? "alike" : row.a === null ? "only-new" : row.b === null ? "only-old" : "changed";
  return el("tr", { class: kind }, ["old", "new"].map((side, at) => {
    const text = at ? row.b : row.a;
    const none = text === null ? " absent" : "";
    const told = !row.alike && text !== null && el("span", { class: "hidden" }, at ? "new: " : "old: ");
    return [el("td", { class: `no ${side}${none}` }, row.at[at]), el("td", { class: `${side}${none}` }, text === null ? null : el("pre", {}, told, lit(text, language, row.lit[at])), text === null ? null : beyond(at, row.at[at]))];
  }));
}

/** A line's coloured tokens, the spans in which it differs marked. */
function lit(text, language, spans) {
  const parts = language === "outline" ? [["", text]] : tokens(text, language);
  const found = [];
  let at = 0;
  for (const [kind, part] of parts) {
    for (const [from, to, inside] of cut(at, at + part.length, spans)) {
      const words = text.slice(from, to);
      const marked = inside ? el("mark", {}, words) : words;
      found.push(kind ? el("span", { class: `t-${kind}` }, marked) : marked);
    }
    at += part.length;
  }
  return found;
}

/** A stretch in pieces: inside a span, or not. */
function cut(from, to, spans) {
  const edges = [from, ...spans.flat().filter((edge) => edge > from && edge < to), to];
  return edges.slice(1).map((end, at) => [edges[at], end, spans.some(([start, stop]) => edges[at] >= start && end <= stop)]);
}

/** Values of both sides in a table; those that differ are marked. Empty rows are left out. */
function facing(caption, heads, rows) {
  const kept = rows.filter(([, old, now]) => old || now);
  const cells = kept.map(([title, old, now]) => (String(old) === String(now) ? [title, old, now] : [title, old && el("mark", {}, old), now && el("mark", {}, now)]));
  return cells.length ? grid(caption, ["", ...heads], cells, "facing") : null;
}

/** What was and what is, in one cell: once where it is the same. */
function became(old, now) {
  if (old === now || old === null) return now === null || now === "" ? "" : mono(now);
  return now === null ? mono(old) : [el("mark", {}, mono(old || "–")), " → ", el("mark", {}, mono(now || "–"))];
}
