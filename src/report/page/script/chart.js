// Charts, drawn by uPlot. Each has a description and its figures as a table for those who do not see it.

const charts = new Set();

/** The distances of ticks of what is counted in whole numbers. */
const STEPS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((step) => [step, 2 * step, 5 * step]);

/** A colour of the style sheet. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colour of a policy; the recording has its own. */
const policyColour = (policy) => (policy === null ? "--recorded" : `--series-${(policy % 6) + 1}`);

/** The dashes of a policy, so that lines differ without colour. */
const policyDash = (policy) => (policy === null ? [] : [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 4]][policy % 6]);

function axis(label, format) {
  const text = colour("--faint");
  const line = { stroke: colour("--line"), width: 1 };
  return {
    label,
    stroke: text,
    grid: line,
    ticks: line,
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    labelSize: 20,
    size: format === dollars ? 68 : 56,
    values: (_, splits) => splits.map((value) => (value === null ? "" : format(value))),
  };
}

/** The limits that are drawn; one far above all lines would make them flat. */
function drawnLimits(limits, largest) {
  return limits.filter(([, level]) => level <= largest * 4);
}

/** Draws lines across the chart with their names. */
function drawLimits(plot, limits) {
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio || 1;
  const labels = [];
  let free = -Infinity;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  for (const [kind, level, name] of [...limits].sort((one, other) => other[1] - one[1])) {
    const y = Math.round(plot.valToPos(level, "y", true));
    ctx.strokeStyle = ctx.fillStyle = colour(kind === "window" ? "--alarm" : "--faint");
    ctx.setLineDash(kind === "threshold" ? [2 * ratio, 4 * ratio] : [7 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const label = Math.max(y - 4 * ratio, free + 14 * ratio, bbox.top + 11 * ratio);
    if (label < bbox.top + bbox.height) labels.push([name, label, ctx.fillStyle]);
    free = label;
  }
  // Names have a ground of their own, so that no line crosses them.
  for (const [name, label, fill] of labels) {
    const left = bbox.left + 6 * ratio;
    ctx.fillStyle = colour("--page");
    ctx.fillRect(left - 2 * ratio, label - 10 * ratio, ctx.measureText(name).width + 4 * ratio, 13 * ratio);
    ctx.fillStyle = fill;
    ctx.fillText(name, left, label);
  }
  ctx.restore();
}

/** Draws a letter above the plot where a rule fired: a row for each policy. */
function drawMarks(plot, marks) {
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio || 1;
  ctx.save();
  ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  marks.forEach(({ policy, fired }, row) => {
    ctx.fillStyle = ctx.strokeStyle = colour(policyColour(policy));
    const bottom = bbox.top - (marks.length - 1 - row) * 15 * ratio;
    let free = -Infinity;
    fired.forEach((rules, call) => {
      if (rules.length === 0) return;
      const x = plot.valToPos(call, "x", true);
      ctx.fillRect(Math.round(x - ratio / 2), bottom - 3 * ratio, ratio, 3 * ratio);
      if (x - free < 9 * ratio) return;
      ctx.fillText(rules.length === 1 ? letter(rules[0]) : "*", x, bottom - 4 * ratio);
      free = x;
    });
  });
  ctx.restore();
}

/**
 * A figure with a chart. A series has a `label`, `values` and the name of a `colour`; `table` makes the figures as a table
 * when they are wanted.
 */
function chart({ title, description, x, xLabel, yLabel, format, series, limits = [], marks = [], isStacked, isStepped, table, note }) {
  const box = element("div", { class: "plot" });
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const largest = Math.max(1e-9, ...series.map((one) => one.values.reduce((most, value) => Math.max(most, value ?? 0), 0)));
  const drawn = drawnLimits(limits, largest);
  const hidden = limits.filter((limit) => !drawn.includes(limit));
  const top = Math.max(largest, ...drawn.map(([, level]) => level)) * 1.04;
  const paths = isStepped ? uPlot.paths.stepped({ align: 1 }) : undefined;
  const state = { plot: null };

  function tell(plot) {
    const at = plot.cursor.idx;
    const values = at === null || at === undefined ? [] : series.map((one) => [one.label, one.values[at]]);
    const texts = values.filter(([, value]) => value !== null && value !== undefined);
    const names = texts.map(([label, value]) => `${label} ${format(value)}`).join(", ");
    readout.textContent = names && `${xLabel} ${format === dollars ? whole(x[at]) : short(x[at])}: ${names}`;
  }

  function draw() {
    const width = Math.max(260, Math.floor(box.clientWidth || box.parentElement?.clientWidth || 600));
    state.plot?.destroy();
    const lines = series.map((one) => ({
      label: one.label,
      stroke: colour(one.colour),
      width: isStacked ? 0 : 2,
      dash: one.dash ?? [],
      fill: isStacked ? colour(one.colour) : isStepped ? `${colour(one.colour)}33` : undefined,
      points: { show: x.length === 1 },
      paths,
      spanGaps: false,
    }));
    const options = {
      width,
      height: Math.min(340, Math.max(240, Math.round(width * 0.42))),
      padding: [marks.length > 0 ? marks.length * 15 + 8 : 12, 14, 0, 0],
      scales: { x: { time: false }, y: { range: [Math.min(0, ...series.map((one) => one.low ?? 0)), top] } },
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      series: [{}, ...lines],
      axes: [{ ...axis(xLabel, short), size: 36, incrs: STEPS }, axis(yLabel, format === dollars ? dollars : short)],
      hooks: {
        draw: [(plot) => drawLimits(plot, drawn), (plot) => drawMarks(plot, marks)],
        setCursor: [tell],
      },
    };
    state.plot = new uPlot(options, [x, ...series.map((one) => one.values)], box);
  }

  const legend = element(
    "ul",
    { class: "legend" },
    series.map((one) => {
      const swatch = element("span", { class: isStacked || isStepped ? "swatch" : "swatch line", "aria-hidden": "true" });
      swatch.style.setProperty("--colour", `var(${one.colour})`);
      return element("li", {}, swatch, one.label);
    }),
  );
  const above = hidden.map(([, level, name]) => `${name} (${whole(level)})`);
  const notes = [note, above.length > 0 ? `Above the chart: ${above.join(", ")}.` : null].filter(Boolean).join(" ");
  const details = element("details", {}, element("summary", {}, `Figures of “${title}” as a table`));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(table());
  });
  const made = element(
    "figure",
    {},
    element("figcaption", {}, title),
    legend,
    element("div", { role: "img", "aria-label": `${title}. ${description}` }, box),
    readout,
    notes ? element("p", { class: "note" }, notes) : null,
    details,
  );
  const one = { draw, made };
  charts.add(one);
  let lastWidth = 0;
  new ResizeObserver(() => {
    if (box.clientWidth !== lastWidth && box.clientWidth > 0) {
      lastWidth = box.clientWidth;
      draw();
    }
  }).observe(box);
  return made;
}

/** Draws the charts again that are in the page, with the colours of the moment. */
function redraw() {
  for (const one of charts) {
    if (one.made.isConnected) one.draw();
    else charts.delete(one);
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
for (const [event, isPrinted] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    document.documentElement.toggleAttribute("data-print", isPrinted);
    redraw();
  });
}

