// Plots as drawings: lines or areas over a common scale, limits across them, and rows of ticks below. Labels stand at the
// right of a wide plot and do not overlap.

const LINE_HEIGHT = 15;
const ROW_HEIGHT = 19;

/** A plot of at least this many pixels has room for labels beside it. */
const WIDE = 560;

const ruler = document.createElement("canvas").getContext("2d");

/** The width of a text of a plot in pixels. Names of lines are bold. */
function textWidth(text, isBold = false) {
  ruler.font = `${isBold ? "600 " : ""}12px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

/** A text that fits into a width. */
function fitted(text, width, isBold) {
  if (textWidth(text, isBold) <= width) return text;
  let end = text.length - 1;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, isBold) > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** Round numbers from `low` to `high`: at most `most` steps of 1, 2 or 5 times a power of ten. */
function ticksBetween(low, high, most, isWhole) {
  const least = Math.max((high - low) / most, isWhole ? 1 : 1e-9);
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least * (1 - 1e-9));
  const ticks = [];
  // There is no zero with a sign.
  for (let at = Math.ceil(low / step - 1e-9) || 0; at * step <= high * (1 + 1e-9); at += 1) ticks.push(at * step);
  return ticks;
}

/** The heights of labels near those that they want, in the same order from top to bottom, with a distance between them. */
function spread(wanted, top, bottom, distance = LINE_HEIGHT) {
  const order = wanted.map((_, at) => at).sort((one, other) => wanted[one] - wanted[other]);
  const placed = [];
  let free = top;
  for (const at of order) {
    placed[at] = Math.max(wanted[at], free);
    free = placed[at] + distance;
  }
  let limit = bottom;
  for (const at of order.reverse()) {
    placed[at] = Math.min(placed[at], limit);
    limit = placed[at] - distance;
  }
  return placed;
}

/** The stretches of points without missing ones. Of the points at one pixel, the lowest and the highest are kept. */
function stretches(points) {
  const all = [];
  let last = null;
  for (const point of points) {
    if (point === null) {
      last = null;
      continue;
    }
    if (last === null) all.push([]);
    const stretch = all.at(-1);
    const column = Math.round(point[0] * 2);
    if (last !== null && last.column === column && stretch.length - last.first >= 2) {
      const [one, other] = stretch.slice(last.first);
      const [low, high] = one[1] <= other[1] ? [one, other] : [other, one];
      if (point[1] < low[1]) low[1] = point[1];
      else if (point[1] > high[1]) high[1] = point[1];
      continue;
    }
    if (last === null || last.column !== column) last = { column, first: stretch.length };
    stretch.push([...point]);
  }
  return all;
}

const pair = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The line through points; missing ones break it. A lone point is a line without length, which round ends make visible. */
const linePath = (points) =>
  stretches(points).map((all) => `M${all.map(pair).join("L")}${all.length === 1 ? "h0" : ""}`).join("");

/** The area between two lines, where both have points. */
function areaPath(upper, lower) {
  const isThere = (at) => upper[at] !== null && lower[at] !== null;
  const both = [upper, lower].map((points) => stretches(points.map((point, at) => (isThere(at) ? point : null))));
  return both[0].map((all, at) => `M${[...all, ...[...both[1][at]].reverse()].map(pair).join("L")}Z`).join("");
}

/** Points as steps: each value holds up to the next position. */
const stepped = (points) => points.flatMap((point, at) => (at === 0 ? [point] : [point && points[at - 1] && [point[0], points[at - 1][1]], point]));

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

/** What a legend shows before a name: a line, an area, a hatched area, or a vertical line. */
function swatch({ colour, dash = [], kind = "line" }) {
  const id = newId();
  const inside = {
    line: () => [svg("path", { class: "line", d: "M1 6H27", "stroke-dasharray": dash.join(" ") })],
    area: () => [svg("rect", { class: "area", y: 1, width: 28, height: 10 })],
    shade: () => [svg("rect", { class: "shade", y: 1, width: 28, height: 10 })],
    hatch: () => [hatching(id, colour), svg("rect", { class: "hatch", width: 28, y: 1, height: 10, fill: `url(#${id})` })],
    harness: () => [svg("path", { class: "harness", d: "M14 0V12" })],
  }[kind]();
  return coloured(svg("svg", { class: "swatch", width: 28, height: 12, "aria-hidden": "true" }, inside), colour);
}

