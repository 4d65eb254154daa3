import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const require = createRequire(import.meta.url);
const { Texts, jsonOf } = require(path.join(path.dirname(require.resolve("trimtab")), "texts.js"));

// Numbers below `n`, the same in each run.
let state = 7;
function below(n) {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor(state / 256) % n;
}

const LEAVES = [1, "1", true, null, undefined, Number.NaN, -0, 0, "ü – ß", "\udc00", 1.5, new Date(5), () => 1];

function value(depth) {
  const kind = below(depth > 0 ? 5 : 3);
  if (kind < 3) {
    return LEAVES[below(LEAVES.length)];
  }
  const inner = Array.from({ length: below(4) }, () => value(depth - 1));
  return kind === 3 ? inner : Object.fromEntries(inner.map((one) => [`k${below(5)}`, one]));
}

// Changes something in a request, mostly in place.
function change(body, messages) {
  const at = below(messages.length + 1);
  const message = messages[at];
  const kind = below(6);
  if (kind < 2 || at === messages.length) {
    messages.push(value(3));
  } else if (kind === 2) {
    messages.splice(at, 1);
  } else if (kind === 3 && body !== messages) {
    body[`x${below(3)}`] = value(2);
  } else if (kind < 5 && typeof message === "object" && message !== null && !(message instanceof Date)) {
    const keys = [...Object.keys(message), "0"];
    message[keys[below(keys.length)]] = value(2);
  } else {
    messages[at] = value(2);
  }
}

test("the text of a request that changes in place is its JSON", () => {
  for (let run = 0; run < 300; run += 1) {
    const [texts, messages] = [new Texts(), []];
    const body = below(2) === 0 ? messages : { model: "m", messages, tools: [1] };
    for (let step = 0; step < 12; step += 1) {
      change(body, messages);
      assert.equal(texts.write(body).toString(), jsonOf(body));
    }
  }
});
