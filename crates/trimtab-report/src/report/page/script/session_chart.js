// The charts of a transcript, call by call.

/** Most rules whose firings are shown. */
const MAX_FIRING_ROWS = 16;

/** The parts of a context from the bottom of its chart, with their places in the data. Neighbours differ in lightness. */
const COMPOSITION_PARTS = [
  { at: UNRECORDED, label: "not in the recording", colour: "--part-unknown", isHatched: true },
  { at: 0, label: "system prompt and tools", colour: "--part-system" },
  { at: 1, label: "messages and calls", colour: "--part-messages" },
  { at: 2, label: "tool results", colour: "--part-results" },
  { at: 3, label: "reasoning", colour: "--part-reasoning" },
  { at: 4, label: "summaries", colour: "--part-summaries" },
];

/** The recording and the policies as lines. */
const linesOf = (detail, valuesOf) =>
  [detail.recorded, ...detail.policies].map((view, at) => ({
    label: at === 0 ? "recorded" : POLICY_NAMES[at - 1],
    values: valuesOf(view),
    colour: policyColour(at === 0 ? null : at - 1),
    dash: policyDash(at === 0 ? null : at - 1),
  }));

/** `a, b and c`. */
const listedNames = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/** A row for each rule that fired, below the name of its policy if there are several. */
function firingRows(detail) {
  const several = detail.policies.length > 1;
  const all = detail.policies.flatMap((policy, at) => {
    const calls = POLICIES[at].rules.map(() => []);
    policy.fired.forEach((rules, call) => rules.forEach((rule) => calls[rule].push(call)));
    const colour = policyColour(at);
    const rows = POLICIES[at].rules.map((name, rule) => ({ name, at: calls[rule], colour, policy: at })).filter((row) => row.at.length > 0);
    return several && rows.length > 0 ? [{ name: POLICY_NAMES[at], colour }, ...rows] : rows;
  });
  let rest = MAX_FIRING_ROWS;
  const shown = all.filter((row) => !row.at || (rest -= 1) >= 0);
  const hidden = all.filter((row) => !shown.includes(row)).map((row) => row.name);
  return { rows: shown.filter((row, at) => row.at || shown[at + 1]?.at), hidden, all: all.filter((row) => row.at) };
}

/** The stretches of calls that a policy does not make, because a rule has stopped the run. */
function stoppedCalls(detail) {
  return detail.policies.flatMap((policy, at) =>
    policy.stops.flatMap(([call, rule]) => {
      const from = policy.sizes[call] === null ? call : call + 1;
      let to = from;
      while (to < policy.sizes.length && policy.sizes[to] === null) to += 1;
      return to > from ? [{ from, to: to - 1, call, rule, policy: at, colour: policyColour(at) }] : [];
    }),
  );
}

/** The areas between the recording and the policy, if there is one, and what they mean. */
function shadesOf(detail) {
  if (detail.policies.length !== 1) return { shades: [], keys: [] };
  const [recorded, { sizes }] = [detail.recorded.sizes, detail.policies[0]];
  const bound = (of) => sizes.map((size, call) => (size === null || recorded[call] === null ? null : of(size, recorded[call])));
  const all = [
    { label: "fewer tokens than recorded", colour: policyColour(0), upper: recorded, lower: bound(Math.min) },
    { label: "more tokens than recorded", colour: "--alarm", upper: bound(Math.max), lower: recorded },
  ];
  // An area thinner than a line is not seen.
  const least = recorded.reduce((most, size) => Math.max(most, size ?? 0), 0) / 100;
  const shades = all.filter(({ upper, lower }) => upper.some((value, call) => value !== null && lower[call] !== null && value - lower[call] > least));
  return { shades, keys: shades.map(({ label, colour }) => ({ label, colour, kind: "shade" })) };
}

