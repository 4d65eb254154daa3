// What each policy changes: a dot for each changed transcript, and its largest context before and after.

/** Whether a rule fires in a transcript under a policy. */
const isChanged = (session, policy) => policyFigure(session, policy, "firings") > 0;

/** Whether a rule stops a transcript, so that later calls are not made. */
const isStopped = (session, policy) => policyFigure(session, policy, "calls_after_stop") > 0;

/** What a policy adds to the cost of a transcript, or to its tokens if no price is known; below zero is less. */
function added(session, policy, name) {
  const saved = policyFigure(session, policy, `${name}_saved`);
  return saved === null ? null : -saved;
}

/** The common beginning of the names of all transcripts, up to a separator. */
const COMMON = (() => {
  const names = SESSIONS.map((session) => figure(session, "id"));
  if (names.length < 2) return 0;
  const first = names.reduce((least, name) => (name < least ? name : least));
  const last = names.reduce((most, name) => (name > most ? name : most));
  let length = 0;
  while (length < first.length && first[length] === last[length]) length += 1;
  return first.slice(0, length).lastIndexOf("/") + 1;
})();

/** The name of a transcript without what all names have in common. */
const shortName = (session) => figure(session, "id").slice(COMMON);

/** The width of drawings in their own units: that of the page, so that texts keep their size on small screens. */
const WIDTH = Math.max(320, Math.min(900, document.getElementById("content").clientWidth || 900));
const LEFT = 24;
const DOT = 4;
/** The most dots above each other; what is higher is written as a number. */
const MAX_DOTS = 14;

/** A dot in the colour of a policy that names its transcript and opens it. */
function dot(session, policy, text, place) {
  const open = () => showSession(sessionIndex.get(session), true);
  const canOpen = detailOf.has(sessionIndex.get(session));
  const made = svg("circle", { ...place, r: DOT, class: canOpen ? "dot open" : "dot", onclick: canOpen ? open : null }, svg("title", {}, text));
  made.style.setProperty("fill", `var(${policyColour(policy)})`);
  return made;
}

/** The height of a line of numbers above columns. */
const COUNT_HEIGHT = 13;

/** The numbers above the columns that are higher than drawn; those that would touch are above each other. */
function countLabels(columns, zero) {
  const ends = [];
  return [...columns]
    .filter(([, found]) => found.length > MAX_DOTS)
    .sort(([one], [other]) => one - other)
    .map(([column, found]) => {
      const [at, text] = [zero + column * 2 * DOT, whole(found.length)];
      const half = text.length * 4 + 2;
      const free = ends.findIndex((end) => end <= at - half);
      const level = free < 0 ? ends.length : free;
      ends[level] = at + half;
      return { at, text, level };
    });
}

/** The height of a line of text. */
const TEXT_HEIGHT = 15;

