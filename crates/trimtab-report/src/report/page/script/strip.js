// The parts of a request as a strip: one cell a part, as wide as its tokens.

const CELL_HEIGHT = 20;

/** The distance of the lines of a strip. */
const STRIP_LINE = CELL_HEIGHT + 6;

/** The positions of cells along a ribbon of `length` pixels, and the end of the last one. */
function cellStarts(rows, length) {
  const tokens = rows.map((row) => Math.max(row.tokens, row.sent));
  const least = Math.min(2, (length / rows.length) * 0.9);
  const scale = (length - least * rows.length) / Math.max(1, tokens.reduce((all, one) => all + one, 0));
  const starts = [0];
  tokens.forEach((one, at) => starts.push(starts[at] + least + one * scale));
  return starts;
}

/** The pieces of a stretch of a ribbon that is broken into lines of a width: left, line and width of each. */
function cellPieces(from, to, width) {
  const all = [];
  for (let at = from; at < to - 1e-6; ) {
    const line = Math.floor(at / width + 1e-9);
    const end = Math.min(to, (line + 1) * width);
    all.push([at - line * width, line, end - at]);
    at = end;
  }
  return all;
}

/** A rectangle as a path. */
const rectangle = (left, top, width, height) =>
  `M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;

/** What a part is, in a sentence. */
function partSentence(row, at, all) {
  const number = row.number === null ? "" : `message ${whole(row.number)}, `;
  const sent = row.isReduced ? `, ${whole(row.sent)} sent` : "";
  const tokens = row.isAdded ? row.sent : row.tokens;
  const change = row.word ? `, ${changeOf(row)}` : "";
  return `Part ${whole(at + 1)} of ${whole(all)}: ${number}${ROLES[row.role]}, ${partName(row)}, ${plural(tokens, "token")}${change}${sent}`;
}

/** The strip. `show` gets the part that the reader looks at. */
function partStrip(show) {
  const state = { rows: [], starts: [], at: 0, width: 0 };
  const box = element("div", {
    class: "strip",
    role: "slider",
    tabindex: "0",
    "aria-label": "Parts of the request in their order, by size",
    "aria-valuemin": 0,
  });

  function draw() {
    const { rows } = state;
    state.width = Math.max(200, box.clientWidth);
    const lines = Math.min(8, Math.max(1, Math.ceil((rows.length * 5) / state.width)));
    state.starts = cellStarts(rows, state.width * lines);
    const paths = new Map();
    const add = (kind, path) => paths.set(kind, (paths.get(kind) ?? "") + path);
    rows.forEach((row, at) => {
      for (const [left, line, width] of cellPieces(state.starts[at], state.starts[at + 1], state.width)) {
        const [cell, top] = [Math.max(width - 1, width * 0.7), line * STRIP_LINE + 1];
        const filled = row.isReduced ? (row.sent / Math.max(1, row.tokens)) * CELL_HEIGHT : CELL_HEIGHT;
        const bar = (from, to) => rectangle(left, top + from, cell, to - from);
        const role = `role-${row.role}`;
        // A cell that is too narrow for an outline keeps its ends.
        if (row.isReduced && cell > 2) add(`hollow ${role}`, rectangle(left + 0.5, top + 0.5, cell - 1, CELL_HEIGHT - 1));
        else if (row.isReduced) add(role, bar(0, 2) + bar(CELL_HEIGHT - 2, CELL_HEIGHT));
        if (filled > 0) add(role, bar(CELL_HEIGHT - filled, CELL_HEIGHT));
        if (row.isAdded) add("more", bar(CELL_HEIGHT + 1, CELL_HEIGHT + 4));
      }
    });
    const cells = [...paths].map(([kind, path]) => svg("path", { class: kind, d: path }));
    const height = lines * STRIP_LINE;
    box.replaceChildren(svg("svg", { viewBox: `0 0 ${state.width} ${height}`, "aria-hidden": "true" }, cells, svg("path", { class: "ring" })));
    mark();
  }

  function mark() {
    const { rows, at } = state;
    if (rows.length === 0) return;
    const found = cellPieces(state.starts[at], state.starts[at + 1], state.width);
    const path = found.map(([left, line, width]) => rectangle(left, line * STRIP_LINE, Math.max(width, 3), CELL_HEIGHT + 2));
    box.querySelector(".ring")?.setAttribute("d", path.join(""));
    box.setAttribute("aria-valuenow", at);
    box.setAttribute("aria-valuetext", partSentence(rows[at], at, rows.length));
    show(rows[at], at, rows.length);
  }

  function go(at) {
    state.at = at;
    mark();
  }

  function indexAt(event) {
    const area = box.firstChild.getBoundingClientRect();
    const scale = state.width / area.width;
    const line = Math.floor(((event.clientY - area.top) * scale) / STRIP_LINE);
    const position = (event.clientX - area.left) * scale + line * state.width;
    const after = state.starts.findIndex((start) => start > position);
    return after < 0 ? state.rows.length - 1 : Math.max(0, after - 1);
  }

  box.addEventListener("pointermove", (event) => event.pointerType === "mouse" && go(indexAt(event)));
  box.addEventListener("click", (event) => go(indexAt(event)));
  box.addEventListener("keydown", (event) => {
    const at = stepOf(event, state.at, state.rows.length - 1);
    if (at === null) return;
    event.preventDefault();
    // In the strip, the keys step through parts, not through calls.
    event.stopPropagation();
    go(at);
  });
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientWidth !== state.width && state.rows.length > 0) draw();
  }).observe(box);

  return {
    made: box,
    /** Shows the parts of another request: first the newest one that has changed. */
    fill(rows) {
      const changed = rows.findLastIndex((row) => row.isReduced || row.isAdded);
      Object.assign(state, { rows, at: changed >= 0 ? changed : rows.length - 1 });
      box.hidden = rows.length === 0;
      box.setAttribute("aria-valuemax", Math.max(0, rows.length - 1));
      if (rows.length > 0) draw();
    },
  };
}

/** What the colours and shapes of the strip mean. */
function stripLegend() {
  const cell = (...paths) => svg("svg", { class: "swatch", width: 28, height: 16, "aria-hidden": "true" }, paths);
  const roles = ROLES.map((name, role) => [name, cell(svg("path", { class: `role-${role}`, d: "M1 1h26v11H1z" }))]);
  const hollow = cell(svg("path", { class: "hollow role-3", d: "M1.5 1.5h25v10h-25z" }), svg("path", { class: "role-3", d: "M1 9h26v3H1z" }));
  const added = cell(svg("path", { class: "role-1", d: "M1 1h26v10H1z" }), svg("path", { class: "more", d: "M1 12h26v3H1z" }));
  const entries = [...roles, ["reduced or removed: filled as far as it is sent", hollow], ["added by a rule", added]];
  return element("ul", { class: "legend strip-legend" }, entries.map(([name, sign]) => element("li", {}, sign, name)));
}