/** The limits of a policy that is shown alone, else the windows. */
function limitsOf(detail) {
  if (detail.policies.length === 1) return detail.policies[0].limits;
  const windows = detail.policies.flatMap((policy) => policy.limits.filter(([kind]) => kind === "window"));
  const levels = new Set(windows.map(([, level]) => level));
  if (levels.size < 2) return windows.slice(0, 1);
  return [...levels].map((level) => ["window", level, `window of ${whole(level)}`]);
}

/** The legend of the calls at which the recorded harness compacted or cleared. */
const harnessKeys = (calls) => (calls.length > 0 ? [{ label: "the recorded harness compacted or cleared", colour: "--faint", kind: "harness" }] : []);

/** The contexts call by call, with where rules fired and what the recorded harness did. */
function contextChart(detail, position) {
  const series = linesOf(detail, (view) => view.sizes);
  const calls = detail.recorded.sizes.map((_, call) => call);
  const { rows, hidden, all } = firingRows(detail);
  const { shades, keys } = shadesOf(detail);
  const stops = stoppedCalls(detail);
  const harness = [...new Set(detail.harness_calls)];
  const stopKeys = stops.map(({ from, to, call, rule, policy, colour }) => {
    const name = detail.policies.length > 1 ? `${POLICY_NAMES[policy]}: ` : "";
    return { label: `${name}${plural(to - from + 1, "call")} not made, stopped by ${rule} at call ${call}`, colour, kind: "hatch" };
  });
  const peak = (values) => values.reduce((most, value) => Math.max(most, value ?? 0), 0);
  const fired = (policy, call) => detail.policies[policy].fired[call].map((rule) => ruleName(policy, rule));
  const size = (one, call) => (one.values[call] === null ? `${one.label} not made` : `${one.label} ${whole(one.values[call])}`);
  const tell = (call) => {
    const sizes = series.map((one, at) => {
      const names = at > 0 ? fired(at - 1, call) : harness.includes(call) ? ["compacted or cleared"] : [];
      return `${size(one, call)}${at === 0 ? " tokens" : ""}${names.length > 0 ? ` (${names.join(", ")})` : ""}`;
    });
    return `Call ${call}: ${sizes.join("; ")}`;
  };
  const headings = ["Call", ...series.map((one) => one.label), ...POLICY_NAMES.map((name) => `fired: ${name}`)];
  const table = () =>
    calls.map((call) => [
      whole(call),
      ...series.map((one) => (one.values[call] === null ? "not made" : whole(one.values[call]))),
      ...detail.policies.map((_, policy) => fired(policy, call).join(", ")),
    ]);
  const idle = detail.policies.map((_, at) => at).filter((at) => !all.some((row) => row.policy === at));
  const names = (row) => (detail.policies.length > 1 ? `${row.name} of ${POLICY_NAMES[row.policy]}` : row.name);
  const sentences = [
    ...series.map((one) => `${one.label}: at most ${whole(peak(one.values))} tokens.`),
    ...all.map((row) => `${names(row)} fired at ${plural(row.at.length, "call")}.`),
    ...stopKeys.map((key) => `${key.label}.`),
  ];
  const notes = [
    ...idle.map((at) => `No rule of ${POLICY_NAMES[at]} fired.`),
    hidden.length > 0 ? `${plural(hidden.length, "more rule")} fired: ${listedNames(hidden)}.` : "",
    HAS_DIFFERENT_HOSTS ? HOSTS_NOTE : "",
  ];
  return chart({
    title: "Context at each call",
    description: sentences.join(" "),
    x: calls,
    xLabel: "model call",
    yLabel: "tokens",
    format: whole,
    series,
    limits: limitsOf(detail),
    rows,
    shades,
    stops,
    harness,
    keys: [...keys, ...stopKeys, ...harnessKeys(harness)],
    position,
    tell,
    note: notes.filter(Boolean).join(" "),
    table: () => plainTable("Context at each call, in tokens", headings, table()),
  });
}

