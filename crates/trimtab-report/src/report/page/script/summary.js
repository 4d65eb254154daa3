// All transcripts: the policies side by side, rules, and the list.

/** The cost under a policy, with its summaries. */
function totalCost({ money }) {
  if (money.after.cost === null) return null;
  return money.after.cost + (money.summaries_cost ?? 0);
}

/** The figures as recorded and with each policy, with the changes. What stops prevent is no change. */
function comparisonTable() {
  const totals = POLICIES.map((policy) => policy.total);
  const cells = (total, of, format) => {
    const [before, after] = [of(total.compared, total.money.compared), of(total.after, total.money.after, total)];
    const share = change(before, after);
    // Without a share, a figure of another host would look like a change of what is shown as recorded.
    if (before === after) return HAS_DIFFERENT_HOSTS && format(after) !== format(recorded(of)) ? `${format(after)} (0%)` : format(after);
    return share === "" ? format(after) : `${format(after)} (${share})`;
  };
  const recorded = (of) => of(totals[0].before, totals[0].money.before);
  const row = (name, of, format) => [name, format(recorded(of)), ...totals.map((total) => cells(total, of, format))];
  const { priced } = totals[0].verdict;
  const cost = (_, bill, total) => (total ? totalCost(total) : bill.cost);
  const recordedCost = knownCost(recorded(cost), priced.calls, priced.all_calls);
  const count = (name, of) => [name, "", ...totals.map((total) => whole(of(total)))];
  const rows = [
    row("Model calls", (contexts) => contexts.calls, whole),
    row("Largest context, tokens", (contexts) => contexts.peak_tokens, whole),
    row("Mean context, tokens", (contexts) => contexts.mean_tokens, whole),
    row("Tokens sent", (contexts) => contexts.tokens_sent, whole),
    row("Uncached input, tokens", (_, bill) => bill.uncached_input, whole),
    row("Written to the cache, tokens", (_, bill) => bill.cache_write, whole),
    row("Read from the cache, tokens", (_, bill) => bill.cache_read, whole),
    ["Cost", recordedCost, ...totals.map((total) => cells(total, cost, dollars))],
    count("Cache breaks", (all) => all.money.breaks),
    count("Tokens processed again after breaks", (all) => all.money.rewritten_tokens),
  ];
  return plainTable("As recorded and with each policy", ["Figure", "Recorded", ...POLICY_NAMES], rows);
}

/** A note on calls that have a cost and are not among the model calls. */
function harnessNote() {
  const { harness, branches } = POLICIES[0].total.money;
  const kinds = [
    harness.calls > 0 ? `${plural(harness.calls, "call")} that the harness made for itself` : "",
    branches.calls > 0 ? `${plural(branches.calls, "call")} of left branches` : "",
  ].filter(Boolean);
  return kinds.length > 0 ? element("p", { class: "note" }, `The cost includes ${kinds.join(" and ")}.`) : null;
}

/** What each rule of each policy did in all transcripts. */
function rulesTable() {
  const all = POLICIES.flatMap((policy, at) =>
    policy.total.rules.map((rule) => ({ ...rule, policy: POLICY_NAMES[at] })),
  );
  const rows = all.filter((rule) => rule.fired > 0);
  const name = (rule) => (POLICIES.length > 1 ? `${rule.name} (${rule.policy})` : rule.name);
  const idle = all.filter((rule) => rule.fired === 0).map(name);
  const note = idle.length > 0 ? element("p", { class: "note" }, `Never fired: ${idle.join(", ")}.`) : null;
  const number = (label, key, format = whole) => ({ label, value: (row) => row[key], text: (row) => format(row[key]) });
  const needed = (row) => row.repeated_calls + row.quotes;
  const columns = [
    { label: "Rule", isText: true, value: (row) => row.name, node: (row) => breakable(row.name) },
    POLICIES.length > 1 ? { label: "Policy", isText: true, value: (row) => row.policy, text: (row) => row.policy } : null,
    number("Fired", "fired"),
    number("Tokens saved", "tokens_saved"),
    number("Cost saved", "cost_saved", signedDollars),
    number("Cost caused", "cost_caused", dollars),
    { label: "Saving, 80% interval", value: (row) => savingInterval(row).high, text: savingText },
    { ...number("Cache breaks", "cache_breaks"), isOptional: true },
    { label: "Needed later", value: needed, text: (row) => whole(needed(row)) },
  ].filter(Boolean);
  const caption = "What each rule saved and cost";
  return element("div", {}, rows.length > 0 ? longTable({ caption, noun: "rule", columns, rows, sort: null }) : null, note);
}

