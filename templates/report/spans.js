// Spans: consecutive steps that one kernel would do in less time than each at its best; and where they are on the map.

function spansView(held) {
  const lead = "Launches and library calls that follow each other, and that one kernel would do faster: what lies between them need not go through memory, and is launched once. "
    + "What is saved is of the least on both sides, what the steps need and what one kernel needs; what an edit of a single step could gain is not in it.";
  const rows = held.spans.map((span) => [
    [link(`map/${held.graphs.findIndex((graph) => graph.id === span.graph)}/${span.first}`, span.title), el("span", { class: "under" }, `${span.name}${span.alike.length > 1 ? `, and ${span.alike.length - 1} more that do the same` : ""}`)],
    [duration(span.saves * span.alike.length), el("span", { class: "under" }, span.alike.length > 1 ? `${span.alike.length} × ${duration(span.saves)}` : "")],
    [duration(span.seconds), el("span", { class: "under" }, span.measured ? "measured" : "estimated")],
    [duration(span.bound), el("span", { class: "under" }, span.limit)],
    [size(span.moved), el("span", { class: "under" }, `of ${size(span.apart)}`)],
    [[span.launches && plural(span.launches, "launch"), span.calls && plural(span.calls, "library call")].filter(Boolean).join(", "), el("span", { class: "under" }, span.waits ? `all programs wait ${span.waits === 1 ? "once" : `${span.waits} times`}` : "")],
    span.why.map((one) => el("span", { class: "under" }, one.why)),
  ]);
  return el("section", { "aria-label": "Spans" }, el("h1", { tabindex: -1 }, "Spans"), el("p", { class: "lead" }, lead),
    rows.length ? grid("Spans by what one kernel would save", ["Steps", "Saves", "Now", "One kernel", "Moves", "Are", "Why Inductor left them apart"], rows)
      : el("p", {}, "No consecutive steps that one kernel would do in less time."),
    held.kept_spans.map(keptSpan));
}

/** A span of which results were kept: its steps, and what was found. */
function keptSpan(kept) {
  return section(kept.name, el("p", {}, kept.told),
    el("ol", { start: kept.first }, kept.steps.map((step, place) => el("li", {}, link(`map/${kept.graph}/${kept.first + place}`, step)))),
    kept.results.map(resultBlock), historyBlock(kept.history));
}

/** The spans of a graph: which, from which step to which. */
function spansOf(held, graph) {
  const stepsOf = (name) => name.match(/(\d+)-(\d+)$/).slice(1).map(Number);
  return held.spans.filter((span) => span.graph === graph.id).flatMap((span) => span.alike.map(stepsOf).map(([first, last]) => ({ span, first, last })));
}

/** A line beside the steps of a span. */
function spanMark({ first, last }, left, here) {
  return shape("path", { class: `span-mark${here ? " here" : ""}`, d: `M${left},${first * ROW + 4} V${(last + 1) * ROW - 4}` });
}

/** Beside a step on the map: the span that it is part of. */
function spanTold({ span, first, last }) {
  return [el("h3", {}, link("spans", "Part of a span")), el("p", {}, `One of ${last - first + 1} steps that one kernel would do faster; it would save about ${duration(span.saves)}.`),
    el("p", {}, el("code", {}, `inductor-lab eject ${span.name.replace(/\d+-\d+$/, `${first}-${last}`)}`))];
}
