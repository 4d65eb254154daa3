// Charts: a plot with its legend and what it shows at a position. Each has a description and its figures as a table for
// those who do not see it.

const charts = new Set();

/** The colour of a policy; the recording has its own. */
const policyColour = (policy) => (policy === null ? "--recorded" : `--series-${(policy % 6) + 1}`);

/** The dashes of a policy, so that lines differ without colour. */
const policyDash = (policy) => (policy === null ? [] : [[7, 4], [2, 4], [10, 4, 2, 4], [14, 4], [5, 2], [1, 6]][policy % 6]);

/** The width of the paper between its margins, in pixels: A4 and Letter differ by little, and the drawing is scaled. */
const PAPER = 690;

let isPrinted = false;

/** Moves through the positions of a chart by the keys of a slider; none if the key is another one. */
function stepOf(event, at, last) {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const by = event.shiftKey ? 10 : 1;
  const steps = { ArrowLeft: at - by, ArrowRight: at + by, PageUp: at - 10, PageDown: at + 10, Home: 0, End: last };
  return event.key in steps ? Math.min(Math.max(steps[event.key], 0), last) : null;
}

/**
 * A figure with a chart. A series has a `label`, `values` and the name of a `colour`; `table` makes the figures as a table
 * when they are wanted. With a `position`, the chart is a control that moves it: `tell` says what is at an index.
 */
function chart({ title, description, table, note, keys = [], position, tell, ...plot }) {
  const { x, xLabel, format, series, limits = [], isStacked, isStepped } = plot;
  const box = element("div", { class: "plot" });
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const drawn = drawnLimits(limits, series);
  const hidden = limits.filter((limit) => !drawn.includes(limit));
  const state = { drawing: null, pointed: null };

  function usual(at) {
    const values = series.filter((one) => isKnown(one.values[at]));
    return `${xLabel} ${short(x[at])}: ${values.map((one) => `${one.label} ${format(one.values[at])}`).join(", ")}`;
  }

  function follow() {
    const chosen = position ? position.call : null;
    const shown = state.pointed ?? chosen;
    readout.textContent = shown === null ? "" : (tell ?? usual)(shown);
    state.drawing?.mark("chosen", chosen);
    state.drawing?.mark("pointed", state.pointed);
    if (!position) return;
    slider.setAttribute("aria-valuenow", chosen);
    slider.setAttribute("aria-valuetext", tell(chosen));
  }

  function draw() {
    const width = isPrinted ? PAPER : Math.max(260, Math.floor(box.clientWidth || box.parentElement?.clientWidth || 600));
    state.drawing = new Plot(plot, width);
    box.replaceChildren(state.drawing.made);
    follow();
  }

  function point(at) {
    state.pointed = at;
    follow();
  }

  const label = `${title}. ${description}`;
  const last = x.length - 1;
  const control = { role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": last };
  const slider = element("div", position ? control : { role: "img", "aria-label": label }, box);
  slider.addEventListener("pointermove", (event) => point(state.drawing.indexAt(event.clientX)));
  slider.addEventListener("pointerleave", () => point(null));
  if (position) {
    slider.classList.add("steps");
    slider.addEventListener("click", (event) => position.open(state.drawing.indexAt(event.clientX)));
    slider.addEventListener("keydown", (event) => {
      const at = stepOf(event, position.call, last);
      if (at === null) return;
      event.preventDefault();
      position.move({ call: at });
    });
    position.followers.push(follow);
  }
  const kind = (one) => (one.isHatched ? "hatch" : isStacked ? "area" : isStepped ? "shade" : "line");
  const entries = [...series.map((one) => ({ ...one, kind: kind(one) })), ...keys];
  const legend = element("ul", { class: "legend" }, entries.map((one) => element("li", {}, swatch(one), one.label)));
  const above = hidden.map(([, level, name]) => `${name} (${whole(level)})`);
  const notes = [note, above.length > 0 ? `Above the chart: ${above.join(", ")}.` : null].filter(Boolean).join(" ");
  const details = element("details", {}, element("summary", {}, `Figures of “${title}” as a table`));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(table());
  });
  const caption = element("figcaption", {}, title);
  const made = element("figure", {}, caption, legend, readout, slider, notes ? element("p", { class: "note" }, notes) : null, details);
  charts.add({ draw, made });
  let lastWidth = 0;
  new ResizeObserver(() => {
    if (isPrinted || box.clientWidth === lastWidth || box.clientWidth === 0) return;
    lastWidth = box.clientWidth;
    draw();
  }).observe(box);
  return made;
}

/** Draws the charts again that are in the page. */
function redraw() {
  for (const one of charts) if (one.made.isConnected) one.draw();
}

/** Forgets the charts that have left the page. */
function forgetCharts() {
  for (const one of charts) if (!one.made.isConnected) charts.delete(one);
}

// Text on paper has the size that it has on the screen, so charts are drawn for the width of the paper.
for (const [event, isBefore] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    isPrinted = isBefore;
    redraw();
  });
}
