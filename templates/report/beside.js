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

/** The sides that have such a text: [0, 1], or the one of which there is nothing to say beside it. */
function sidesOf(text) {
  return [0, 1].filter((side) => text.rows.some((row) => (side ? row.b : row.a) !== null));
}

/** The table of a text; `beyond` draws what else stands in a cell, from the side and the place of its line. */
function besideTable(text, heads, beyond = () => null) {
  const language = LANGUAGE_OF[text.name] ?? STAGES[text.name]?.[1] ?? "assembly";
  const body = el("tbody");
  const sides = sidesOf(text);
  const alone = sides.length < 2;
  const head = el("thead", {}, el("tr", {}, sides.map((side) => [el("th", { class: "no" }, el("span", { class: "hidden" }, "line")), el("th", { scope: "col" }, heads[side])])));
  for (const part of alone ? [{ hidden: false, rows: text.rows }] : folded(text.rows)) {
    const rows = () => part.rows.map((row) => besideRow(alone ? { ...row, alike: true } : row, sides, language, beyond));
    if (!part.hidden) body.append(...rows());
    else {
      const open = el("button", { type: "button", click: () => line.replaceWith(...rows()) }, `${plural(part.rows.length, "line")} alike`);
      const line = el("tr", { class: "fold" }, el("td", { colspan: 4 }, open));
      body.append(line);
    }
  }
  return el("table", { class: `beside ${text.name}` }, el("caption", { class: "hidden" }, `${titleOf(text)}: ${sides.map((side) => heads[side]).join(" and ")}`), head, body);
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

function besideRow(row, sides, language, beyond) {
  const kind = row.alike ? "alike" : row.a === null ? "only-new" : row.b === null ? "only-old" : "changed";
  return el("tr", { class: sides.length > 1 ? kind : "alone" }, sides.map((at) => {
    const side = at ? "new" : "old";
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

/** Values of both sides in a table; those that differ are marked. Empty rows are left out, and a side that has none. */
function facing(caption, heads, rows) {
  const kept = rows.filter(([, old, now]) => old || now);
  const sides = [1, 2].filter((side) => kept.some((row) => row[side]));
  if (sides.length === 1) return grid(caption, ["", heads[sides[0] - 1]], kept.map((row) => [row[0], row[sides[0]]]));
  const cells = kept.map(([title, old, now]) => [title, ...marked(old, now)]);
  return cells.length ? grid(caption, ["", ...heads], cells, "facing") : null;
}

/** Two values with the words marked between what both begin and end with. */
function marked(...values) {
  const words = values.map((value) => (value || "").split(/(?<=\s)/));
  const shorter = Math.min(...words.map((side) => side.length));
  let start = 0;
  while (start < shorter && words[0][start] === words[1][start]) start++;
  let end = 0;
  while (end < shorter - start && words[0].at(-1 - end) === words[1].at(-1 - end)) end++;
  return words.map((side) => {
    const middle = side.slice(start, side.length - end).join("").trimEnd();
    const rest = side.slice(side.length - end).join("");
    return [side.slice(0, start).join(""), middle && el("mark", {}, middle), middle && rest && " ", rest];
  });
}

/** What was and what is, in one cell: once where it is the same. */
function became(old, now) {
  if (old === now || old === null) return now === null || now === "" ? "" : mono(now);
  if (now === null) return mono(old);
  const [before, after] = marked(old || "–", now || "–");
  return [mono(before), " → ", mono(after)];
}
