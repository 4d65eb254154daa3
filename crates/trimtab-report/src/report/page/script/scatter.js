// A chart of points. The arrow keys move from point to point, and Enter opens one; a click opens the nearest one.

/** How near a click must be to a point, in pixels. */
const REACH = 24;

/** At most as many ticks as wanted, and their texts: multiples of 1, 2 or 5 times a power of ten. */
function ticks({ low, high }, wanted, format) {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= raw);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  // A multiple of a decimal fraction is not exact.
  const values = Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
  return values.map((value) => [value, format(value, step)]);
}

/** A linear scale of some values, with room at both ends. */
function scale(values, from, to) {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = (most - least) * 0.06 || Math.abs(most) * 0.1 || 1;
  const [low, high] = [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
  return { low, high, at: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

/** The shape of a point: a diamond, a square, a cross or a circle. */
function shape(kind, x, y) {
  if (kind.includes("winner")) return svg("path", { class: "shape", d: `M${x} ${y - 9}l9 9l-9 9l-9 -9z` });
  if (kind.includes("written")) return svg("path", { class: "shape", d: `M${x - 6} ${y - 6}h12v12h-12z` });
  if (kind.includes("broken")) return svg("path", { class: "shape", d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` });
  return svg("circle", { class: "shape", cx: x, cy: y, r: kind.includes("front") ? 5.5 : 4 });
}

/** A shape with its meaning. */
function legendEntry(kind, text) {
  const mark = kind === "envelope" ? svg("path", { class: "envelope", d: "M0 10h20" }) : shape([kind], 10, 10);
  const symbol = svg("svg", { class: "symbol", viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" }, mark);
  symbol.classList.add(...(kind === "winner" ? ["winner"] : [kind]));
  return element("li", {}, symbol, text);
}

/** The corners of the steps along the points than which no other one is lower on both axes. */
function envelope(points) {
  const ascending = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const best = [];
  for (const point of ascending) if (best.length === 0 || point.y < best.at(-1).y) best.push(point);
  return best;
}

/**
 * A chart of points with `x`, `y`, `kind` (a list of classes), `label` and perhaps a `name` to show beside it. `open` gets
 * the point that was chosen. `show` draws other points and axes: `{ points, xAxis, yAxis, hasEnvelope }`.
 */
function scatter(label, open) {
  const box = element("div", { class: "plot" });
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const state = { view: null, options: [], current: 0, selected: null, places: [] };

  function draw() {
    const { points, xAxis, yAxis, hasEnvelope } = state.view;
    const width = Math.max(280, Math.floor(box.clientWidth || 600));
    const height = Math.min(460, Math.max(300, Math.round(width * 0.6)));
    const plot = { left: 54, right: width - 14, top: 28, bottom: height - 46 };
    const title = ({ name, summary }) => (width < 480 ? name : `${name}: ${summary}`);
    const x = scale(points.map((one) => one.x), plot.left, plot.right);
    const y = scale(points.map((one) => one.y), plot.bottom, plot.top);
    const grid = [
      ...ticks(y, 5, yAxis.format).flatMap(([value, text]) => [
        svg("path", { class: "grid", d: `M${plot.left} ${y.at(value)}H${plot.right}` }),
        svg("text", { x: plot.left - 8, y: y.at(value) + 4, "text-anchor": "end" }, text),
      ]),
      ...ticks(x, width / 110, xAxis.format).flatMap(([value, text]) => [
        svg("path", { class: "grid", d: `M${x.at(value)} ${plot.top}V${plot.bottom}` }),
        svg("text", { x: x.at(value), y: plot.bottom + 18, "text-anchor": "middle" }, text),
      ]),
      svg("text", { x: (plot.left + plot.right) / 2, y: plot.bottom + 38, "text-anchor": "middle" }, title(xAxis)),
      svg("text", { x: 2, y: 14 }, title(yAxis)),
    ];
    const best = hasEnvelope ? envelope(points.filter((one) => !one.kind.includes("broken"))) : [];
    const steps = best.map((one, at) => (at === 0 ? `M${x.at(one.x)} ${y.at(one.y)}` : `H${x.at(one.x)}V${y.at(one.y)}`));
    state.places = points.map((one) => [x.at(one.x), y.at(one.y)]);
    const hadFocus = box.contains(document.activeElement);
    state.options = points.map((one, at) => option(one, at, state.places[at]));
    // The best points are drawn last, over the others.
    const order = state.options.toSorted((a, b) => a.dataset.rank - b.dataset.rank);
    const names = points.flatMap((one, at) => (one.name ? [nameBeside(one.name, state.places[at], plot)] : []));
    const picture = svg(
      "svg",
      { class: "scatter", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label },
      svg("g", { "aria-hidden": "true" }, grid, steps.length > 1 ? svg("path", { class: "envelope", d: steps.join("") }) : null),
      svg("rect", { class: "ground", width, height, onclick: choose, onpointermove: (event) => tell(nearest(event)), onpointerleave: () => tell(null) }),
      svg("g", { class: "points", role: "listbox", "aria-label": "Combinations", onkeydown: press, onclick: choose }, order),
      svg("g", { class: "points", "aria-hidden": "true" }, names),
    );
    box.replaceChildren(picture);
    if (hadFocus) state.options[state.current]?.focus();
  }

  function option(point, at, [x, y]) {
    const made = svg(
      "g",
      { class: ["option", ...point.kind].join(" "), role: "option", "aria-label": point.label, "aria-selected": String(point.id === state.selected), tabindex: at === state.current ? "0" : "-1", onfocus: () => tell(at) },
      svg("circle", { class: "ring", cx: x, cy: y, r: 13 }),
      shape(point.kind, x, y),
    );
    made.dataset.rank = ["front", "written", "winner"].findLastIndex((kind) => point.kind.includes(kind));
    return made;
  }

  function nameBeside(name, [x, y], plot) {
    const isRight = x < (plot.left + plot.right) / 2;
    return svg("text", { class: "name", x: isRight ? x + 14 : x - 14, y: y - 8, "text-anchor": isRight ? "start" : "end" }, name);
  }

  /** The point nearest to the pointer, if it is near. Points that are drawn over others are preferred to them. */
  function nearest(event) {
    const bounds = box.firstChild.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    const preferred = (at) => 4 * Number(state.options[at].dataset.rank);
    const distances = state.places.map(([left, top], at) => Math.hypot(left - x, top - y) - preferred(at));
    const least = distances.reduce((best, distance, at) => (distance < distances[best] ? at : best), 0);
    return distances[least] <= REACH ? least : null;
  }

  function tell(at) {
    readout.textContent = at === null ? "" : state.view.points[at].label;
  }

  /** Makes a point the one that the Tab key reaches. */
  function moveTo(at) {
    state.options[state.current]?.setAttribute("tabindex", "-1");
    state.current = at;
    state.options[at].setAttribute("tabindex", "0");
  }

  function press(event) {
    const last = state.options.length - 1;
    const steps = { ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, PageDown: 10, PageUp: -10, Home: -last, End: last };
    if (event.key === "Enter" || event.key === " ") open(state.view.points[state.current].id);
    else if (event.key in steps) {
      moveTo(Math.min(last, Math.max(0, state.current + steps[event.key])));
      state.options[state.current].focus();
    } else return;
    event.preventDefault();
  }

  /** Opens the point that was clicked, with the pointer or by a program that reads the page. */
  function choose(event) {
    const own = state.options.indexOf(event.target.closest("[role=option]"));
    const at = own >= 0 ? own : nearest(event);
    if (at !== null) open(state.view.points[at].id);
  }

  /** Marks a point as the open one. */
  function select(id) {
    state.selected = id;
    state.view.points.forEach((point, at) => state.options[at]?.setAttribute("aria-selected", String(point.id === id)));
    const at = state.view.points.findIndex((point) => point.id === id);
    if (at >= 0 && state.options.length > 0) moveTo(at);
  }

  function show(view) {
    state.view = { ...view, points: view.points.toSorted((a, b) => a.x - b.x || a.y - b.y) };
    state.current = Math.max(0, state.view.points.findIndex((point) => point.id === state.selected));
    tell(null);
    if (view.points.length > 0) draw();
    else box.replaceChildren(element("p", {}, "No transcript is in this half."));
  }

  let lastWidth = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === lastWidth || box.clientWidth === 0) return;
    lastWidth = box.clientWidth;
    if (state.view?.points.length > 0) draw();
  }).observe(box);
  return { made: [box, readout], show, select };
}

