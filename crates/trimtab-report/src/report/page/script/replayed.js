// What each call of a replay would have sent, part by part, from the differences between requests.

const HARNESS = "the recorded harness";

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
    // Requests are differences from the previous one, so that only a step back begins again.
    if (this.reached === undefined || this.reached > last) [this.reached, this.shown, this.states] = [-1, [], new Map()];
    while (this.reached < last) this.follow(this.requests[(this.reached += 1)]);
    const [, , , , , leftOut, once] = this.requests[last];
    return { shown: this.shown, states: this.states, leftOut, once: once ?? [] };
  }

  /** Takes in the next request. */
  follow([at, kept, tail, left, changes]) {
    this.shown = merged(this.shown, kept, expanded(tail));
    if (left) {
      const items = new Map(this.shown.map((item) => [item.number, item]));
      for (const [rule, numbers] of left) {
        for (const number of expanded(numbers)) {
          const one = items.get(number);
          if (one) one.gone = { rule, call: at };
        }
      }
    }
    for (const [number, part, level, tokens, rule, text] of changes ?? []) {
      this.states.set(`${number} ${part}`, { level, tokens, rule, text, call: at });
    }
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

/**
 * The parts at a call in their order. A reduced one has the `rule` that reduced it, the `word` for how, and the call since
 * `when`; an added one has the `rule` that added it.
 */
function inspectedParts(replayed, policy, state) {
  const rows = [];
  const nameOf = (index) => (policy === null ? HARNESS : ruleName(policy, index));
  let live = 0;
  const push = (number, [role, parts], more) => {
    parts.forEach(([kind, tokens, tool, text], part) =>
      rows.push({ number, role, kind, tokens, tool, text, sent: tokens, ...more(part, tokens) }),
    );
  };
  const reduced = (word, rule, when, sent = 0, newText = null) => ({ isReduced: true, word, rule: nameOf(rule), when, sent, newText });
  const added = (word, rule, sent) => ({ isAdded: true, word, rule: nameOf(rule), tokens: 0, sent });
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
      if (gone) return reduced("removed", gone.rule, gone.call);
      if (isLeftOut) return reduced("left out", view, null);
      if (change && change.level > 0) {
        return reduced(LEVELS[change.level], change.rule, change.call, change.level === 4 ? 0 : change.tokens, change.text);
      }
      return isAdded ? added(replayed.isSummary(number) ? "summary" : "added", replayed.adder(number), tokens) : {};
    });
  }
  for (const [index, message] of state.once) push(null, message, (_, tokens) => added("only in this request,", index, tokens));
  return rows;
}

/** What became of a part: `masked by mask_old at call 31`. */
const changeOf = ({ word, rule, when }) => (word ? `${word} by ${rule}${typeof when === "number" ? ` at call ${when}` : ""}` : "");

/** What a part is: `tool result read_file`. */
const partName = (row) => (row.tool ? `${KINDS[row.kind]} ${row.tool}` : KINDS[row.kind]);
