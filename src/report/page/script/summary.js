// All sessions: the policies side by side, distributions, rules, and the list.

/** The cost under a policy, with its summaries. */
function totalCost({ money }) {
  if (money.after.cost === null || money.summaries_cost === null) return null;
  return money.after.cost + money.summaries_cost;
}

/** A value under a policy, and by how much it is smaller than the recorded one, which is named unless it is `shown`. */
function compared(value, recorded, format, shown = recorded) {
  const share = value === null || recorded === null ? "" : percent(recorded - value, recorded);
  const isSame = share === "" || value === recorded;
  const word = value < recorded ? "less" : "more";
  const own = recorded === shown ? "" : ` instead\u00a0of\u00a0${format(recorded)}`;
  return isSame ? `${format(value)}${own}` : `${format(value)}${own} (${share.replace("−", "")}\u00a0${word})`;
}

/** The cost of all sessions, or of those whose price is known. */
function costRow(totals) {
  if (totals.every((total) => totalCost(total) !== null)) {
    const costs = totals.map((total) => compared(totalCost(total), total.money.before.cost, dollars, totals[0].money.before.cost));
    return ["Cost", dollars(totals[0]?.money.before.cost), ...costs];
  }
  const priced = SESSIONS.filter((session) => figure(session, "cost") !== null);
  const sum = (values) => values.reduce((all, value) => all + (value ?? 0), 0);
  const recorded = sum(priced.map((session) => figure(session, "cost")));
  const costs = POLICIES.map((_, policy) => sum(priced.map((session) => policyFigure(session, policy, "cost"))));
  const own = POLICIES.map((_, policy) => sum(priced.map((session) => recordedFigure(session, policy, "cost"))));
  if (priced.length === 0) return ["Cost", UNKNOWN, ...POLICIES.map(() => UNKNOWN)];
  const name = `Cost of ${plural(priced.length, "session")} with known prices`;
  return [name, dollars(recorded), ...costs.map((cost, policy) => compared(cost, roundedTo(own[policy], recorded), dollars, recorded))];
}

/** A sum, or another one from which it differs only by rounding. */
const roundedTo = (sum, other) => (Math.abs(sum - other) < 1e-4 ? other : sum);

/** The policies side by side. */
function comparisonTable() {
  const totals = POLICIES.map((policy) => policy.total);
  const first = totals[0];
  const row = (name, recorded, of, format) => [
    name,
    recorded === null ? "" : format(recorded(first)),
    ...totals.map((total) => (recorded === null ? format(of(total)) : compared(of(total), recorded(total), format, recorded(first)))),
  ];
  const intervalRow = (name, of, format) => {
    const texts = totals.map((total) => interval(of(total), format));
    return texts.some((text) => text !== "") ? [[name, "", ...texts]] : [];
  };
  const gains = (sign) => POLICIES.map((_, policy) => SESSIONS.filter((session) => {
    const saved = policyFigure(session, policy, "cost_saved") ?? policyFigure(session, policy, "tokens_saved");
    return saved * sign > 0;
  }).length);
  const rows = [
    row("Model calls", (all) => all.before.calls, (all) => all.after.calls, whole),
    row("Largest context, tokens", (all) => all.before.peak_tokens, (all) => all.after.peak_tokens, whole),
    row("Mean context, tokens", (all) => all.before.mean_tokens, (all) => all.after.mean_tokens, whole),
    row("Tokens sent", (all) => all.before.tokens_sent, (all) => all.after.tokens_sent, whole),
    ...intervalRow("Tokens sent, 80% interval", (all) => all.verdict.tokens, whole),
    row("Uncached input, tokens", (all) => all.money.before.uncached_input, (all) => all.money.after.uncached_input, whole),
    row("Written to the cache, tokens", (all) => all.money.before.cache_write, (all) => all.money.after.cache_write, whole),
    row("Read from the cache, tokens", (all) => all.money.before.cache_read, (all) => all.money.after.cache_read, whole),
    costRow(totals),
    ...intervalRow("Cost, 80% interval", (all) => all.verdict.cost, dollars),
    row("Cache breaks", null, (all) => all.money.breaks, whole),
    row("Tokens processed again after breaks", null, (all) => all.money.rewritten_tokens, whole),
    row("Calls repeated after a reduction", null, (all) => all.regret.repeated_calls, whole),
    row("Calls that quote what rules took", null, (all) => all.regret.quotes, whole),
  ];
  if (!IS_ONE) {
    rows.push(["Sessions that gain", "", ...gains(1).map(whole)], ["Sessions that lose", "", ...gains(-1).map(whole)]);
  }
  return plainTable("Recorded and with each policy", ["Figure", "Recorded", ...POLICY_NAMES], rows);
}

