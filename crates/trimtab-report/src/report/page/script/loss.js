// What a request has lost and what rules added to it, in sentences.

const PART_NOUNS = ["text", "tool call", "result", "reasoning part", "image", "part"];

/** The rows in groups with the same key, in order of appearance. */
function groupedBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

/** `Read 11, Bash 4`: the most frequent first, at most five. */
function frequencies(rows, nameOf) {
  const all = [...groupedBy(rows, nameOf)].sort(([, one], [, other]) => other.length - one.length);
  const shown = all.slice(0, 5).map(([name, of]) => `${name} ${whole(of.length)}`);
  return [...shown, ...(all.length > 5 ? [`and ${all.length - 5} more`] : [])].join(", ");
}

const sumOf = (rows, of) => rows.reduce((all, row) => all + of(row), 0);

/** `masked 15 results: Read 11, Bash 4`. */
function lostParts(rows) {
  const kinds = new Set(rows.map((row) => row.kind));
  const noun = kinds.size === 1 ? PART_NOUNS[rows[0].kind] : "part";
  const isNamed = kinds.size > 1 || rows.some((row) => row.tool);
  const details = isNamed ? `: ${frequencies(rows, (row) => (kinds.size > 1 ? KINDS[row.kind] : (row.tool ?? "unknown tool")))}` : "";
  return [`${rows[0].word} ${plural(rows.length, noun)}`, details];
}

/** Since which calls: `at call 31`, `at calls 2 to 44, 3 of them at this call`. */
function callsOf(rows, call) {
  const calls = rows.map((row) => row.when).filter((when) => typeof when === "number");
  if (calls.length === 0) return "for this request";
  const [first, last] = [Math.min(...calls), Math.max(...calls)];
  if (first === last) return first === call ? "at this call" : `at call ${first}`;
  const now = calls.filter((when) => when === call).length;
  return `at calls ${first} to ${last}${now > 0 ? `, ${whole(now)} of them at this call` : ""}`;
}

/**
 * The later calls that needed what rules removed, each with its call and what it did, and in one of the groups of
 * rows: in one that has a result of the same tool, if there is one.
 */
function usesOf(policy, groups) {
  const uses = new Map(groups.map((rows) => [rows, []]));
  const add = (one, what, isOf) => {
    const isRemoved = (row) => row.rule === one.rule && row.when === one.reduced;
    const found = groups.find((rows) => rows.some((row) => isRemoved(row) && isOf(row))) ?? groups.find((rows) => rows.some(isRemoved));
    if (found) uses.get(found).push([one.call, what]);
  };
  for (const one of policy.regret.repeated_calls) add(one, `repeats a tool call of ${one.tool}`, (row) => row.kind === 2 && row.tool === one.tool);
  for (const one of policy.regret.quotes) {
    add(one, `quotes ${plural(one.chars, "character")}${one.text ? `: “${one.text}”` : ""}`, (row) => row.kind === 2);
  }
  for (const all of uses.values()) all.sort(([one], [other]) => one - other);
  return uses;
}

/** A list of what a request has lost, and of what was added to it. */
function lossList(rows, policy, position) {
  const items = [];
  const toCall = (call) => element("button", { type: "button", class: "link", onclick: () => position.open(call) }, `call ${call}`);
  const groups = [...groupedBy(rows.filter((row) => row.isReduced), (row) => `${row.rule} ${row.word}`).values()];
  const allUses = policy === null ? new Map() : usesOf(policy, groups);
  // What the recorded harness did is not the policy's doing, and comes last.
  for (const of of groups.sort((a, b) => (a[0].rule === HARNESS) - (b[0].rule === HARNESS))) {
    const [what, details] = lostParts(of);
    const uses = allUses.get(of) ?? [];
    const isOwn = policy === null || of[0].rule !== HARNESS;
    const shown = uses.slice(0, 5).flatMap(([call, use], at) => [at > 0 ? ", " : "", toCall(call), ` ${use}`]);
    const more = uses.length > 5 ? `, and ${uses.length - 5} more` : "";
    const later = uses.length > 0 ? [`; needed later: ${whole(uses.length)} (`, ...shown, `${more})`] : [];
    const size = `${whole(sumOf(of, (row) => row.tokens))} tokens became ${whole(sumOf(of, (row) => row.sent))}`;
    items.push([element("strong", {}, what), `${details}, by ${of[0].rule} ${callsOf(of, position.call)}${isOwn ? "" : ", as in the recording"}; ${size}`, ...later, "."]);
  }
  for (const of of groupedBy(rows.filter((row) => row.isAdded), (row) => `${row.rule} ${row.word}`).values()) {
    const noun = of[0].word === "summary" ? "part of a summary" : "part";
    const isOnce = of[0].word.startsWith("only");
    const what = of[0].word === "summary" ? "added a summary" : `added ${plural(of.length, noun)}`;
    const size = `${whole(sumOf(of, (row) => row.sent))} tokens`;
    items.push([element("strong", {}, what), `, by ${of[0].rule}${isOnce ? " for this request only" : ""}; ${size}.`]);
  }
  if (!rows.some((row) => row.isReduced)) items.unshift(["Nothing is missing from this request."]);
  return element("ul", { class: "loss" }, items.map((item) => element("li", {}, item)));
}
