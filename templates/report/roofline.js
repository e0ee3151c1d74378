// The roofline: what the card can do at most, and where each kernel stands under it. Both axes are logarithmic.

const ROOM = { left: 88, right: 18, top: 22, bottom: 52 };

/** What does arithmetic, by operations for each byte and operations a second: kernels at their measured time, else at their estimate; calls at their floor. */
function pointsOf(held) {
  const kernels = held.kernels.map((kernel) => {
    const times = ["generated", "hand"].map((who) => kernel.measured.find((time) => time.who === who)?.seconds ?? null);
    const { estimate, bound, seconds } = kernel.cost;
    const likely = estimate === null || !bound ? seconds : seconds * (estimate / bound);
    return { route: `kernel/${encodeURIComponent(kernel.number)}`, title: kernel.title, what: "kernel", cost: kernel.cost,
      seconds: times[0] ?? likely, how: times[0] !== null ? "measured" : estimate === null ? "its floor" : "its estimate", hand: times[1] };
  });
  const calls = held.calls.map((call, at) => ({ route: `call/${at}`, title: callTitle(call), what: "call", cost: call.cost, seconds: call.cost.seconds, how: "its floor", hand: null }));
  return [...kernels, ...calls].filter(({ cost }) => cost.flops && cost.read !== null && cost.read + cost.written).map((point) => {
    const { flops, read, written, estimate, bound } = point.cost;
    return { ...point, flops, intensity: flops / (read + written), measured: point.how === "measured", weight: estimate ?? bound ?? 0 };
  });
}

function rooflineView(held) {
  const points = pointsOf(held);
  const box = el("div", { class: "picture" });
  const told = el("p", { class: "told", role: "status" }, "Point at a kernel or a library call, or step through them with the arrow keys.");
  const tell = (point) => { told.replaceChildren(...tellPoint(point)); };
  const draw = () => box.clientWidth && box.replaceChildren(rooflinePicture(held, points, box.clientWidth, tell));
  new ResizeObserver(draw).observe(box);
  roving(box, () => [...box.querySelectorAll("[data-item]")], { before: "ArrowLeft", after: "ArrowRight" });
  const still = held.kernels.length + held.calls.length - points.length;
  const lead = "Further right a kernel computes more on each byte; further up it computes faster. Under the slope memory is the wall, under the flat top arithmetic. "
    + "A full point was measured, an empty one is a kernel at its estimate, or a library call, in another colour, at its floor. The larger a point, the more its launches cost.";
  return el("section", { "aria-label": "Roofline" }, el("h1", { tabindex: -1 }, "Roofline"), el("p", { class: "lead" }, lead), box, told,
    held.card.measured ? el("p", { class: "soft" }, `Dashed: what was measured ${held.card.measured.told}; a large copy moved ${rate(held.card.measured.bandwidth, "B/s")}.`) : null,
    still ? el("p", { class: "soft" }, `${still === 1 ? "One kernel or call is" : `${count(still)} kernels and calls are`} not in the picture: no arithmetic that could be counted, or bytes that could not.`) : null);
}

function tellPoint(point) {
  return [link(point.route, point.title), ` ${round(point.intensity)} FLOP/byte, ${rate(point.flops / point.seconds, "FLOP/s")}, ${duration(point.seconds)} a launch, ${point.how}`
    + (point.hand ? `; the hand kernel ${duration(point.hand)}` : "")];
}

/** A logarithmic axis: value -> place, and its powers of ten; it ends a little beyond its values. */
function axis(low, high, from, to) {
  const [a, b] = [Math.log10(low) - 0.15, Math.log10(high) + 0.15];
  const at = (value) => from + ((Math.log10(value) - a) / (b - a)) * (to - from);
  const ticks = Array.from({ length: Math.floor(b) - Math.ceil(a) + 1 }, (_, step) => 10 ** (Math.ceil(a) + step));
  return { at, ticks, low: 10 ** a, high: 10 ** b };
}

function rooflinePicture(held, points, width, tell) {
  const height = Math.round(Math.max(300, Math.min(width * 0.55, 720)));
  const { bandwidth, flops, half } = held.card;
  const fast = points.some((point) => point.flops / point.seconds > flops); // what no fp32 unit does: the matrix units' ceiling is drawn too
  const ridge = flops / bandwidth;
  const speeds = points.flatMap((point) => [point.flops / point.seconds, point.hand ? point.flops / point.hand : Infinity]);
  const x = axis(Math.min(ridge / 4, ...points.map((point) => point.intensity)), Math.max((fast ? half / bandwidth : ridge) * 1.5, ...points.map((point) => point.intensity)), ROOM.left, width - ROOM.right);
  const seen = held.card.measured;
  const tops = Object.values(seen?.flops ?? {});
  const y = axis(Math.min(flops / 10, ...speeds), Math.max(fast ? half : flops, ...tops), height - ROOM.bottom, ROOM.top);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Kernels under the card's ceilings" });
  picture.append(...gridLines(x, y, width, height), roof(x, y, bandwidth, flops, ridge), ...ceilingNames(held.card, x, y, ridge, width, fast));
  if (fast) picture.append(roof(x, y, bandwidth, half, half / bandwidth));
  if (seen) picture.append(...measuredRoofs(seen, x, y));
  const heaviest = Math.max(...points.map((point) => point.weight), 1e-12);
  const inOrder = [...points].sort((a, b) => b.weight - a.weight);
  const drawn = new Map(inOrder.map((point) => [point, mark(point, x, y, (3.5 + 9 * Math.sqrt(point.weight / heaviest)) * Math.min(1, 0.4 + width / 1500), tell)]));
  const byIntensity = [...points].sort((a, b) => a.intensity - b.intensity);
  const large = inOrder.map((point) => drawn.get(point));
  picture.append(...large);
  if (byIntensity.length) drawn.get(byIntensity[0]).tabIndex = 0;
  return picture;
}