/** What each rule of each policy did in all sessions. */
function rulesTable() {
  const rows = POLICIES.flatMap((policy, at) =>
    policy.total.rules.map((rule) => ({ ...rule, policy: POLICY_NAMES[at] })),
  );
  const number = (label, key, format = whole) => ({ label, value: (row) => row[key], text: (row) => format(row[key]) });
  const columns = [
    { label: "Rule", isText: true, value: (row) => row.name, text: (row) => row.name },
    POLICIES.length > 1 ? { label: "Policy", isText: true, value: (row) => row.policy, text: (row) => row.policy } : null,
    number("Fired", "fired"),
    IS_ONE ? null : number("Sessions", "transcripts"),
    number("Edits", "edits"),
    number("Tokens saved", "tokens_saved", signed),
    number("Cost saved", "cost_saved", dollars),
    number("Cost caused", "cost_caused", dollars),
    { label: "Saving, 80% interval", value: (row) => savingInterval(row).high, text: savingText },
    number("Cache breaks", "cache_breaks"),
    number("Repeated later", "repeated_calls"),
    number("Quoted later", "quotes"),
  ].filter(Boolean);
  return longTable({ caption: "What each rule took, saved, cost, and what was missed later", noun: "rule", columns, rows, sort: null });
}

/** The values of all sessions under a policy, without unknown ones. */
const valuesOf = (policy, name) =>
  SESSIONS.map((session) => policyFigure(session, policy, name)).filter((value) => value !== null);

/** The largest contexts, sorted separately for the recording and each policy. */
function peaksChart() {
  const ascending = (values) => values.sort((one, other) => one - other);
  const recorded = ascending(SESSIONS.map((session) => figure(session, "peak")));
  const series = [{ label: "recorded", values: recorded, colour: policyColour(null) }];
  POLICIES.forEach((_, policy) => {
    const values = ascending(valuesOf(policy, "peak"));
    series.push({ label: POLICY_NAMES[policy], values, colour: policyColour(policy), dash: policyDash(policy) });
  });
  const at = (share) => Math.min(recorded.length - 1, Math.round(share * (recorded.length - 1)));
  const shares = [["smallest", 0], ["10%", 0.1], ["25%", 0.25], ["median", 0.5], ["75%", 0.75], ["90%", 0.9], ["largest", 1]];
  const rows = () => shares.map(([name, share]) => [name, ...series.map((one) => whole(one.values[at(share)]))]);
  return chart({
    title: "Largest context of each session",
    description: series.map((one) => `${one.label}: median ${whole(one.values[at(0.5)])}, at most ${whole(one.values[at(1)])} tokens.`).join(" "),
    x: recorded.map((_, index) => index + 1),
    xLabel: "session, from the smallest to the largest context",
    yLabel: "tokens",
    format: whole,
    series,
    note: HAS_DIFFERENT_HOSTS ? HOSTS_NOTE : null,
    table: () => plainTable("Quantiles of the largest contexts in tokens", ["Quantile", ...series.map((one) => one.label)], rows()),
  });
}

/** A histogram of a saving, as a share of what was recorded. */
function savingChart(title, name) {
  const shares = POLICIES.map((_, policy) =>
    SESSIONS.map((session) => [policyFigure(session, policy, `${name}_saved`), recordedFigure(session, policy, name)])
      .filter(([part, all]) => part !== null && all > 0)
      .map(([part, all]) => Math.max(-100, (part / all) * 100)),
  );
  const changed = shares.map((values) => values.filter((share) => share !== 0));
  const all = changed.flat();
  if (all.length === 0) return null;
  const unchanged = shares.map((values, policy) => `${POLICY_NAMES[policy]}: ${whole(values.length - changed[policy].length)} unchanged`);
  const low = Math.floor(all.reduce((least, share) => Math.min(least, share), 0) / 5) * 5;
  const high = Math.max(low + 5, Math.ceil(all.reduce((most, share) => Math.max(most, share), 0) / 5) * 5);
  const edges = [];
  for (let edge = low; edge <= high; edge += 5) edges.push(edge);
  const bins = changed.map((values) => {
    const counts = edges.map(() => 0);
    for (const share of values) counts[Math.min(edges.length - 2, Math.floor((share - low) / 5))] += 1;
    counts[edges.length - 1] = counts[edges.length - 2];
    return counts;
  });
  const series = bins.map((values, policy) => ({ label: POLICY_NAMES[policy], values, colour: policyColour(policy), dash: policyDash(policy) }));
  const rows = () => edges.slice(0, -1).map((edge, at) => [`${edge}% to ${edge + 5}%`, ...bins.map((counts) => whole(counts[at]))]);
  const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
  return chart({
    title,
    description: shares.map((values, policy) => `${POLICY_NAMES[policy]}: a median of ${median(values).toFixed(1)}%.`).join(" "),
    x: edges,
    xLabel: "% of the recorded",
    yLabel: "sessions",
    format: whole,
    series,
    isStepped: true,
    table: () => plainTable(`${title}: sessions by share`, ["Share", ...POLICY_NAMES], rows()),
    note: `A negative share is a loss; losses of more than 100% count as 100%. Sessions that are not in the chart: ${unchanged.join(", ")}.`,
  });
}

