// The inspector: what a call would have sent, part by part.

/** How the parts of messages stood when a call was sent. */
class Replayed {
  /** `messages` are the recorded ones; `view` is the recording or a policy. */
  constructor(messages, view) {
    this.messages = messages;
    this.added = view.timeline.added;
    this.requests = view.timeline.requests;
    this.byCall = new Map(this.requests.map((request, at) => [request[0], at]));
  }

  /** The message with this number: its role and its parts. */
  message(number) {
    return number < this.messages.length ? this.messages[number] : this.added[number - this.messages.length][2];
  }

  /** The rule that added a message; undefined for a recorded one. */
  adder(number) {
    return this.added[number - this.messages.length]?.[0];
  }

  isSummary(number) {
    return this.added[number - this.messages.length]?.[1] === 1;
  }

  /** The messages at a call in order, with those that have left; none if the call was not made. */
  at(call) {
    const last = this.byCall.get(call);
    if (last === undefined) return null;
    let shown = [];
    const states = new Map();
    for (const request of this.requests.slice(0, last + 1)) {
      const [at, kept, tail, left, changes] = request;
      shown = merged(shown, kept, expanded(tail));
      for (const [rule, numbers] of left ?? []) {
        for (const number of expanded(numbers)) {
          const one = shown.find((item) => item.number === number);
          if (one) one.gone = { rule, call: at };
        }
      }
      for (const [number, part, level, tokens, rule, text] of changes ?? []) {
        states.set(`${number} ${part}`, { level, tokens, rule, text, call: at });
      }
    }
    const [, , , , , leftOut, once] = this.requests[last];
    return { shown, states, leftOut, once: once ?? [] };
  }
}

/** The numbers of ranges: start, end, start, end, … */
function expanded(ranges) {
  const numbers = [];
  for (let at = 0; at < ranges.length; at += 2) {
    for (let number = ranges[at]; number < ranges[at + 1]; number += 1) numbers.push(number);
  }
  return numbers;
}

/** The messages after a request: `kept` of those that are there stay, and `tail` follows. Those that left stay in place. */
function merged(shown, kept, tail) {
  const result = [];
  let at = 0;
  for (let live = 0; at < shown.length && live < kept; at += 1) {
    result.push(shown[at]);
    if (!shown[at].gone) live += 1;
  }
  const coming = new Set(tail);
  let next = 0;
  for (const item of shown.slice(at)) {
    if (!item.gone && coming.has(item.number)) {
      for (; next < tail.length && tail[next] !== item.number; next += 1) result.push({ number: tail[next] });
      next += 1;
    }
    result.push(item);
  }
  for (; next < tail.length; next += 1) result.push({ number: tail[next] });
  return result;
}

/** The parts at a call as rows of a table. */
function inspectedParts(replayed, policy, state) {
  const rows = [];
  const rule = (index) => (policy === null ? "the recorded harness" : ruleName(policy, index));
  let live = 0;
  const push = (number, message, more) => {
    const [role, parts] = message;
    parts.forEach(([kind, tokens, tool, text], part) =>
      rows.push({ number, role: ROLES[role], kind, tokens, tool, text, sent: tokens, ...more(part, tokens) }),
    );
  };
  for (const { number, gone } of state.shown) {
    const message = replayed.message(number);
    if (!message) continue;
    const isAdded = number >= replayed.messages.length;
    const isAlwaysSent = message[0] === 0 || replayed.isSummary(number);
    const [before, view, pinned] = state.leftOut ?? [0, null, []];
    const isLeftOut = !gone && live < before && !isAlwaysSent && !pinned.includes(live);
    if (!gone) live += 1;
    push(isAdded ? null : number, message, (part, tokens) => {
      const change = state.states.get(`${number} ${part}`);
      if (gone) return { sent: 0, isReduced: true, what: `removed by ${rule(gone.rule)} at call ${gone.call}` };
      if (isLeftOut) return { sent: 0, isReduced: true, what: `left out of this request by ${rule(view)}` };
      if (change && change.level > 0) {
        const what = `${LEVELS[change.level]} by ${rule(change.rule)} at call ${change.call}`;
        return { sent: change.level === 4 ? 0 : change.tokens, isReduced: true, what, newText: change.text };
      }
      const word = replayed.isSummary(number) ? "summary" : "added";
      return isAdded ? { isAdded: true, what: `${word} by ${rule(replayed.adder(number))}`, tokens: 0, sent: tokens } : {};
    });
  }
  for (const [index, message] of state.once) {
    push(null, message, (_, tokens) => ({ isAdded: true, what: `only in this request, by ${rule(index)}`, tokens: 0, sent: tokens }));
  }
  return rows;
}

/** A text of a recording, folded if it is long. */
function textOf(text, isOld) {
  if (text === null || text === undefined || text === "") return null;
  const pre = element("pre", {}, text);
  const shown = isOld ? element("del", {}, pre) : pre;
  if (text.length < 160 && !text.includes("\n")) return shown;
  const summary = text.replace(/\s+/g, " ").slice(0, 80);
  return element("details", {}, element("summary", {}, isOld ? element("del", {}, summary) : summary, "…"), shown);
}

