// The inspector: what a call would have sent. What it lost comes first.

/** The place of what the recording lacks in a composition. */
const UNRECORDED = 5;

/** Most parts that are shown at once. */
const PARTS_SHOWN = 200;

/** A text of a recording, folded if it is long. */
function textOf(text, isOld) {
  if (text === null || text === undefined || text === "") return null;
  const pre = element("pre", {}, text);
  const shown = isOld ? element("del", {}, pre) : pre;
  if (text.length < 160 && !text.includes("\n")) return shown;
  const summary = text.replace(/\s+/g, " ").slice(0, 80);
  return element("details", {}, element("summary", {}, isOld ? element("del", {}, summary) : summary, "…"), shown);
}

/** The text of a part, and the one that replaced it. */
const textsOf = (row) => [textOf(row.text, row.isReduced), row.isReduced ? textOf(row.newText, false) : null];

function partRow(row) {
  const kind = partName(row);
  const name = row.isReduced ? element("del", {}, kind) : row.isAdded ? element("ins", {}, kind) : kind;
  const before = row.isAdded ? "" : row.isReduced ? element("del", {}, whole(row.tokens)) : whole(row.tokens);
  return element(
    "tr",
    { class: row.isReduced ? "reduced" : row.isAdded ? "added" : null },
    element("td", { class: "number" }, row.number === null ? "" : whole(row.number)),
    element("td", {}, ROLES[row.role]),
    element("td", {}, name, ...textsOf(row)),
    element("td", { class: "number" }, before),
    element("td", { class: "number" }, whole(row.sent)),
    element("td", {}, changeOf(row)),
  );
}

/** The table of parts, page by page. */
function partTable() {
  const state = { rows: [], page: 0 };
  const body = element("tbody");
  const caption = "The parts of the request in their order";
  const headings = [["Message", "number"], ["Role"], ["Part"], ["Tokens recorded", "number"], ["Tokens sent", "number"], ["Change"]];
  const head = headings.map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
  const table = element("table", { class: "parts" }, element("caption", {}, caption), element("thead", {}, element("tr", {}, head)), body);
  const older = element("button", { type: "button", onclick: () => turn(-1) }, "Older parts");
  const newer = element("button", { type: "button", onclick: () => turn(1) }, "Newer parts");
  const range = element("p", { class: "status" });
  const pager = element("div", { class: "controls", role: "group", "aria-label": "Pages of parts" }, older, newer, range);
  const scrolled = scrollable(caption, table);

  function turn(by) {
    state.page += by;
    show();
  }

  function show() {
    const { rows, page } = state;
    const first = page * PARTS_SHOWN;
    body.replaceChildren(...rows.slice(first, first + PARTS_SHOWN).map(partRow));
    const pages = Math.ceil(rows.length / PARTS_SHOWN);
    scrolled.hidden = rows.length === 0;
    pager.hidden = pages < 2;
    older.disabled = page === 0;
    newer.disabled = page >= pages - 1;
    range.textContent = `Parts ${whole(first + 1)} to ${whole(Math.min(rows.length, first + PARTS_SHOWN))} of ${whole(rows.length)}`;
  }

  return {
    made: element("div", {}, scrolled, pager),
    /** Shows other rows. The newest parts come last, and are what a reader looks for. */
    fill(rows) {
      Object.assign(state, { rows, page: Math.max(0, Math.ceil(rows.length / PARTS_SHOWN) - 1) });
      show();
    },
  };
}

