// One session: its contexts and costs call by call, what the rules did, and the inspector.

const detailOf = new Map(DATA.details.map((detail) => [detail.session, detail]));
const sessionIndex = new Map(SESSIONS.map((session, at) => [session, at]));

/** The name of a session; a button if its details are in the page. */
function sessionLink(session) {
  const at = sessionIndex.get(session);
  const name = figure(session, "id");
  if (!detailOf.has(at) || IS_ONE) return name;
  return element("button", { type: "button", class: "link", onclick: () => showSession(at, true) }, name);
}

/** The contexts call by call, with the limits of one policy. */
function contextChart(detail) {
  const place = element("div");
  const show = (policy) => place.replaceChildren(contextChartWith(detail, detail.policies[policy].limits));
  show(0);
  if (POLICIES.length === 1) return place;
  const select = labelled("Window, reserve and thresholds of", choice(POLICY_NAMES, 0, show));
  return element("div", {}, element("div", { class: "controls" }, select), place);
}

function contextChartWith(detail, limits) {
  const calls = detail.recorded.sizes.map((_, call) => call);
  const series = [{ label: "recorded", values: detail.recorded.sizes, colour: policyColour(null) }];
  detail.policies.forEach((policy, at) =>
    series.push({ label: POLICY_NAMES[at], values: policy.sizes, colour: policyColour(at), dash: policyDash(at) }),
  );
  const marks = detail.policies.map((policy, at) => ({ policy: at, fired: policy.fired }));
  const peak = (values) => values.reduce((most, value) => Math.max(most, value ?? 0), 0);
  const firings = (policy, at) => {
    const rules = POLICIES[at].rules.map((name, rule) => [rule, name, policy.fired.filter((rules) => rules.includes(rule)).length]);
    return rules.filter(([, , times]) => times > 0).map(([rule, name, times]) => `${letter(rule)}: ${name} (${plural(times, "call")})`);
  };
  const fired = detail.policies.map((policy, at) => {
    const names = firings(policy, at);
    if (names.length === 0) return `No rule of ${POLICY_NAMES[at]} fired.`;
    return `Rules of ${POLICY_NAMES[at]} that fired: ${names.join(", ")}.`;
  });
  const names = (policy, at, call) => policy.fired[call].map((rule) => ruleName(at, rule)).join(", ");
  const rows = () =>
    calls.map((call) => [
      whole(call),
      ...series.map((one) => (one.values[call] === null ? "not made" : whole(one.values[call]))),
      ...detail.policies.map((policy, at) => names(policy, at, call)),
    ]);
  const headings = ["Call", ...series.map((one) => one.label), ...POLICY_NAMES.map((name) => `fired: ${name}`)];
  return chart({
    title: "Context at each call",
    description: `${series.map((one) => `${one.label}: at most ${whole(peak(one.values))} tokens.`).join(" ")} ${fired.join(" ")}`,
    x: calls,
    xLabel: "model call",
    yLabel: "tokens",
    format: whole,
    series,
    limits,
    marks,
    note: [...fired, HAS_DIFFERENT_HOSTS ? HOSTS_NOTE : ""].join(" "),
    table: () => plainTable("Context at each call, in tokens", headings, rows()),
  });
}

/** What the contexts of the recording or of a policy consist of. */
function compositionChart(detail) {
  const views = [detail.recorded, ...detail.policies];
  const place = element("div");
  const show = (view) => {
    const { composition, timeline, sizes } = views[view];
    const parts = new Map(timeline.requests.map((request, at) => [request[0], composition[at]]));
    const calls = sizes.map((_, call) => call);
    // The sums from the bottom; the largest is drawn first and the others over it.
    const upTo = (last) => calls.map((call) => parts.get(call)?.slice(0, last + 1).reduce((sum, part) => sum + part, 0) ?? null);
    const present = COMPOSITION.map((_, at) => at).filter((at) => composition.some((one) => one[at] > 0));
    const series = present.map((at) => ({ label: COMPOSITION[at], values: upTo(at), colour: `--part-${at + 1}` })).reverse();
    const largest = (at) => composition.reduce((most, one) => Math.max(most, one[at]), 0);
    const rows = () => calls.filter((call) => parts.has(call)).map((call) => [whole(call), ...parts.get(call).map(whole)]);
    const made = chart({
      title: "Composition of the context at each call",
      description: present.map((at) => `${COMPOSITION[at]}: at most ${whole(largest(at))} tokens.`).join(" "),
      x: calls,
      xLabel: "model call",
      yLabel: "tokens",
      format: whole,
      series,
      isStacked: true,
      note: "Parts are counted by the counter of the replay and scaled to the size of the context.",
      table: () => plainTable("Composition of the context at each call, in tokens", ["Call", ...COMPOSITION], rows()),
    });
    place.replaceChildren(made);
  };
  const select = choice(["as recorded", ...POLICY_NAMES], views.length > 1 ? 1 : 0, show);
  show(views.length > 1 ? 1 : 0);
  return element("div", {}, element("div", { class: "controls" }, labelled("Composition of the context", select)), place);
}

/** The cost up to each call. */
function costChart(detail) {
  const views = [detail.recorded, ...detail.policies];
  if (views.some((view) => view.costs.every((cost) => cost === null))) return null;
  const summed = (costs) => {
    let sum = 0;
    return costs.map((cost) => (sum += cost ?? 0));
  };
  const series = views.map((view, at) => ({
    label: at === 0 ? "recorded" : POLICY_NAMES[at - 1],
    values: summed(view.costs),
    colour: policyColour(at === 0 ? null : at - 1),
    dash: policyDash(at === 0 ? null : at - 1),
  }));
  const calls = detail.recorded.sizes.map((_, call) => call);
  const rows = () => calls.map((call) => [whole(call), ...series.map((one) => dollars(one.values[call]))]);
  return chart({
    title: "Cost up to each call",
    description: series.map((one) => `${one.label}: ${dollars(one.values.at(-1))} at the end.`).join(" "),
    x: calls,
    xLabel: "model call",
    yLabel: "US dollars",
    format: dollars,
    series,
    note: "Without the cost of summaries and of calls that the harness made for itself.",
    table: () => plainTable("Cost up to each call", ["Call", ...series.map((one) => one.label)], rows()),
  });
}