function gridLines(x, y, width, height) {
  const every = Math.ceil((x.ticks.length * 58) / width);
  const across = x.ticks.map((value, at) => shape("g", { class: "tick" }, shape("line", { x1: x.at(value), x2: x.at(value), y1: ROOM.top, y2: height - ROOM.bottom }),
    at % every ? null : shape("text", { x: x.at(value), y: height - ROOM.bottom + 18, "text-anchor": "middle" }, round(value))));
  const up = y.ticks.map((value) => shape("g", { class: "tick" }, shape("line", { x1: ROOM.left, x2: width - ROOM.right, y1: y.at(value), y2: y.at(value) }),
    shape("text", { x: ROOM.left - 8, y: y.at(value) + 4, "text-anchor": "end" }, rate(value, "FLOP/s"))));
  return [...across, ...up, shape("text", { class: "axis", x: (ROOM.left + width - ROOM.right) / 2, y: height - 10, "text-anchor": "middle" }, "operations for each byte (FLOP/byte)")];
}

function roof(x, y, bandwidth, flops, ridge) {
  const start = Math.max(x.low, y.low / bandwidth);
  const corners = [[start, start * bandwidth], [ridge, flops], [x.high, flops]];
  return shape("polyline", { class: "roof", points: corners.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join(" ") });
}

/** What a card was seen to do, dashed: the slope of a copy, and a flat top for each precision. */
function measuredRoofs({ bandwidth, flops }, x, y) {
  return Object.entries(flops).flatMap(([precision, most]) => {
    const line = roof(x, y, bandwidth, most, Math.min(most / bandwidth, x.high));
    line.classList.add("seen");
    return [line, shape("text", { class: "ceiling seen", x: x.at(x.high) - 4, y: y.at(most) + 14, "text-anchor": "end" }, `${precision}, measured, ${rate(most, "FLOP/s")}`)];
  });
}

function ceilingNames(card, x, y, ridge, width, fast) {
  const middle = Math.sqrt(Math.max(x.low, y.low / card.bandwidth) * ridge);
  const angle = (-Math.atan2(y.at(middle) - y.at(middle * 10), x.at(middle * 10) - x.at(middle)) * 180) / Math.PI;
  const slope = Math.atan2(y.at(middle * card.bandwidth * 10) - y.at(middle * card.bandwidth), x.at(middle * 10) - x.at(middle)) * (180 / Math.PI);
  const [a, b] = [x.at(middle), y.at(middle * card.bandwidth)];
  return [
    shape("text", { class: "ceiling", x: a, y: b - 8, transform: `rotate(${Number.isFinite(slope) ? slope : angle} ${a} ${b})`, "text-anchor": "middle" }, `memory, ${rate(card.bandwidth, "B/s")}`),
    shape("text", { class: "ceiling", x: width - ROOM.right - 4, y: y.at(card.flops) - 8, "text-anchor": "end" }, `fp32, ${rate(card.flops, "FLOP/s")}`),
    fast ? shape("text", { class: "ceiling", x: width - ROOM.right - 4, y: y.at(card.half) - 8, "text-anchor": "end" }, `matrix units, 16 bits, ${rate(card.half, "FLOP/s")}`) : null,
  ].filter(Boolean);
}

function mark(point, x, y, radius, tell) {
  const [a, b] = [x.at(point.intensity), y.at(point.flops / point.seconds)];
  const hand = point.hand && shape("circle", { class: "hand", cx: a, cy: y.at(point.flops / point.hand), r: 4 });
  const joined = point.hand && shape("line", { class: "joined", x1: a, x2: a, y1: b, y2: y.at(point.flops / point.hand) });
  const name = `${point.title}: ${round(point.intensity)} FLOP/byte, ${duration(point.seconds)} a launch, ${point.how}`;
  return shape("a", { href: `#${point.route}`, "data-item": true, tabindex: -1, class: `point ${point.what}`, "aria-label": name,
    pointerenter: () => tell(point), focus: () => tell(point) }, joined, shape("circle", { class: point.measured ? "full" : "empty", cx: a, cy: b, r: radius }), hand);
}
