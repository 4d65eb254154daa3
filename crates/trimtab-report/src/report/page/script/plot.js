// Plots as drawings: lines or areas over a common scale, limits across them, and rows of ticks below. Labels stand at the
// right of a wide plot and do not overlap.

/** The distance of rows of ticks in pixels. */
const ROW_HEIGHT = 19;

/** A plot of at least this many pixels has room for labels beside it. */
const WIDE_PLOT = 560;

const isKnown = (value) => value !== null && value !== undefined;

/** An element of a drawing in a colour of the style sheet. */
function coloured(made, colour) {
  made.style.setProperty("--colour", `var(${colour})`);
  return made;
}

/** A pattern of oblique lines in a colour. */
function hatching(id, colour) {
  const shape = { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const lines = svg("path", { class: "hatching", d: "M0 0V7" });
  return coloured(svg("pattern", shape, svg("rect", { class: "ground", width: 7, height: 7 }), lines), colour);
}

/** An element of a drawing that is filled with a pattern. */
function patterned(made, id) {
  made.style.setProperty("fill", `url(#${id})`);
  return made;
}

/** What a legend shows before a name: a line, an area, a hatched area, or a vertical line. */
function swatch({ colour, dash = [], kind = "line" }) {
  const id = newId();
  const inside = {
    line: () => [svg("path", { class: "line", d: "M1 6H27", "stroke-dasharray": dash.join(" ") })],
    area: () => [svg("rect", { class: "area", y: 1, width: 28, height: 10 })],
    shade: () => [svg("rect", { class: "shade", y: 1, width: 28, height: 10 })],
    hatch: () => [hatching(id, colour), patterned(svg("rect", { class: "hatch", width: 28, y: 1, height: 10 }), id)],
    harness: () => [svg("path", { class: "harness", d: "M14 0V12" })],
  }[kind]();
  return coloured(svg("svg", { class: "swatch", width: 28, height: 12, "aria-hidden": "true" }, inside), colour);
}

/** The largest value of some series. */
const largestOf = (series) =>
  Math.max(1e-9, ...series.map((one) => one.values.reduce((most, value) => Math.max(most, value ?? 0), 0)));

/** The limits that are drawn; one far above all lines would make them flat. */
const drawnLimits = (limits, series) => {
  const largest = largestOf(series);
  return limits.filter(([, level]) => level <= largest * 4);
};

/** The drawing of a plot of a width. */
class Plot {
  constructor(plot, width) {
    Object.assign(this, { limits: [], rows: [], shades: [], harness: [], stops: [] }, plot);
    this.isWide = width >= WIDE_PLOT;
    this.limits = drawnLimits(this.limits, this.series);
    this.low = Math.min(0, ...this.series.map((one) => one.low ?? 0));
    this.high = Math.max(largestOf(this.series), ...this.limits.map(([, level]) => level)) * 1.04;
    this.yTicks = ticksBetween(this.low, this.high, 5, this.format !== dollars);
    this.yText = this.format === dollars ? tickDollars(this.yTicks) : short;
    this.height = Math.round(Math.min(300, Math.max(200, width * 0.3)));
    const names = [...this.series.map((one) => one.label), ...this.limits.map(([, , name]) => name), ...this.rows.map((row) => row.name)];
    const room = Math.max(...names.map((name) => textWidth(name, true))) + 14;
    this.width = width;
    this.left = Math.ceil(Math.max(24, ...this.yTicks.map((tick) => textWidth(this.yText(tick))))) + 12;
    this.right = Math.round(width - (this.isWide ? Math.min(room, 230, width * 0.32) : 12));
    this.top = 22;
    this.bottom = this.top + this.height;
    this.cursors = { chosen: svg("path", { class: "cursor" }), pointed: svg("path", { class: "cursor pointed" }) };
    const below = [...this.stopped(), ...this.areas(), ...this.lines()];
    const rows = this.rowsOfTicks();
    const frame = { viewBox: `0 0 ${width} ${this.end + 4}`, "aria-hidden": "true" };
    this.made = svg("svg", frame, this.axes(), below, this.labels(), Object.values(this.cursors), rows);
  }

  /** The position of a number on the horizontal axis. */
  xAt(number) {
    const [first, last] = [this.x[0], this.x.at(-1)];
    return this.left + (last === first ? 0.5 : (number - first) / (last - first)) * (this.right - this.left);
  }

  xOf(at) {
    return this.xAt(this.x[at]);
  }

  yOf(value) {
    return this.bottom - ((value - this.low) / (this.high - this.low)) * this.height;
  }

  points(values) {
    const all = values.map((value, at) => (isKnown(value) ? [this.xOf(at), this.yOf(value)] : null));
    return this.isStepped ? stepped(all) : all;
  }

  axes() {
    const { left, right, bottom } = this;
    const middle = (left + right) / 2;
    const most = Math.max(3, Math.min(12, (right - left) / 60));
    return [
      ...this.yTicks.flatMap((tick) => [
        svg("path", { class: "grid", d: `M${left} ${this.yOf(tick).toFixed(1)}H${right}` }),
        svg("text", { x: left - 8, y: (this.yOf(tick) + 4).toFixed(1), "text-anchor": "end" }, this.yText(tick)),
      ]),
      ...ticksBetween(this.x[0], this.x.at(-1), most, true).map((tick) =>
        svg("text", { x: this.xAt(tick).toFixed(1), y: bottom + 17, "text-anchor": "middle" }, short(tick)),
      ),
      svg("text", { x: left - 8, y: 11 }, this.yLabel),
      svg("text", { x: middle, y: bottom + 33, "text-anchor": "middle" }, this.xLabel),
    ];
  }

  /** The stretches that a stop prevents. */
  stopped() {
    const half = this.x.length > 1 ? (this.right - this.left) / (this.x.length - 1) / 2 : 0;
    return this.stops.flatMap(({ from, to, colour }) => {
      const [start, end] = [Math.max(this.left, this.xOf(from) - half), Math.min(this.right, this.xOf(to) + half)];
      const place = { x: start, y: this.top, width: Math.max(3, end - start), height: this.height };
      const id = newId();
      return [hatching(id, colour), coloured(patterned(svg("rect", { class: "hatch stop", ...place }), id), colour)];
    });
  }

  /** The areas between lines, and those below lines. */
  areas() {
    const area = (kind, upper, lower, colour) => coloured(svg("path", { class: kind, d: areaPath(upper, lower) }), colour);
    const ground = this.points(this.x.map(() => 0));
    const shades = this.shades.map(({ upper, lower, colour }) => area("shade", this.points(upper), this.points(lower), colour));
    if (!this.isStacked && !this.isStepped) return shades;
    const below = this.series.flatMap(({ values, colour, isHatched }) => {
      if (!isHatched) return [area(this.isStacked ? "area" : "shade", this.points(values), ground, colour)];
      const id = newId();
      return [hatching(id, colour), patterned(area("area hatch", this.points(values), ground, colour), id)];
    });
    return [...shades, ...below];
  }

  /** What the recorded harness did, limits and lines. */
  lines() {
    const { left, right, top, bottom } = this;
    const harness = this.harness.map((at) => svg("path", { class: "harness", d: `M${this.xOf(at).toFixed(1)} ${top}V${bottom}` }));
    const limits = this.limits.map(([kind, level]) =>
      svg("path", { class: `limit ${kind}`, d: `M${left} ${this.yOf(level).toFixed(1)}H${right}` }),
    );
    const lines = this.series.map(({ values, colour, dash = [] }) =>
      coloured(svg("path", { class: "line", d: linePath(this.points(values)), "stroke-dasharray": dash.join(" ") }), colour),
    );
    return [...harness, ...limits, ...(this.isStacked ? [] : lines)];
  }

  /** A text that is cut where its room ends; its whole is its title. */
  label(text, kind, x, y, room) {
    return svg("text", { class: `label ${kind}`, x, y }, fitted(text, room, kind === "series"), svg("title", {}, text));
  }

  /** The names of limits and lines: beside a wide plot, else those of limits in it. */
  labels() {
    const { isWide, isStacked, right, left, top, bottom } = this;
    const ends = this.limits.map(([kind, level, name]) => ({ name, y: this.yOf(level), kind: `limit ${kind}` }));
    const last = this.series.map((one) => one.values.findLast(isKnown));
    if (isWide && !this.isStepped) {
      this.series.forEach(({ label, colour }, at) => {
        // The name of an area is at its middle.
        const base = isStacked ? (last[at + 1] ?? 0) : last[at];
        if (!isKnown(last[at]) || (isStacked && last[at] <= base)) return;
        ends.push({ name: label, y: this.yOf((last[at] + base) / 2), kind: isStacked ? "part" : "series", colour });
      });
    }
    const wanted = ends.map(({ y }) => y + 4);
    const heights = isWide ? spreadLabels(wanted, top + 8, bottom + 4) : labelsAtLines(ends.map(({ y }) => y), top + 2, bottom + 4);
    const [x, room] = isWide ? [right + 8, this.width - right - 10] : [left + 6, right - left - 12];
    return ends.map(({ name, kind, colour }, at) => {
      const made = this.label(name, kind, x, heights[at].toFixed(1), room);
      return colour ? coloured(made, colour) : made;
    });
  }

  /** The rows of ticks; one without ticks is a heading. In a narrow plot, names are above the ticks. */
  rowsOfTicks() {
    const { isWide, left, right } = this;
    this.end = this.bottom + 36;
    let y = this.bottom + 42;
    return this.rows.flatMap(({ name, at, colour }) => {
      y += isWide ? ROW_HEIGHT : at ? ROW_HEIGHT + 13 : ROW_HEIGHT + 2;
      const [x, height, room] = isWide ? [right + 8, y, this.width - right - 10] : [left, at ? y - 14 : y - 4, right - left];
      const made = [coloured(this.label(name, at ? "row" : "series", x, height, room), colour)];
      this.end = y;
      if (!at) return made;
      const columns = [...new Set(at.map((one) => this.xOf(one).toFixed(1)))];
      const ticks = svg("path", { class: "ticks", d: columns.map((one) => `M${one} ${y}v-9`).join("") });
      return [...made, svg("path", { class: "grid", d: `M${left} ${y}H${right}` }), coloured(ticks, colour)];
    });
  }

  /** The index at a position on the screen. */
  indexAt(clientX) {
    const box = this.made.getBoundingClientRect();
    const position = ((clientX - box.left) / box.width) * this.width;
    let [from, to] = [0, this.x.length - 1];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (this.xOf(middle) < position) from = middle;
      else to = middle;
    }
    return position - this.xOf(from) < this.xOf(to) - position ? from : to;
  }

  /** Shows an index as `chosen` or `pointed` at; none with null. */
  mark(kind, at) {
    if (at === null) {
      this.cursors[kind].removeAttribute("d");
      return;
    }
    const x = this.xOf(at).toFixed(1);
    const rows = this.rows.length > 0 ? `M${x} ${this.bottom + 42}V${this.end}` : "";
    this.cursors[kind].setAttribute("d", `M${x} ${this.top}V${this.bottom}${rows}M${x} ${this.top}l-4 -6h8z`);
  }
}