/** A text in lines that fit into a width, if its words do. */
function linesOfText(text, width) {
  return text.split(" ").reduce((lines, word) => {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    const isShort = lines.length > 0 && textWidth(longer) <= width;
    return isShort ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

/** A dot for each changed transcript on an axis of money, or of tokens: more expensive on the left, cheaper on the right. */
function changesPlot() {
  const isPriced = SESSIONS.some((session) => POLICIES.some((_, policy) => isChanged(session, policy) && added(session, policy, "cost") !== null));
  const name = isPriced ? "cost" : "tokens";
  const write = isPriced ? signedDollars : whole;
  const rows = POLICIES.map((_, policy) => {
    const changed = SESSIONS.filter((session) => isChanged(session, policy));
    const known = changed.filter((session) => added(session, policy, name) !== null);
    const some = (number, what) => (number > 0 ? [`${whole(number)} ${what}`] : []);
    const kinds = [
      ...some(changed.filter((session) => isStopped(session, policy)).length, "stopped"),
      ...some(changed.length - known.length, "without a price"),
    ];
    const ofThem = kinds.length > 0 ? ` (${kinds.join(", ")})` : "";
    const words = [`${whole(changed.length)} changed${ofThem}`, ...some(SESSIONS.length - changed.length, "unchanged")];
    const text = `${POLICIES.length > 1 ? `${POLICY_NAMES[policy]}: ` : ""}${words.join(", ")}`;
    return { policy, changed: changed.length, text, values: known.map((session) => [added(session, policy, name), session]) };
  });
  const all = rows.flatMap(({ values }) => values.map(([value]) => value));
  if (all.every((value) => value === 0)) {
    const hasChanged = rows.some(({ changed }) => changed > 0);
    const same = `The ${isPriced ? "cost" : "number of tokens"} of the calls that are made stays the same.`;
    return element("div", {}, rows.map(({ text }) => element("p", {}, `${text}.`)), hasChanged ? element("p", { class: "note" }, same) : null);
  }
  // Less is on the right.
  const low = all.reduce((least, value) => Math.min(least, value), 0);
  const high = all.reduce((most, value) => Math.max(most, value), 0);
  const [from, to] = [high + (high - low) * 0.02, low - (high - low) * 0.02];
  const x = (value) => LEFT + ((from - value) / (from - to)) * (WIDTH - 2 * LEFT);
  const parts = [];
  let top = 0;
  for (const { policy, text: words, values } of rows) {
    const columns = new Map();
    for (const [value, session] of [...values].sort((a, b) => a[0] - b[0])) {
      // No dot is on the other side of zero.
      const column = Math.sign(-value) * Math.max(1, Math.round(Math.abs(x(value) - x(0)) / (2 * DOT)));
      if (!columns.has(column)) columns.set(column, []);
      columns.get(column).push([value, session]);
    }
    const height = Math.min(MAX_DOTS, [...columns.values()].reduce((most, column) => Math.max(most, column.length), 0));
    const counts = countLabels(columns, x(0));
    const lines = linesOfText(words, WIDTH - 2 * LEFT);
    const base = top + 22 + (lines.length - 1) * TEXT_HEIGHT + (Math.max(-1, ...counts.map(({ level }) => level)) + 1) * COUNT_HEIGHT + height * 2 * DOT;
    lines.forEach((line, at) => parts.push(svg("text", { x: LEFT, y: top + 14 + at * TEXT_HEIGHT, class: "row" }, line)));
    for (const [column, found] of columns) {
      found.slice(0, MAX_DOTS).forEach(([value, session], at) => {
        const text = `${shortName(session)}: ${value < 0 ? "" : "+"}${write(value)}`;
        parts.push(dot(session, policy, text, { cx: x(0) + column * 2 * DOT, cy: base - DOT - at * 2 * DOT }));
      });
    }
    for (const { at, text, level } of counts) {
      parts.push(svg("text", { x: at, y: base - height * 2 * DOT - 3 - level * COUNT_HEIGHT, class: "count" }, text));
    }
    parts.push(svg("line", { x1: LEFT, x2: WIDTH - LEFT, y1: base, y2: base, class: "base" }));
    top = base + 6;
  }
  const marks = ticksBetween(Math.min(from, to), Math.max(from, to), 6);
  const tick = isPriced ? tickDollars(marks) : short;
  for (const value of marks) {
    const at = x(value);
    parts.push(svg("line", { x1: at, x2: at, y1: top - 6, y2: top, class: "base" }));
    parts.push(svg("text", { x: at, y: top + 12, class: "tick" }, value === 0 ? "0" : `${value > 0 ? "+" : ""}${tick(value)}`));
  }
  parts.unshift(svg("line", { x1: x(0), x2: x(0), y1: 0, y2: top, class: "zero" }));
  const [more, less] = isPriced ? ["more expensive", "cheaper"] : ["more tokens", "fewer tokens"];
  if (high > 0) parts.push(svg("text", { x: LEFT, y: top + 28, class: "side" }, `← ${more}`));
  if (low < 0) parts.push(svg("text", { x: WIDTH - LEFT, y: top + 28, class: "side end" }, `${less} →`));
  const title = isPriced ? "Change of the cost of each transcript" : "Change of the tokens of each transcript";
  const said = rows.map(({ policy, changed }) => `${POLICY_NAMES[policy]} changes ${plural(changed, "transcript")} of ${whole(SESSIONS.length)}.`).join(" ");
  return element(
    "figure",
    {},
    element("figcaption", {}, title),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${top + 34}`, role: "img", "aria-label": `${title}. ${said}`, class: "strip" }, parts),
  );
}

/** The most transcripts whose contexts are drawn. */
const MAX_PAIRS = 60;

/** The largest context of each changed transcript as a share of its window: as recorded, and with the policy. */
function pairsPlot(policy) {
  const share = (session, peak) => (figure(session, "window") > 0 ? peak / figure(session, "window") : null);
  const changed = SESSIONS.filter((session) => isChanged(session, policy));
  // The context of a stopped transcript is smaller because it has fewer calls.
  const stopped = changed.filter((session) => isStopped(session, policy)).length;
  const found = changed.filter((session) => !isStopped(session, policy)).map((session) => ({
    session,
    recorded: share(session, figure(session, "peak")),
    after: share(session, policyFigure(session, policy, "peak")),
  }));
  const known = found.filter(({ recorded }) => recorded !== null);
  if (known.length === 0) return null;
  const shown = [...known].sort((a, b) => Math.abs(b.recorded - b.after) - Math.abs(a.recorded - a.after)).slice(0, MAX_PAIRS);
  shown.sort((a, b) => b.recorded - a.recorded);
  const most = Math.max(1, ...shown.map(({ recorded, after }) => Math.max(recorded, after)));
  const x = (value) => LEFT + (value / most) * (WIDTH - 2 * LEFT);
  const step = Math.max(6, Math.min(16, 360 / shown.length));
  const height = step * shown.length + 8;
  const marks = ticksBetween(0, most, 6);
  const grid = marks.flatMap((value) => [
    svg("line", { x1: x(value), x2: x(value), y1: 0, y2: height, class: value === 1 ? "limit" : "grid" }),
    svg("text", { x: x(value), y: height + 14, class: "tick" }, percent(Math.round(value * 1000), 1000)),
  ]);
  const pairs = shown.flatMap(({ session, recorded, after }, at) => {
    const y = 6 + at * step;
    const text = `${shortName(session)}: ${percent(Math.round(recorded * 1000), 1000)} to ${percent(Math.round(after * 1000), 1000)} of the window`;
    return [
      svg("line", { x1: x(recorded), x2: x(after), y1: y, y2: y, class: "pair" }),
      svg("circle", { cx: x(recorded), cy: y, r: 3, class: "recorded" }, svg("title", {}, text)),
      dot(session, policy, text, { cx: x(after), cy: y }),
    ];
  });
  const title = `Largest context of changed transcripts, share of the window${POLICIES.length > 1 ? `: ${POLICY_NAMES[policy]}` : ""}`;
  const left = known.length - shown.length;
  const unknown = found.length - known.length;
  const notes = [
    "The hollow dot is as recorded, the other one with the policy; the dashed line is the window.",
    left > 0 ? `${plural(left, "transcript")} that ${left === 1 ? "changes" : "change"} less ${left === 1 ? "is" : "are"} left out.` : "",
    unknown > 0 ? `The window of ${plural(unknown, "transcript")} is unknown.` : "",
    stopped > 0 ? `${plural(stopped, "transcript")} that a rule stops ${stopped === 1 ? "is" : "are"} left out.` : "",
  ];
  const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const said = `Median: ${percent(Math.round(middle(known.map((one) => one.recorded)) * 1000), 1000)} as recorded, ${percent(Math.round(middle(known.map((one) => one.after)) * 1000), 1000)} with ${POLICY_NAMES[policy]}.`;
  return element(
    "figure",
    {},
    element("figcaption", {}, title),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${height + 20}`, role: "img", "aria-label": `${title}. ${said}`, class: "strip" }, grid, pairs),
    element("p", { class: "note" }, notes.filter(Boolean).join(" ")),
  );
}

/** The changes of all transcripts, and the contexts under a policy. */
function changes() {
  const place = element("div");
  const show = (policy) => place.replaceChildren(pairsPlot(policy) ?? "");
  show(0);
  const choose = POLICIES.length > 1 ? element("div", { class: "controls" }, labelled("Contexts under", choice(POLICY_NAMES, 0, show))) : null;
  return [changesPlot(), choose, place];
}