/** The inspector of a transcript. */
function inspector(detail, position) {
  const views = [detail.recorded, ...detail.policies];
  const replays = views.map((view) => view.timeline && new Replayed(detail.messages, view));
  const status = element("p", { role: "status", class: "status" });
  const loss = element("div", { class: "lost" });
  const seen = element("div", { class: "seen" });
  const strip = partStrip((row, at, all) => {
    const texts = textsOf(row).filter(Boolean);
    seen.replaceChildren(element("p", { class: "note" }, partSentence(row, at, all)), ...texts);
  });
  const outside = element("p", { class: "note" });
  const table = partTable();
  const all = element("input", { type: "checkbox", onchange: () => show() });

  /** What is known of the call beside its parts. */
  function summary(policy) {
    const [size, recorded] = [views[position.view].sizes[position.call], detail.recorded.sizes[position.call]];
    const instead = policy === null || size === recorded ? "" : ` instead of ${whole(recorded)}`;
    const fired = policy === null ? [] : detail.policies[policy].fired[position.call].map((rule) => ruleName(policy, rule));
    const names = fired.length > 0 ? `; ${fired.join(", ")} fired` : "";
    return `Call ${position.call}: ${whole(size)} tokens${instead}${names}`;
  }

  /** Why a call is not made. */
  function notMade(policy) {
    const isHere = (one) => one.policy === policy && one.from <= position.call && position.call <= one.to;
    const stop = stoppedCalls(detail).find(isHere);
    const by = stop ? `: ${stop.rule} stopped the run at call ${stop.call}` : "";
    return `Call ${position.call} is not made${by}`;
  }

  function show() {
    const policy = position.view === 0 ? null : position.view - 1;
    const found = replays[position.view]?.at(position.call);
    range.value = number.value = position.call;
    range.setAttribute("aria-valuetext", `call ${position.call}`);
    view.value = position.view;
    const rows = found ? inspectedParts(replays[position.view], policy, found) : [];
    // What the recorded harness removed at an earlier call, the recorded request lacks as well.
    const present = rows.filter((row) => row.word !== "removed" || row.rule !== HARNESS || row.when === position.call);
    const changed = present.filter((row) => row.isReduced || row.isAdded);
    status.textContent = found ? summary(policy) : notMade(policy);
    const unrecorded = views[position.view].composition?.[replays[position.view]?.byCall.get(position.call)]?.[UNRECORDED] ?? 0;
    outside.textContent = unrecorded > 0 ? `${whole(unrecorded)} tokens of the request are not in the recording, and not in the strip.` : "";
    loss.replaceChildren(...(found ? [lossList(rows, policy === null ? null : detail.policies[policy], position)] : []));
    for (const one of [legend, seen, outside, shownAll]) one.hidden = !found;
    strip.fill(present);
    table.fill(all.checked ? present : changed);
    shownAll.querySelector("label").textContent = `Show all ${plural(present.length, "part")}, not only those that changed`;
  }

  const limits = { min: 0, max: position.calls - 1, step: 1 };
  const go = (event) => position.move({ call: Number(event.target.value) });
  const range = element("input", { type: "range", ...limits, "aria-label": "Call", oninput: go });
  const number = element("input", { type: "number", ...limits, onchange: go });
  const step = (text, by) => element("button", { type: "button", onclick: () => position.move({ call: position.call + by }) }, text);
  const view = choice(["as recorded", ...POLICY_NAMES], position.view, (at) => position.move({ view: at }));
  const legend = stripLegend();
  const shownAll = element("div", { class: "controls" }, labelled("Show all parts", all));
  show();
  position.followers.push(show);
  const made = element(
    "div",
    { class: "inspector" },
    element("h3", {}, "Inspector"),
    element("p", { class: "note" }, "Click a chart, or press the left and right arrow keys, to look at another call. The address of the page names it."),
    element(
      "div",
      { class: "controls" },
      labelled("Context", view),
      labelled("Call", number),
      step("Previous call", -1),
      step("Next call", 1),
    ),
    element("div", { class: "controls" }, range),
    status,
    loss,
    legend,
    strip.made,
    seen,
    outside,
    shownAll,
    table.made,
    DATA.has_texts ? null : element("p", { class: "note" }, "This page has sizes only. A report that is made with ", element("span", { class: "whole" }, "--with-texts"), " shows the texts, too."),
  );
  made.addEventListener("keydown", (event) => {
    const isTyped = event.target.matches("input, select") || event.target.scrollWidth > event.target.clientWidth;
    const at = isTyped || !event.key.startsWith("Arrow") ? null : stepOf(event, position.call, position.calls - 1);
    if (at === null) return;
    event.preventDefault();
    position.move({ call: at });
  });
  return made;
}

/** The first call from which a rule of a policy has taken something, else the first at which one fired, else the last one. */
function firstChange(detail) {
  const takes = ([, , , left, changes, leftOut]) =>
    (left ?? []).some(([rule]) => rule !== null) || (changes ?? []).some(([, , level, , rule]) => level > 0 && typeof rule === "number") || leftOut;
  const taken = detail.policies.map((policy) => policy.timeline?.requests.find(takes)?.[0] ?? -1);
  const fired = detail.policies.map((policy) => policy.fired.findIndex((rules) => rules.length > 0));
  for (const calls of [taken, fired]) {
    const policy = calls.findIndex((call) => call >= 0);
    if (policy >= 0) return { call: calls[policy], view: policy + 1 };
  }
  return { call: Math.max(0, detail.recorded.sizes.length - 1), view: Math.min(1, detail.policies.length) };
}