function partRow(row) {
  const kind = row.tool ? `${KINDS[row.kind]} ${row.tool}` : KINDS[row.kind];
  const name = row.isReduced ? element("del", {}, kind) : row.isAdded ? element("ins", {}, kind) : kind;
  const before = row.isAdded ? "" : row.isReduced ? element("del", {}, whole(row.tokens)) : whole(row.tokens);
  const texts = [textOf(row.text, row.isReduced), row.isReduced ? textOf(row.newText, false) : null];
  return element(
    "tr",
    { class: row.isReduced ? "reduced" : row.isAdded ? "added" : null },
    element("td", { class: "number" }, row.number === null ? "" : whole(row.number)),
    element("td", {}, row.role),
    element("td", {}, name, ...texts),
    element("td", { class: "number" }, before),
    element("td", { class: "number" }, whole(row.sent)),
    element("td", {}, row.what ?? ""),
  );
}

/** The inspector of a session. */
function inspector(detail) {
  const views = [detail.recorded, ...detail.policies];
  const replays = views.map((view) => view.timeline && new Replayed(detail.messages, view));
  const calls = detail.recorded.sizes.length;
  const state = { view: views.length > 1 ? 1 : 0, call: firstChange(detail), page: null, isChangedOnly: false };
  const body = element("tbody");
  const status = element("p", { role: "status", class: "status" });
  const size = 200;

  function show() {
    const policy = state.view === 0 ? null : state.view - 1;
    const found = replays[state.view]?.at(state.call);
    range.value = number.value = state.call;
    range.setAttribute("aria-valuetext", `call ${state.call}`);
    if (!found) {
      body.replaceChildren();
      status.textContent = `Call ${state.call} is not made: the run has been stopped.`;
      pager.hidden = true;
      return;
    }
    const all = inspectedParts(replays[state.view], policy, found);
    const rows = state.isChangedOnly ? all.filter((row) => row.isReduced || row.isAdded) : all;
    const pages = Math.max(1, Math.ceil(rows.length / size));
    // The newest parts come last, and are what a reader looks for.
    state.page = Math.min(state.page ?? pages - 1, pages - 1);
    const first = state.page * size;
    body.replaceChildren(...rows.slice(first, first + size).map(partRow));
    const reduced = all.filter((row) => row.isReduced).length;
    const context = whole(views[state.view].sizes[state.call]);
    const fired = policy === null ? [] : detail.policies[policy].fired[state.call].map((rule) => ruleName(policy, rule));
    const names = fired.length > 0 ? `; ${fired.join(", ")} fired` : "";
    const range_ = pages > 1 ? `; shown: parts ${first + 1} to ${Math.min(rows.length, first + size)} of ${whole(rows.length)}` : "";
    status.textContent = `Call ${state.call}: ${context} tokens, ${plural(all.length, "part")}, ${whole(reduced)} reduced or removed${names}${range_}`;
    pager.hidden = pages < 2;
    older.disabled = state.page === 0;
    newer.disabled = state.page >= pages - 1;
  }

  function go(call) {
    if (!Number.isFinite(call)) return;
    state.call = Math.min(Math.max(Math.round(call), 0), calls - 1);
    state.page = null;
    show();
  }

  function turn(by) {
    state.page += by;
    show();
  }

  const limits = { min: 0, max: calls - 1, step: 1 };
  const range = element("input", { type: "range", ...limits, "aria-label": "Call", oninput: (event) => go(Number(event.target.value)) });
  const number = element("input", { type: "number", ...limits, onchange: (event) => go(Number(event.target.value)) });
  const step = (text, by) => element("button", { type: "button", onclick: () => go(state.call + by) }, text);
  const view = choice(["as recorded", ...POLICY_NAMES], state.view, (at) => {
    state.view = at;
    state.page = null;
    show();
  });
  const changed = element("input", {
    type: "checkbox",
    onchange: (event) => {
      state.isChangedOnly = event.target.checked;
      state.page = null;
      show();
    },
  });
  const older = element("button", { type: "button", onclick: () => turn(-1) }, "Older parts");
  const newer = element("button", { type: "button", onclick: () => turn(1) }, "Newer parts");
  const pager = element("div", { class: "controls", role: "group", "aria-label": "Pages of parts" }, older, newer);
  const caption = "The parts of the context in their order";
  const headings = [["Message", "number"], ["Role"], ["Part"], ["Tokens recorded", "number"], ["Tokens sent", "number"], ["Change"]];
  const head = headings.map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
  const table = element("table", { class: "parts" }, element("caption", {}, caption), element("thead", {}, element("tr", {}, head)), body);
  show();
  return element(
    "div",
    { class: "inspector" },
    element(
      "div",
      { class: "controls" },
      labelled("Context", view),
      labelled("Call", number),
      step("Previous call", -1),
      step("Next call", 1),
      labelled("Only changed parts", changed),
    ),
    element("div", { class: "controls" }, range),
    status,
    scrollable(caption, table),
    pager,
    DATA.has_texts ? null : element("p", { class: "note" }, "This page has sizes only. A report that is made with --with-texts shows the texts, too."),
  );
}

/** The first call at which a policy changed something, else the last one. */
function firstChange(detail) {
  const first = detail.policies.map((policy) => policy.fired.findIndex((rules) => rules.length > 0)).filter((call) => call >= 0);
  return first.length > 0 ? Math.min(...first) : detail.recorded.sizes.length - 1;
}

