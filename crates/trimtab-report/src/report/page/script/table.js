// Tables: small ones as they are, and long ones that are sorted, filtered and shown page by page.

const PAGE_SIZE = 100;

/** Whether a cell is a number, an amount, or has none. */
const isNumeric = (value) => typeof value === "string" && /^([-+]?\$?\d.*|under.*|unknown|not made|)$/.test(value);

/** A table whose rows are lists of cells; the first cell of each row is its heading. Numbers are aligned. */
function plainTable(caption, headings, rows) {
  const kinds = headings.map((_, at) => (at > 0 && rows.every((row) => isNumeric(row[at])) ? "number" : null));
  const head = headings.map((text, at) => element("th", { scope: "col", class: kinds[at] }, text));
  const cell = (value, at) =>
    at === 0 ? element("th", { scope: "row", class: isNumeric(value) && "short" }, value) : element("td", { class: kinds[at] }, value);
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell)))),
  );
  return scrollable(caption, table);
}

/** A table with a row for each item. A column is its heading and the function that writes its cells. */
function columnTable(caption, columns, items) {
  return plainTable(
    caption,
    columns.map(([heading]) => heading),
    items.map((item) => columns.map(([, cell]) => cell(item))),
  );
}

/** The rows in the order of a column. Unknown values come last. */
function sorted(rows, column, isDescending) {
  const keys = new Map(rows.map((row) => [row, column.value(row)]));
  const isMissing = (value) => value === null || value === undefined;
  return [...rows].sort((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)];
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    const order = typeof a === "string" ? a.localeCompare(b, "en") : a - b;
    return isDescending ? -order : order;
  });
}

/** The classes of the cells of a column. */
const classOf = (column) => [column.isText ? "" : "number", column.isOptional ? "optional" : ""].join(" ").trim() || null;

/**
 * A long table. A column has a `label`, a `value` to sort by, and a `text` or a `node` to show; one that `isOptional` is not
 * printed. `filterText` is what the filter searches.
 */
function longTable({ caption, noun, columns, rows, sort, isDescending, filterText }) {
  const state = { rows, sort, isDescending, page: 0, words: [] };
  const status = element("p", { role: "status", class: "status" });
  const body = element("tbody");
  const searched = filterText && new Map(rows.map((row) => [row, filterText(row).toLowerCase()]));
  const heads = columns.map((column, at) => {
    const button = element("button", { type: "button", onclick: () => sortBy(at) }, column.label);
    return element("th", { scope: "col", class: classOf(column) }, button);
  });

  function sortBy(at) {
    state.isDescending = state.sort === at ? !state.isDescending : !columns[at].isText;
    state.sort = at;
    state.page = 0;
    arrange();
  }

  function arrange() {
    const found = searched
      ? rows.filter((row) => state.words.every((word) => searched.get(row).includes(word)))
      : rows;
    state.rows = state.sort === null ? found : sorted(found, columns[state.sort], state.isDescending);
    heads.forEach((head, at) => {
      if (at === state.sort) head.setAttribute("aria-sort", state.isDescending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    show();
  }

  function show() {
    const pages = Math.max(1, Math.ceil(state.rows.length / PAGE_SIZE));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const first = state.page * PAGE_SIZE;
    const shown = state.rows.slice(first, first + PAGE_SIZE);
    body.replaceChildren(
      ...shown.map((row) => {
        const cells = columns.map((column, at) => {
          const content = column.node ? column.node(row) : column.text(row);
          return at === 0
            ? element("th", { scope: "row" }, content)
            : element("td", { class: classOf(column) }, content);
        });
        return element("tr", {}, cells);
      }),
    );
    const of = state.rows.length === rows.length ? "" : ` of ${whole(rows.length)}`;
    const range = pages > 1 && shown.length > 0 ? `, shown: ${whole(first + 1)} to ${whole(first + shown.length)}` : "";
    status.textContent = `${whole(state.rows.length)}${of} ${noun}${state.rows.length === 1 ? "" : "s"}${range}`;
    previous.disabled = state.page === 0;
    next.disabled = state.page >= pages - 1;
    pager.hidden = pages < 2;
  }

  function turn(by) {
    state.page += by;
    show();
  }

  const previous = element("button", { type: "button", onclick: () => turn(-1) }, "Previous page");
  const next = element("button", { type: "button", onclick: () => turn(1) }, "Next page");
  const pager = element("div", { class: "controls", role: "group", "aria-label": `Pages of ${caption}` }, previous, next);
  const filter = element("input", {
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: (event) => {
      state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      state.page = 0;
      arrange();
    },
  });
  const controls = element("div", { class: "controls" }, filterText ? labelled(`Filter ${noun}s`, filter) : null, status);
  const head = element("thead", {}, element("tr", {}, heads));
  const table = element("table", { class: "long" }, element("caption", {}, caption), head, body);
  arrange();
  return element("div", {}, controls, scrollable(caption, table), pager);
}
