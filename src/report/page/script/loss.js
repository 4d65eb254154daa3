// What a request has lost and what rules added to it, in sentences.

const NOUNS = ["text", "tool call", "result", "reasoning part", "image", "part"];

/** The rows in groups with the same key, in order of appearance. */
function grouped(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

/** `Read 11, Bash 4`: the most frequent first, at most five. */
function counts(rows, nameOf) {
  const all = [...grouped(rows, nameOf)].sort(([, one], [, other]) => other.length - one.length);
  const shown = all.slice(0, 5).map(([name, of]) => `${name} ${whole(of.length)}`);
  return [...shown, ...(all.length > 5 ? [`and ${all.length - 5} more`] : [])].join(", ");
}

const sum = (rows, of) => rows.reduce((all, row) => all + of(row), 0);

/** `masked 15 results: Read 11, Bash 4`. */
function lostParts(rows) {
  const kinds = new Set(rows.map((row) => row.kind));
  const noun = kinds.size === 1 ? NOUNS[rows[0].kind] : "part";
  const isNamed = kinds.size > 1 || rows.some((row) => row.tool);
  const details = isNamed ? `: ${counts(rows, (row) => (kinds.size > 1 ? KINDS[row.kind] : (row.tool ?? "unknown tool")))}` : "";
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

/** What the recorded agent used again of what a rule took: each use with its call. */
function usesOf(policy, rule, when) {
  const isOf = (one) => one.rule === rule && when.has(one.reduced);
  const repeated = policy.regret.repeated_calls.filter(isOf).map((one) => [one.call, `repeats a call of ${one.tool}`]);
  const quotes = policy.regret.quotes.filter(isOf).map((one) => {
    const text = one.text ? `: “${one.text}”` : "";
    return [one.call, `quotes ${plural(one.chars, "character")}${text}`];
  });
  return [...repeated, ...quotes].sort(([one], [other]) => one - other);
}

/** A list of what a request has lost, and of what was added to it. */
function lossList(rows, policy, position) {
  const items = [];
  const toCall = (call) => element("button", { type: "button", class: "link", onclick: () => position.open(call) }, `call ${call}`);
  for (const of of grouped(rows.filter((row) => row.isReduced), (row) => `${row.rule} ${row.word}`).values()) {
    const [what, details] = lostParts(of);
    const uses = policy === null ? [] : usesOf(policy, of[0].rule, new Set(of.map((row) => row.when)));
    const shown = uses.slice(0, 5).flatMap(([call, use], at) => [at > 0 ? ", " : "", toCall(call), ` ${use}`]);
    const more = uses.length > 5 ? `, and ${uses.length - 5} more` : "";
    const again = uses.length > 0 ? [`; used again later: ${whole(uses.length)} (`, ...shown, `${more})`] : [];
    const size = `${whole(sum(of, (row) => row.tokens))} tokens became ${whole(sum(of, (row) => row.sent))}`;
    items.push([element("strong", {}, what), `${details}, by ${of[0].rule} ${callsOf(of, position.call)}; ${size}`, ...again, "."]);
  }
  for (const of of grouped(rows.filter((row) => row.isAdded), (row) => `${row.rule} ${row.word}`).values()) {
    const noun = of[0].word === "summary" ? "part of a summary" : "part";
    const isOnce = of[0].word.startsWith("only");
    const what = of[0].word === "summary" ? "added a summary" : `added ${plural(of.length, noun)}`;
    const size = `${whole(sum(of, (row) => row.sent))} tokens`;
    items.push([element("strong", {}, what), `, by ${of[0].rule}${isOnce ? " for this request only" : ""}; ${size}.`]);
  }
  if (!rows.some((row) => row.isReduced)) items.unshift(["Nothing is missing from this request."]);
  return element("ul", { class: "loss" }, items.map((item) => element("li", {}, item)));
}

