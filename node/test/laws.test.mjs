// Laws: findings equal those of the command, and what a session or the middleware sends is what a simulation of its recording shows.
//
// `TRIMTAB_CASES` is the number of cases, `TRIMTAB_SEED` the first seed.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { PolicyError, compile, compileFile } from "trimtab";
import { trimtabMiddleware } from "trimtab/ai";

import { contexts, result } from "./command.mjs";
import { folder } from "./folder.mjs";

const CASES = Number(process.env.TRIMTAB_CASES ?? 20);
const SEED = Number(process.env.TRIMTAB_SEED ?? 1);

// A generator with a seed, by the method Mulberry32.
class Random {
  constructor(seed) {
    this.state = seed;
  }

  below(limit) {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of(list) {
    return list[this.below(list.length)];
  }

  list(most, make, least = 0) {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, at) => make(at));
  }
}

const NOTE = "a note";
const CONDITIONS = ["context.tokens > N0 tokens", "context.results > N", "context.messages >= N", "failures >= N", "iteration >= N", "repeats >= N", "context.ratio >= N%", "context.wrong > N"];
const EFFECTS = [
  "mask results keep N results",
  "mask results keep N results including errors",
  "trim results to N0 chars",
  "slide recent N messages",
  "drop older keep N messages",
  "summarise older keep N messages\n    on_failure keep",
  'inject "call {iteration}"',
  `inject "${NOTE}" as system`,
  'inject "for one step" for step',
  'set mode "review"',
  'stop "after N"',
];
const GUARDS = ["", "", "", "cooldown N iterations", "limit N", "every N iterations"];

function policy(random) {
  const filled = (list) => random.of(list).replaceAll("N", () => `${random.below(12)}`);
  const rules = random.list(4, (at) => `  rule r${at} {\n    when ${filled(CONDITIONS)}\n    do ${filled(EFFECTS)}\n    ${filled(GUARDS)}\n  }\n`, 1);
  return `edition 2026\n\npolicy p {\n${rules.join("")}}\n`;
}

const TEXTS = ["a line", "ünï", "😀", "\ud83d", "\udcff", " ", '"\\', "\n", "x".repeat(40)];
const words = (random, most = 6) => random.list(most, () => random.of(TEXTS), 1).join("");

function outcome(random) {
  const value = words(random).repeat(1 + random.below(60));
  return random.of([
    { type: "text", value },
    { type: "json", value: { value } },
    { type: "error-text", value },
    { type: "content", value: [{ type: "text", text: value }, { type: "text", text: "more" }] },
  ]);
}

// The prompt of a long conversation of the AI SDK: each call answers what is before a message of the assistant.
function prompt(random) {
  const messages = random.list(2, () => ({ role: "system", content: `You are ${words(random)}` }));
  for (const run of random.list(3, (run) => run, 1)) {
    messages.push({ role: "user", content: [{ type: "text", text: `${run} ${words(random)}` }] });
    for (const step of random.list(5, (step) => step)) {
      const ids = random.list(3, (at) => `c${run}.${step}.${at}`, 1);
      const thought = { type: "reasoning", text: words(random), providerOptions: { anthropic: { signature: "s" } } };
      const calls = ids.map((id) => ({ type: "tool-call", toolCallId: id, toolName: random.of(["read", "bash"]), input: { n: random.below(4) } }));
      messages.push({ role: "assistant", content: [...random.of([[], [thought]]), ...random.of([[], [{ type: "text", text: "Next." }]]), ...calls] });
      const results = calls.map(({ toolCallId, toolName }) => ({ type: "tool-result", toolCallId, toolName, output: outcome(random) }));
      // In one message or in several.
      messages.push(...(random.below(2) ? [results] : results.map((one) => [one])).map((content) => ({ role: "tool", content })));
    }
    messages.push({ role: "assistant", content: [{ type: "text", text: `Done with ${run}.` }] });
  }
  return messages;
}

const resultText = ({ type, value }) => (type === "content" ? value.map(({ text }) => text).join("\n") : typeof value === "string" ? value : JSON.stringify(value));

// The texts of a prompt, each with its role.
function lines(messages) {
  return messages.flatMap(({ role, content }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return parts.map((part) => [role, (part.toolCallId && part.output ? resultText(part.output) : (part.toolCallId ?? part.text)).toWellFormed()]);
  });
}