/** The sessions that gain and lose most. */
function extremes() {
  const all = POLICIES.flatMap((_, policy) => SESSIONS.map((session) => ({ session, policy })));
  const saved = ({ session, policy }) => policyFigure(session, policy, "cost_saved") ?? 0;
  const tokens = ({ session, policy }) => policyFigure(session, policy, "tokens_saved");
  const isPriced = all.some((one) => saved(one) !== 0);
  const rank = isPriced ? saved : tokens;
  const format = isPriced ? dollars : signed;
  const lists = [["gain", 1], ["lose", -1]].map(([word, sign]) => {
    const found = all.filter((one) => rank(one) * sign > 0).sort((one, other) => (rank(other) - rank(one)) * sign).slice(0, 5);
    const title = `Sessions that ${word} most`;
    if (found.length === 0) return element("p", {}, `No session ${word === "gain" ? "gains" : "loses"} under a policy.`);
    const rows = found.map((one) => [
      sessionLink(one.session),
      ...(POLICIES.length > 1 ? [POLICY_NAMES[one.policy]] : []),
      format(rank(one)),
      `${signed(tokens(one))} (${percent(tokens(one), recordedFigure(one.session, one.policy, "tokens"))})`,
    ]);
    const policy = POLICIES.length > 1 ? ["Policy"] : [];
    return plainTable(title, ["Session", ...policy, isPriced ? "Cost saved" : "Saved", "Tokens saved"], rows);
  });
  return element("div", { class: "columns" }, lists);
}

/** The list of all sessions. */
function sessionsTable() {
  const own = (label, name, format = whole) => ({ label, value: (row) => figure(row, name), text: (row) => format(figure(row, name)) });
  const model = (row) => (figure(row, "model") === null ? UNKNOWN : DATA.models[figure(row, "model")]);
  const format = (row) => DATA.formats[figure(row, "format")];
  const columns = [
    { label: "Session", isText: true, value: (row) => figure(row, "id"), node: sessionLink },
    { label: "Format", isText: true, value: format, text: format },
    { label: "Model", isText: true, value: model, text: model },
    own("Calls", "calls"),
    own("Largest context", "peak"),
    own("Tokens sent", "tokens"),
    own("Cost", "cost", dollars),
  ];
  POLICIES.forEach((_, policy) => {
    const prefix = POLICIES.length > 1 ? `${POLICY_NAMES[policy]}: ` : "";
    const under = (label, name, write = whole) => ({
      label: `${prefix}${label}`,
      value: (row) => policyFigure(row, policy, name),
      text: (row) => write(policyFigure(row, policy, name)),
    });
    const share = (row) => {
      const recorded = recordedFigure(row, policy, "tokens");
      return recorded > 0 ? policyFigure(row, policy, "tokens_saved") / recorded : null;
    };
    columns.push(
      under(POLICIES.length > 1 ? "cost" : "With the policy: cost", "cost", dollars),
      {
        label: `${prefix}${POLICIES.length > 1 ? "tokens saved" : "Tokens saved"}`,
        value: share,
        text: (row) => percent(share(row), 1) || UNKNOWN,
      },
      under(POLICIES.length > 1 ? "cache breaks" : "Cache breaks", "cache_breaks"),
      under(POLICIES.length > 1 ? "regret" : "Regret", "regret"),
      under(POLICIES.length > 1 ? "calls after a stop" : "Calls after a stop", "calls_after_stop"),
    );
  });
  return longTable({
    caption: "All sessions",
    noun: "session",
    columns,
    rows: SESSIONS,
    sort: null,
    filterText: (row) => `${figure(row, "id")} ${format(row)} ${model(row)}`,
  });
}

