// The geometry of plots: texts, ticks, labels that do not overlap, and paths.

/** The distance of labels in pixels. */
const LABEL_HEIGHT = 15;

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
function spreadLabels(wanted, top, bottom, distance = LABEL_HEIGHT) {
  const order = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b]);
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

/** The heights of labels at lines: above its line, or below it if the label of another line is there. */
function labelsAtLines(lines, top, bottom) {
  const wanted = [];
  let free = top;
  for (const at of lines.map((_, line) => line).sort((a, b) => lines[a] - lines[b])) {
    wanted[at] = lines[at] - 4 >= free ? lines[at] - 4 : lines[at] + 12;
    free = wanted[at] + LABEL_HEIGHT;
  }
  return spreadLabels(wanted, top, bottom);
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

const pointText = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The line through points; missing ones break it. A lone point is a line without length, which round ends make visible. */
const linePath = (points) =>
  stretches(points).map((all) => `M${all.map(pointText).join("L")}${all.length === 1 ? "h0" : ""}`).join("");

/** The area between two lines, where both have points. */
function areaPath(upper, lower) {
  const isThere = (at) => upper[at] !== null && lower[at] !== null;
  const both = [upper, lower].map((points) => stretches(points.map((point, at) => (isThere(at) ? point : null))));
  return both[0].map((all, at) => `M${[...all, ...[...both[1][at]].reverse()].map(pointText).join("L")}Z`).join("");
}

/** Points as steps: each value holds up to the next position. */
const stepped = (points) => points.flatMap((point, at) => (at === 0 ? [point] : [point && points[at - 1] && [point[0], points[at - 1][1]], point]));