/** The limits that are drawn; one far above all lines would make them flat. */
const drawnLimits = (limits, largest) => limits.filter(([, level]) => level <= largest * 4);

/**
 * Draws a plot of a width. The answer has the drawing, `indexAt` for a position on the screen, and `mark`, which shows a
 * position as chosen or as pointed at.
 */
function drawPlot(plot, width) {
  const { x, xLabel, yLabel, format, series, limits = [], rows = [], shades = [], harness = [], stops = [], isStacked, isStepped } = plot;
  const largest = Math.max(1e-9, ...series.map((one) => one.values.reduce((most, value) => Math.max(most, value ?? 0), 0)));
  const low = Math.min(0, ...series.map((one) => one.low ?? 0));
  const drawn = drawnLimits(limits, largest);
  const high = Math.max(largest, ...drawn.map(([, level]) => level)) * 1.04;
  const isWide = width >= WIDE;
  const height = Math.round(Math.min(300, Math.max(200, width * 0.3)));
  const names = [...series.map((one) => one.label), ...drawn.map(([, , name]) => name), ...rows.map((row) => row.name)];
  const gutter = isWide ? Math.min(Math.max(...names.map((name) => textWidth(name, true))) + 14, 230, width * 0.32) : 12;
  const yTicks = ticksBetween(low, high, 5, format !== dollars);
  const yText = format === dollars ? dollars : short;
  const left = Math.ceil(Math.max(24, ...yTicks.map((tick) => textWidth(yText(tick))))) + 12;
  const [right, top] = [Math.round(width - gutter), 22];
  const bottom = top + height;
  const [first, last] = [x[0], x.at(-1)];
  const xOf = (at) => (last === first ? (left + right) / 2 : left + ((x[at] - first) / (last - first)) * (right - left));
  const yOf = (value) => bottom - ((value - low) / (high - low)) * height;
  const pointsOf = (values) => values.map((value, at) => (value === null || value === undefined ? null : [xOf(at), yOf(value)]));
  const label = (text, attributes, room = gutter - 10) => svg("text", attributes, fitted(text, room, attributes.class.includes("series")), svg("title", {}, text));
  const parts = [];

  for (const tick of yTicks) {
    const y = yOf(tick);
    parts.push(svg("path", { class: "grid", d: `M${left} ${y.toFixed(1)}H${right}` }));
    parts.push(svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, yText(tick)));
  }
  for (const tick of ticksBetween(first, last, Math.max(3, Math.min(12, (right - left) / 60)), true)) {
    const at = last === first ? (left + right) / 2 : left + ((tick - first) / (last - first)) * (right - left);
    parts.push(svg("text", { x: at.toFixed(1), y: bottom + 17, "text-anchor": "middle" }, short(tick)));
  }
  parts.push(svg("text", { x: left - 8, y: 11, "text-anchor": "start" }, yLabel));
  parts.push(svg("text", { x: (left + right) / 2, y: bottom + 33, "text-anchor": "middle" }, xLabel));

  for (const { from, to, colour } of stops) {
    const id = newId();
    const half = x.length > 1 ? (right - left) / (x.length - 1) / 2 : 0;
    const [start, end] = [Math.max(left, xOf(from) - half), Math.min(right, xOf(to) + half)];
    const shape = { class: "hatch stop", x: start, y: top, width: Math.max(3, end - start), height, fill: `url(#${id})` };
    parts.push(hatching(id, colour), coloured(svg("rect", shape), colour));
  }
  for (const { upper, lower, colour } of shades) {
    parts.push(coloured(svg("path", { class: "shade", d: areaPath(pointsOf(upper), pointsOf(lower)) }), colour));
  }
  const ground = x.map((_, at) => [xOf(at), yOf(0)]);
  const lines = series.map((one) => (isStepped ? stepped(pointsOf(one.values)) : pointsOf(one.values)));
  series.forEach((one, at) => {
    const id = newId();
    if (isStacked) {
      if (one.isHatched) parts.push(hatching(id, one.colour));
      const shape = { class: one.isHatched ? "area hatch" : "area", d: areaPath(lines[at], ground), fill: one.isHatched && `url(#${id})` };
      parts.push(coloured(svg("path", shape), one.colour));
    } else if (isStepped) {
      parts.push(coloured(svg("path", { class: "shade", d: areaPath(lines[at], stepped(ground)) }), one.colour));
    }
  });
  for (const at of harness) parts.push(svg("path", { class: "harness", d: `M${xOf(at).toFixed(1)} ${top}V${bottom}` }));
  for (const [kind, level] of drawn) {
    parts.push(svg("path", { class: `limit ${kind}`, d: `M${left} ${yOf(level).toFixed(1)}H${right}` }));
  }
  if (!isStacked) {
    series.forEach((one, at) => {
      const shape = { class: "line", d: linePath(lines[at]), "stroke-dasharray": (one.dash ?? []).join(" ") };
      parts.push(coloured(svg("path", shape), one.colour));
    });
  }

  // The names of limits and lines: beside a wide plot, else those of limits in it.
  const ends = drawn.map(([kind, level, name]) => ({ name, y: yOf(level), kind: `limit ${kind}` }));
  if (isWide && !isStepped) {
    series.forEach((one, at) => {
      const end = one.values.findLast((value) => value !== null && value !== undefined);
      if (end === undefined) return;
      const below = isStacked ? (series[at + 1]?.values.findLast((value) => value !== null && value !== undefined) ?? 0) : end;
      if (!isStacked || end > below) ends.push({ name: one.label, y: yOf((end + below) / 2), kind: isStacked ? "" : "series", colour: one.colour });
    });
  }
  const heights = spread(ends.map(({ y }) => y + (isWide ? 4 : -4)), top + 8, bottom + 4);
  ends.forEach(({ name, kind, colour }, at) => {
    const place = { class: `label ${kind}`, x: isWide ? right + 8 : left + 6, y: heights[at].toFixed(1) };
    const made = label(name, place, isWide ? gutter - 10 : right - left - 12);
    parts.push(colour ? coloured(made, colour) : made);
  });

  let y = bottom + 42;
  for (const row of rows) {
    y += isWide ? ROW_HEIGHT : ROW_HEIGHT + 11;
    const place = isWide ? { x: right + 8, y } : { x: left, y: y - 12 };
    const made = label(row.name, { class: row.at ? "label" : "label series", ...place }, isWide ? gutter - 10 : right - left);
    parts.push(coloured(made, row.colour));
    if (!row.at) {
      y -= isWide ? 0 : 9;
      continue;
    }
    const columns = [...new Set(row.at.map((at) => xOf(at).toFixed(1)))];
    parts.push(svg("path", { class: "grid", d: `M${left} ${y}H${right}` }));
    parts.push(coloured(svg("path", { class: "ticks", d: columns.map((at) => `M${at} ${y}v-9`).join("") }), row.colour));
  }
  const end = rows.length > 0 ? y : bottom + 36;
  const cursors = ["chosen", "pointed"].map((kind) => svg("path", { class: `cursor ${kind}` }));
  const made = svg("svg", { viewBox: `0 0 ${width} ${end + 4}`, "aria-hidden": "true" }, parts, cursors);

  return {
    made,
    indexAt(clientX) {
      const box = made.getBoundingClientRect();
      const position = ((clientX - box.left) / box.width) * width;
      let [from, to] = [0, x.length - 1];
      while (to - from > 1) {
        const middle = (from + to) >> 1;
        if (xOf(middle) < position) from = middle;
        else to = middle;
      }
      return position - xOf(from) < xOf(to) - position ? from : to;
    },
    mark(kind, at) {
      const cursor = cursors[kind === "chosen" ? 0 : 1];
      if (at === null) cursor.removeAttribute("d");
      else cursor.setAttribute("d", `M${xOf(at).toFixed(1)} ${top}V${end}m-4 ${top - end - 6}h8l-4 6z`);
    },
  };
}

