// One transcript: its contexts and costs call by call, what the rules did, and the inspector.

const detailOf = new Map(DATA.details.map((detail) => [detail.session, detail]));
const sessionIndex = new Map(SESSIONS.map((session, at) => [session, at]));

/** The name of a transcript; a button if its details are in the page. */
function sessionLink(session) {
  const at = sessionIndex.get(session);
  const name = figure(session, "id");
  if (!detailOf.has(at) || IS_ONE) return name;
  return element("button", { type: "button", class: "link", onclick: () => showSession(at, true) }, name);
}

/** What each rule did in this transcript: a table for each policy of the rules that fired. */
function sessionRules(detail) {
  const columns = [
    ["Rule", (rule) => rule.name],
    ["Fired", (rule) => whole(rule.fired)],
    ["Edits", (rule) => whole(rule.edits)],
    ["Tokens saved", (rule) => whole(rule.tokens_saved)],
    ["Cost saved", (rule) => signedDollars(rule.cost_saved)],
    ["Cost caused", (rule) => dollars(rule.cost_caused)],
    ["Saving, 80% interval", savingText],
    ["Pays after", (rule) => (rule.pays_after === null ? "" : plural(rule.pays_after, "call"))],
    ["Cache breaks", (rule) => whole(rule.cache_breaks)],
    ["Needed later", (rule) => whole(rule.repeated_calls + rule.quotes)],
  ];
  return detail.policies.map((policy, at) => {
    const fired = policy.rules.filter((rule) => rule.fired > 0);
    const idle = policy.rules.filter((rule) => rule.fired === 0).map((rule) => rule.name);
    return element(
      "div",
      { class: "session-rules" },
      fired.length > 0 ? columnTable(`What the rules of ${POLICY_NAMES[at]} did in this transcript`, columns, fired) : null,
      idle.length > 0 ? element("p", { class: "note" }, `Rules of ${POLICY_NAMES[at]} that did not fire: ${listedNames(idle)}.`) : null,
    );
  });
}

/** Most rows of a table of a transcript. */
const MAX_EVENTS = 50;

/** A table of what happened at calls. Of many events it has those with the most of a `noun`, which `rank` counts. */
function eventTable(caption, columns, events, [noun, rank]) {
  const ranked = [...events].sort((a, b) => rank(b) - rank(a)).slice(0, MAX_EVENTS);
  const shown = events.filter((one) => ranked.includes(one));
  const rest = events.length - shown.length;
  const note = `Shown are the ${whole(shown.length)} of ${whole(events.length)} with the most ${noun}.`;
  return element("div", { class: "events" }, columnTable(caption, columns, shown), rest > 0 ? element("p", { class: "note" }, note) : null);
}

/** The column of the policy in a table of events, on a page on several policies. */
const policyColumn = POLICIES.length > 1 ? [["Policy", (one) => POLICY_NAMES[one.at]]] : [];

/** The breaks of the cache. */
function breaksTable(detail) {
  const columns = [
    ["Call", (one) => whole(one.call)],
    ...policyColumn,
    ["Caused by", (one) => one.rule ?? HARNESS],
    ["Tokens processed again", (one) => whole(one.tokens)],
    ["Reasoning lost", (one) => whole(one.reasoning)],
    ["Cost", (one) => dollars(one.cost)],
  ];
  const events = detail.policies.flatMap((policy, at) => policy.money.breaks.map((one) => ({ ...one, at })));
  if (events.length === 0) return element("p", {}, "No request breaks the prompt cache.");
  return eventTable("Cache breaks", columns, events, ["tokens", (one) => one.tokens]);
}