/** What each rule did in this session. */
function sessionRules(detail) {
  const headings = ["Rule", ...(POLICIES.length > 1 ? ["Policy"] : []), "Fired", "Edits", "Tokens saved", "Cost saved", "Cost caused", "Saving, 80% interval", "Pays after", "Cache breaks", "Repeated later", "Quoted later"];
  const pays = (rule) => (rule.pays_after === null ? "" : plural(rule.pays_after, "call"));
  const rows = detail.policies.flatMap((policy, at) =>
    policy.rules.map((rule, index) => [
      `${letter(index)} ${rule.name}`,
      ...(POLICIES.length > 1 ? [POLICY_NAMES[at]] : []),
      whole(rule.fired),
      whole(rule.edits),
      signed(rule.tokens_saved),
      dollars(rule.cost_saved),
      dollars(rule.cost_caused),
      savingText(rule),
      pays(rule),
      whole(rule.cache_breaks),
      whole(rule.repeated_calls),
      whole(rule.quotes),
    ]),
  );
  return plainTable("What each rule did in this session", headings, rows);
}

/** The breaks of the cache. */
function breaksTable(detail) {
  const headings = ["Call", ...(POLICIES.length > 1 ? ["Policy"] : []), "Caused by", "Tokens processed again", "Reasoning lost", "Cost"];
  const rows = detail.policies.flatMap((policy, at) =>
    policy.money.breaks.map((one) => [
      whole(one.call),
      ...(POLICIES.length > 1 ? [POLICY_NAMES[at]] : []),
      one.rule ?? "the recorded harness",
      whole(one.tokens),
      whole(one.reasoning),
      dollars(one.cost),
    ]),
  );
  if (rows.length === 0) return element("p", {}, "No request breaks the prompt cache.");
  return plainTable("Breaks of the prompt cache", headings, rows);
}

/** What the recorded agent used again after a rule had taken it. */
function regretTable(detail) {
  const rows = detail.policies.flatMap((policy, at) => {
    const repeated = policy.regret.repeated_calls.map((one) => ({ ...one, what: "repeats a call whose result was reduced" }));
    const quotes = policy.regret.quotes.map((one) => {
      const text = one.text ? `: ${one.text}` : "";
      return { ...one, what: `quotes ${plural(one.strings, "string")}, the longest with ${plural(one.chars, "character")}${text}` };
    });
    return [...repeated, ...quotes].sort((one, other) => one.call - other.call).map((one) => [
      whole(one.call),
      ...(POLICIES.length > 1 ? [POLICY_NAMES[at]] : []),
      one.tool,
      one.rule,
      whole(one.reduced),
      one.what,
    ]);
  });
  if (rows.length === 0) return element("p", {}, "The agent used nothing again that a rule had taken.");
  const headings = ["Call", ...(POLICIES.length > 1 ? ["Policy"] : []), "Tool", "Rule", "Reduced at call", "What was missed"];
  return plainTable("What the agent used again after a rule had taken it", headings, rows);
}

const sessionPlace = element("div");

/** The session with details that a policy changes most. */
function mostChanged() {
  const change = ({ session }) => {
    const saved = (policy) => Math.abs(policyFigure(SESSIONS[session], policy, "tokens_saved"));
    return Math.max(...POLICIES.map((_, policy) => saved(policy)));
  };
  return DATA.details.reduce((most, detail) => (change(detail) > change(most) ? detail : most)).session;
}

/** Shows a session; `isRequested` moves the focus to it. */
function showSession(at, isRequested) {
  const detail = detailOf.get(at);
  if (!detail) return;
  const session = SESSIONS[at];
  const model = figure(session, "model") === null ? "unknown model" : DATA.models[figure(session, "model")];
  const facts = [DATA.formats[figure(session, "format")], model, plural(figure(session, "calls"), "call")];
  const heading = element("h3", { tabindex: "-1" }, figure(session, "id"));
  const parts = [heading, element("p", { class: "note" }, facts.join(", "))];
  if (detail.recorded.sizes.length === 0) {
    parts.push(element("p", {}, "The session has no model calls."));
  } else {
    parts.push(
      element("ul", {}, detail.policies.map((policy, policyAt) => element("li", {}, POLICIES.length > 1 ? `${POLICY_NAMES[policyAt]}: ` : "", policy.verdict))),
      contextChart(detail),
      compositionChart(detail),
      costChart(detail),
      element("h3", {}, "Rules"),
      sessionRules(detail),
      element("h3", {}, "Cache breaks"),
      breaksTable(detail),
      element("h3", {}, "Regret"),
      regretTable(detail),
      element("h3", {}, "Inspector"),
      element("p", {}, "Choose a call to see what would have been sent. Parts that a rule reduced or removed are struck through."),
      inspector(detail),
    );
  }
  sessionPlace.replaceChildren(...parts.filter(Boolean));
  sessionChoice.value = String(DATA.details.indexOf(detail));
  if (isRequested) heading.focus();
}

const sessionChoice = choice(
  DATA.details.map((detail) => figure(SESSIONS[detail.session], "id")),
  0,
  (at) => showSession(DATA.details[at].session, false),
);