// The same of messages in the form of recordings. A system message that a rule adds to the conversation is sent as one of the user.
function recorded(messages) {
  const text = (content) => (typeof content === "string" ? content : content.map((one) => one.text ?? "").join("\n"));
  const line = (part) => (part.type === "tool_call" ? part.id : part.type === "tool_result" ? text(part.content) : part.text);
  const sent = (role, text) => (text === NOTE ? "user" : role);
  return messages.flatMap(({ role, content }) => content.map((part) => [sent(role, line(part)), line(part)]));
}

// Calls `check` with a generator for each case, and says which one has failed.
async function each(check) {
  for (let seed = SEED; seed < SEED + CASES; seed += 1) {
    try {
      await check(new Random(seed));
    } catch (error) {
      error.message = `TRIMTAB_SEED=${seed} TRIMTAB_CASES=1: ${error.message}`;
      throw error;
    }
  }
}

function compiled(text) {
  try {
    return compile(text);
  } catch (error) {
    assert.ok(error instanceof PolicyError);
    return undefined;
  }
}

test("findings equal those of the command", async (context) => {
  const file = path.join(folder(context), "p.trim");
  await each((random) => {
    fs.writeFileSync(file, policy(random));
    const expected = result("validate", file);
    try {
      const { validate, lint } = { validate: compileFile(file).validate(), lint: compileFile(file).lint({ select: ["all"] }) };
      assert.deepEqual(validate, expected);
      assert.deepEqual(lint, result("lint", file, "--select", "all"));
    } catch (error) {
      if (!(error instanceof PolicyError)) {
        throw error;
      }
      assert.deepEqual(error.diagnostics, expected.diagnostics);
      assert.notDeepEqual(error.diagnostics, []);
    }
  });
});

test("a restored session goes on as if it had not been saved", async () => {
  await each(async (random) => {
    const plan = compiled(policy(random));
    const list = prompt(random).filter(({ role }) => role !== "system").map(({ role, content }) => ({ role: role === "tool" ? "user" : role, content: lines([{ role, content }]).map(([, text]) => ({ type: "text", text })) }));
    const options = { dialect: "anthropic_messages", window: 2_000, summarise: ({ transcript }) => `${transcript.length} characters.` };
    const cut = random.below(list.length);
    let [session, other] = Array(2).fill(plan?.session(options));
    for (let at = 1; plan && at < list.length; at += 1) {
      if (list[at].role === "assistant") {
        const outcomes = [];
        for (const one of new Set([session, other])) {
          const sent = await one.beforeRequest(list.slice(0, at), { now: "2026-01-01T00:00:00Z" }).catch((error) => error);
          outcomes.push(sent instanceof Error ? sent.message : JSON.stringify(sent.body));
          await one.afterReply(list[at], { now: "2026-01-01T00:00:00Z" });
        }
        assert.equal(outcomes.at(-1), outcomes[0]);
        other = at >= cut && other === session ? plan.restore(session.save(), options) : other;
      }
    }
  });
});

test("what the middleware sends is what a simulation of the recording shows", async (context) => {
  const made = folder(context);
  let edited = 0;
  await each(async (random) => {
    const [file, record] = [path.join(made, "p.trim"), path.join(made, "recordings")];
    fs.writeFileSync(file, policy(random));
    fs.rmSync(record, { recursive: true, force: true });
    if (compiled(fs.readFileSync(file, "utf8")) === undefined) {
      return;
    }
    const messages = prompt(random);
    const onError = (error) => { throw error; };
    const window = 500 + random.below(4_500);
    const middleware = trimtabMiddleware(file, { record, window, onError, summarise: ({ transcript }) => `${transcript.length} characters.` });
    const sent = [];
    for (let at = 1; at < messages.length; at += 1) {
      if (messages[at].role !== "assistant") {
        continue;
      }
      const given = messages.slice(0, at);
      const params = await middleware.transformParams({ params: { prompt: given } });
      let isSent = false;
      const content = messages[at].content.map(({ providerOptions, ...part }) => ({ ...part, ...(part.input && { input: JSON.stringify(part.input) }), providerMetadata: providerOptions }));
      const usage = { inputTokens: { total: 10 * at }, outputTokens: { total: 3 } };
      await middleware.wrapGenerate({ params, doGenerate: async () => ((isSent = true), { content, usage }) });
      if (!isSent) {
        break;
      }
      edited += params.prompt === given ? 0 : 1;
      sent.push(lines(params.prompt));
    }
    const recordings = fs.readdirSync(record);
    assert.equal(recordings.length, 1);
    assert.deepEqual(contexts(file, path.join(record, recordings[0])).map(recorded), sent);
  });
  assert.ok(edited > 0);
});