/** How much a policy changes a transcript: by its cost if that is known, then by its tokens. */
function changeSize(session, policy) {
  return [Math.abs(added(session, policy, "cost") ?? 0), Math.abs(policyFigure(session, policy, "tokens_saved"))];
}

/** The list of all transcripts under a policy: the changed ones first, by the size of the change. */
function sessionsTable() {
  const place = element("div");
  const state = { policy: 0, showsAll: false };
  const model = (row) => (figure(row, "model") === null ? UNKNOWN : DATA.models[figure(row, "model")]);
  const format = (row) => DATA.formats[figure(row, "format")];

  function show() {
    const { policy } = state;
    const changed = SESSIONS.filter((row) => isChanged(row, policy));
    const sizes = new Map(changed.map((row) => [row, changeSize(row, policy)]));
    changed.sort((one, other) => {
      const [a, b] = [sizes.get(one), sizes.get(other)];
      return b[0] - a[0] || b[1] - a[1];
    });
    const others = SESSIONS.filter((row) => !isChanged(row, policy)).sort((a, b) => figure(b, "tokens") - figure(a, "tokens"));
    const rows = state.showsAll ? [...changed, ...others] : changed;
    const own = (label, name, write = whole) => ({ label, value: (row) => figure(row, name), text: (row) => write(figure(row, name)) });
    const under = (label, name, write = whole) => ({
      label,
      value: (row) => policyFigure(row, policy, name),
      text: (row) => write(policyFigure(row, policy, name)),
    });
    const shareOf = (row, name) => {
      const recorded = recordedFigure(row, policy, name);
      return recorded === null ? "" : change(recorded, policyFigure(row, policy, name));
    };
    const hasStops = SESSIONS.some((row) => policyFigure(row, policy, "calls_after_stop") > 0);
    const costChange = (row) => added(row, policy, "cost");
    const tokenChange = (row) => added(row, policy, "tokens");
    const plus = (value, text) => (value > 0 && text !== UNKNOWN && text !== dollars(0) ? `+${text}` : text);
    const columns = [
      { label: "Transcript", isText: true, value: shortName, node: (row) => sessionName(row, `${figure(row, "id")}\n${format(row)}, ${model(row)}`) },
      { ...own("Calls", "calls"), isOptional: true },
      own("Tokens sent", "tokens"),
      { label: "Change", value: tokenChange, text: (row) => (isChanged(row, policy) ? shareOf(row, "tokens") : "") },
      { ...own("Cost", "cost"), text: (row) => knownCost(figure(row, "cost"), ...(figure(row, "priced") ?? [])) },
      { label: "Change", value: costChange, text: (row) => (isChanged(row, policy) ? plus(costChange(row), signedDollars(costChange(row))) : "") },
      under("Needed later", "regret"),
      hasStops ? under("Calls not made", "calls_after_stop") : null,
    ].filter(Boolean);
    place.replaceChildren(
      longTable({
        caption: changed.length === 0 ? "All transcripts" : state.showsAll ? "All transcripts, changed ones first" : "Changed transcripts, the largest change first",
        noun: "transcript",
        columns,
        rows,
        sort: null,
        filterText: (row) => `${figure(row, "id")} ${format(row)} ${model(row)}`,
      }),
    );
    const unchanged = SESSIONS.length - changed.length;
    toggle.hidden = unchanged === 0 || changed.length === 0;
    toggle.lastChild.textContent = ` Show unchanged (${whole(unchanged)})`;
  }

  const box = element("input", { type: "checkbox", onchange: (event) => { state.showsAll = event.target.checked; show(); } });
  const toggle = element("label", { class: "check" }, box, "");
  const choose = (policy) => { state.policy = policy; show(); };
  state.showsAll = SESSIONS.every((row) => POLICIES.every((_, policy) => !isChanged(row, policy)));
  show();
  const select = POLICIES.length > 1 ? labelled("Policy", choice(POLICY_NAMES, 0, choose)) : null;
  return element("div", {}, element("div", { class: "controls" }, select, toggle), place);
}

/** The short name of a transcript with a title; a button if its details are in the page. */
function sessionName(session, title) {
  const at = sessionIndex.get(session);
  if (!detailOf.has(at) || IS_ONE) return element("span", { title }, breakable(shortName(session)));
  return element("button", { type: "button", class: "link", title, onclick: () => showSession(at, true) }, breakable(shortName(session)));
}