/** What the contexts of the recording or of a policy consist of. */
function compositionChart(detail, position) {
  const views = [detail.recorded, ...detail.policies];
  const made = new Map();
  const place = element("div");
  const show = () => {
    if (!made.has(position.view)) made.set(position.view, compositionOf(detail, position, views[position.view]));
    if (place.firstChild !== made.get(position.view)) place.replaceChildren(made.get(position.view));
  };
  show();
  position.followers.push(show);
  return place;
}

function compositionOf(detail, position, { composition, timeline, sizes }) {
  const title = `Composition of the context: ${position.view === 0 ? "as recorded" : POLICY_NAMES[position.view - 1]}`;
  const parts = new Map(timeline.requests.map((request, at) => [request[0], composition[at]]));
  const calls = sizes.map((_, call) => call);
  const present = COMPOSITION_PARTS.filter(({ at }) => composition.some((one) => one[at] > 0));
  // The sums from the bottom; the largest is drawn first and the others over it.
  const upTo = (last) => calls.map((call) => (parts.has(call) ? sumOf(present.slice(0, last + 1), ({ at }) => parts.get(call)[at]) : null));
  const series = present.map((part, last) => ({ ...part, values: upTo(last) })).reverse();
  const largest = ({ at }) => composition.reduce((most, one) => Math.max(most, one[at]), 0);
  const tell = (call) => {
    if (!parts.has(call)) return `Call ${call}: not made`;
    return `Call ${call}: ${present.map(({ at, label }) => `${label} ${whole(parts.get(call)[at])}`).join(", ")} tokens`;
  };
  const rows = () => calls.filter((call) => parts.has(call)).map((call) => [whole(call), ...COMPOSITION_PARTS.map(({ at }) => whole(parts.get(call)[at]))]);
  return chart({
    title,
    description: present.map((part) => `${part.label}: at most ${whole(largest(part))} tokens.`).join(" "),
    x: calls,
    xLabel: "model call",
    yLabel: "tokens",
    format: whole,
    series,
    isStacked: true,
    position,
    tell,
    note: "Parts are counted by the counter of the replay and scaled to the size of the context. What was sent but is not in the recording, often the system prompt and the tools, is the rest.",
    table: () => plainTable(`${title}, in tokens`, ["Call", ...COMPOSITION_PARTS.map(({ label }) => label)], rows()),
  });
}

/** The cost up to each call. */
function costChart(detail, position) {
  const views = [detail.recorded, ...detail.policies];
  if (views.some((view) => view.costs.every((cost) => cost === null))) return null;
  const summed = ({ costs, sizes }) => {
    let all = 0;
    return costs.map((cost, call) => ((all += cost ?? 0), sizes[call] === null ? null : all));
  };
  const series = linesOf(detail, summed);
  const calls = detail.recorded.sizes.map((_, call) => call);
  const cost = (one, call) => (one.values[call] === null ? "not made" : dollars(one.values[call]));
  const rows = () => calls.map((call) => [whole(call), ...series.map((one) => cost(one, call))]);
  const last = (one) => one.values.findLast((value) => value !== null) ?? 0;
  const isOwn = detail.policies.some((policy) => policy.money.harness.calls > 0);
  const harness = [...new Set(detail.harness_calls)];
  return chart({
    title: "Cost up to each call",
    description: series.map((one) => `${one.label}: ${dollars(last(one))} at the end.`).join(" "),
    x: calls,
    xLabel: "model call",
    yLabel: "US dollars",
    format: dollars,
    series,
    harness,
    keys: harnessKeys(harness),
    position,
    tell: (call) => `Up to call ${call}: ${series.map((one) => `${one.label} ${cost(one, call)}`).join(", ")}`,
    note: isOwn ? "Without the calls that the harness made for itself." : null,
    table: () => plainTable("Cost up to each call", ["Call", ...series.map((one) => one.label)], rows()),
  });
}