/** The later calls that needed what a rule removed. */
function regretTable(detail) {
  const events = detail.policies.flatMap((policy, at) => {
    const repeated = policy.regret.repeated_calls.map((one) => ({ ...one, at, chars: 0, what: "repeats a tool call whose result was reduced" }));
    const quotes = policy.regret.quotes.map((one) => {
      const text = one.text ? `: ${one.text}` : "";
      return { ...one, at, what: `quotes ${plural(one.strings, "string")}, the longest with ${plural(one.chars, "character")}${text}` };
    });
    return [...repeated, ...quotes].sort((a, b) => a.call - b.call);
  });
  if (events.length === 0) return element("p", {}, "No later call needed what a rule removed.");
  const columns = [
    ["Call", (one) => whole(one.call)],
    ...policyColumn,
    ["Tool", (one) => one.tool],
    ["Rule", (one) => one.rule],
    ["Reduced at call", (one) => whole(one.reduced)],
    ["How", (one) => one.what],
  ];
  return eventTable("Later tool calls that needed what a rule removed", columns, events, ["quoted characters", (one) => one.chars]);
}

const sessionPlace = element("div");

/** The transcript with details that a policy changes most. */
function mostChanged() {
  const change = ({ session }) => {
    const saved = (policy) => Math.abs(policyFigure(SESSIONS[session], policy, "tokens_saved"));
    return Math.max(...POLICIES.map((_, policy) => saved(policy)));
  };
  return DATA.details.reduce((most, detail) => (change(detail) > change(most) ? detail : most)).session;
}

/** The position of the reader in the transcript that is shown. */
let reader = null;

/** Shows a transcript; `isRequested` moves the focus to it. `wanted` is what an address names: a `call` and a `view`. */
function showSession(at, isRequested, wanted = null) {
  const detail = detailOf.get(at);
  if (!detail) return;
  sessionPlace.replaceChildren();
  forgetCharts();
  const session = SESSIONS[at];
  const model = figure(session, "model") === null ? "unknown model" : DATA.models[figure(session, "model")];
  const facts = [DATA.formats[figure(session, "format")], model, plural(figure(session, "calls"), "call")];
  const heading = element("h3", { tabindex: "-1", title: figure(session, "id") }, shortName(session));
  const parts = [heading, element("p", { class: "note" }, facts.join(", "))];
  const calls = detail.recorded.sizes.length;
  const first = firstChange(detail);
  reader = new Position(at, calls, wanted?.call ?? first.call, wanted?.view ?? first.view);
  if (calls === 0) {
    parts.push(element("p", {}, "The transcript has no model calls."));
  } else {
    const name = (policy) => (POLICIES.length > 1 ? `${POLICY_NAMES[policy]}: ` : "");
    parts.push(
      // The verdict on a single transcript is at the head of the page.
      IS_ONE ? null : element("ul", {}, detail.policies.map((policy, policyAt) => element("li", {}, name(policyAt), policy.verdict))),
      contextChart(detail, reader),
      inspector(detail, reader),
      element("div", { class: "columns" }, compositionChart(detail, reader), costChart(detail, reader)),
      element("h3", {}, "Rules"),
      ...sessionRules(detail),
      element("h3", {}, "Cache breaks"),
      breaksTable(detail),
      element("h3", {}, "Needed later"),
      regretTable(detail),
    );
  }
  sessionPlace.replaceChildren(...parts.filter(Boolean));
  sessionChoice.value = String(DATA.details.indexOf(detail));
  if (isRequested) heading.focus();
  if (isRequested && wanted === null) writeAddress(reader);
}

const sessionChoice = choice(
  DATA.details.map((detail) => shortName(SESSIONS[detail.session])),
  0,
  (at) => {
    showSession(DATA.details[at].session, false);
    writeAddress(reader);
  },
);

/** Goes where the address of the page points to. */
function followAddress() {
  const wanted = addressed(location.hash);
  if (wanted === null) return;
  if (reader?.session !== wanted.session) showSession(wanted.session, true, wanted);
  else reader.follow(wanted);
}

addEventListener("hashchange", followAddress);

// At first when the page is complete.
queueMicrotask(() => {
  const wanted = addressed(location.hash);
  if (wanted !== null) showSession(wanted.session, true, wanted);
});
