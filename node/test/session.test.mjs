import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { RequestError, RestoreError, Stopped, compile } from "trimtab";

const NOW = "2026-01-01T00:00:00Z";

function policy(...rules) {
  const text = rules.map((rule, at) => `  rule r${at} {\n    ${rule}\n  }\n`).join("");
  return compile(`edition 2026\n\npolicy p {\n${text}}\n`);
}

const MASK = "when iteration >= 2\n do mask results keep 1 results";
const SUMMARISE = "when context.messages >= 5\n do summarise older keep 2 messages\n on_failure keep\n cooldown 20 iterations";

// The messages of a chat, of which each reply calls a tool.
function chat(turns) {
  const messages = [{ role: "user", content: "Read all pages." }];
  for (let page = 0; page < turns; page += 1) {
    const call = { id: `c${page}`, type: "function", function: { name: "read", arguments: `{"page":${page}}` } };
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: `c${page}`, content: `line of page ${page}, `.repeat(40) });
  }
  return messages;
}

// The requests of a chat, up to the last one.
async function run(session, messages) {
  let request;
  for (let at = 1; at <= messages.length; at += 1) {
    if (at === messages.length || messages[at].role === "assistant") {
      request = await session.beforeRequest(messages.slice(0, at), { now: NOW });
      if (at < messages.length) {
        await session.afterReply(messages[at], { usage: { prompt_tokens: request.tokens, completion_tokens: 9 }, now: NOW });
      }
    }
  }
  return request;
}

const open = (plan, options) => plan.session({ dialect: "openai_chat", window: 8_000, ...options });

test("a request has the type that was given, and is the same object without an edit", async () => {
  const session = open(policy(MASK));
  const messages = chat(0);
  assert.equal((await session.beforeRequest(messages)).body, messages);
  const body = { model: "gpt-5", messages: chat(3) };
  const request = await run(open(policy(MASK)), body.messages);
  assert.deepEqual(request.edits.map(({ kind }) => kind), ["keep", "keep", "replace", "keep", "replace", "keep", "keep"]);
  assert.deepEqual(request.edits[0], { kind: "keep", index: 0 });
  assert.match(request.body[2].content, /^\[tool result for read/);
  assert.equal(JSON.parse(request.edits[2].json).content, request.body[2].content);
  assert.deepEqual(request.firings.map(({ rule, edits }) => [rule, edits]), [["r0", 1]]);
  assert.ok(request.firings[0].tokensSaved > 0 && request.tokens > 0);
  const text = JSON.stringify(body);
  const whole = open(policy("do mask results keep 1 results"));
  assert.equal(typeof (await whole.beforeRequest(text)).body, "string");
  const parsed = (await whole.beforeRequest(body)).body;
  assert.deepEqual([parsed.model, parsed.messages.length], ["gpt-5", 7]);
  assert.match(parsed.messages[2].content, /^\[tool result for read/);
});

test("the caller may change what it gave", async () => {
  const session = open(policy(SUMMARISE), { summarise: () => new Promise((done) => setTimeout(done, 5, "All read.")) });
  const messages = chat(3);
  const expected = JSON.stringify(messages);
  const waiting = session.beforeRequest(messages);
  messages.length = 1;
  const { body } = await waiting;
  assert.ok(body.length > 1 && !JSON.stringify(body).includes("page 0") && expected.includes("page 0"));
});

test("a stop is an error that says which rule and why", async () => {
  const session = open(policy('when iteration >= 1\n do stop "enough"'));
  const messages = chat(1);
  await assert.rejects(run(session, messages), (error) => {
    assert.ok(error instanceof Stopped);
    assert.deepEqual([error.name, error.rule, error.reason, error.message], ["Stopped", "r0", "enough", "r0 stops the run: enough"]);
    return true;
  });
  messages.push({ role: "assistant", content: "Stopped." }, { role: "user", content: "Go on." });
  assert.equal((await session.beforeRequest(messages)).body.at(-1).content, "Go on.");
});

test("summaries are asked for as promises and as texts", async () => {
  for (const summarise of [() => "All read.", async () => "All read."]) {
    const asked = [];
    const session = open(policy(SUMMARISE), { summarise: (summary) => (asked.push(summary), summarise()) });
    const { body } = await run(session, chat(4));
    assert.equal(asked.length, 1);
    assert.match(asked[0].transcript, /line of page 0/);
    assert.ok(asked[0].prompt.includes(asked[0].transcript) && asked[0].system.includes("summary"));
    assert.deepEqual(Object.keys(asked[0]).sort(), ["instructions", "prompt", "system", "transcript"]);
    assert.ok(JSON.stringify(body).includes("All read."));
  }
});

test("a failed summary keeps the messages and says why", async () => {
  const failures = {
    "out of order": () => Promise.reject(new Error("out of order")),
    TypeError: () => Promise.reject(new TypeError()),
    "no error": () => { throw "no error"; },
    "the summary is no text": () => 7,
    "the session has no summariser": undefined,
  };
  for (const [reason, summarise] of Object.entries(failures)) {
    const session = open(policy(SUMMARISE), { summarise });
    const request = await session.beforeRequest(chat(3));
    assert.deepEqual(request.failedSummaries, [{ rule: "r0", reason }]);
    assert.equal(request.body.length, 7);
  }
});

test("calls that overlap take turns", async () => {
  let open_ = 0;
  const summarise = async () => {
    open_ += 1;
    assert.equal(open_, 1);
    await new Promise((done) => setTimeout(done, 5));
    open_ -= 1;
    return "All read.";
  };
  const session = open(policy(SUMMARISE), { summarise });
  const requests = await Promise.all([3, 4, 5].map((turns) => session.beforeRequest(chat(turns))));
  assert.ok(requests.every(({ body }) => JSON.stringify(body).includes("All read.")));
});

test("a summariser that uses its session fails and does not wait for ever", async () => {
  const reasons = [];
  const session = open(policy(SUMMARISE), {
    summarise: async () => {
      await session.beforeRequest(chat(1)).catch((error) => reasons.push(error));
      return "All read.";
    },
  });
  await session.beforeRequest(chat(3));
  assert.ok(reasons[0] instanceof RequestError && /waits for it/.test(reasons[0].message));
  await session.beforeRequest(chat(4));
});

test("a person confirms", async () => {
  const rule = `confirm "Mask at {iteration}?"\n do mask results keep 0 results`;
  for (const [answer, isMasked] of [[true, true], [Promise.resolve(true), true], [false, false], ["yes", false], [undefined, false]]) {
    const asked = [];
    const confirm = answer === undefined ? undefined : (...question) => (asked.push(question), answer);
    const { body } = await open(policy(rule), { confirm }).beforeRequest(chat(1));
    assert.equal(/^\[tool result for read/.test(body[2].content), isMasked, `${answer}`);
    assert.deepEqual(asked, answer === undefined ? [] : [["r0", "Mask at 1?"]]);
  }
  const failing = open(policy(rule), { confirm: () => { throw new Error("nobody is there"); } });
  await assert.rejects(failing.beforeRequest(chat(1)), /nobody is there/);
});

test("values, text and bytes give the same request", async () => {
  const plan = policy("when context.messages >= 3\n do mask results keep 0 results");
  const sessions = [1, 2, 3].map(() => open(plan));
  const same = async (given) => {
    const text = JSON.stringify(given);
    const bodies = [given, text, new TextEncoder().encode(text)];
    const requests = await Promise.all(sessions.map((session, at) => session.beforeRequest(bodies[at], { now: NOW })));
    const [value, string, bytes] = requests.map(({ body }) => body);
    assert.deepEqual([typeof string, bytes instanceof Uint8Array], ["string", true]);
    assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(string)));
    assert.equal(Buffer.from(bytes).toString(), string);
    assert.notEqual(value, given);
  };
  const given = { model: "m", messages: chat(3), none: undefined };
  const { messages } = given;
  await same(given);
  class Text {
    constructor(text) {
      this.text = text;
    }
    toJSON() {
      return this.text;
    }
  }
  const text = new Text("one – made");
  // In place, also in the order of keys, and by what is written in its own way.
  for (const change of [
    () => { messages[0].content = "Something else – in place."; },
    () => { messages[1].extra = [1, { two: 2, none: undefined }]; },
    () => { messages[1].extra[0] = "1"; },
    () => { messages[1].extra[1].two = Number.NaN; },
    () => { messages[1].extra[1] = { none: undefined, two: 2 }; },
    () => { messages[1].extra.length = 5; },
    () => { messages[0].content = text; },
    () => { text.text = "another"; },
    () => { messages.push(...chat(5).slice(messages.length)); },
    () => { messages.unshift({ role: "system", content: "First." }); },
    () => { messages.pop(); },
    () => { given.tools = []; },
    () => { given.user = "\udc00"; },
    () => { messages[2] = { ...messages[2] }; },
  ]) {
    change();
    await same(given);
  }
  const circular = { messages: [] };
  circular.messages.push(circular);
  await assert.rejects(sessions[0].beforeRequest(circular), TypeError);
  await assert.rejects(sessions[0].beforeRequest(new Uint8Array([0xff])), RequestError);
  await assert.rejects(sessions[0].beforeRequest(undefined), RequestError);
});

test("a session may be that of a sub-agent", async () => {
  const plan = policy('do notify "{agent.name ?? \\"main\\"} {agent.depth}"');
  const said = async (subAgent) => (await open(plan, { subAgent }).beforeRequest(chat(0))).firings.map(({ notice }) => notice);
  assert.deepEqual(await said(undefined), ["main 0"]);
  assert.deepEqual(await said("explore"), ["explore 1"]);
  assert.deepEqual(await said({ name: "explore", depth: 2 }), ["explore 2"]);
  assert.throws(() => open(plan, { subAgent: { name: "explore", depth: 1.5 } }), { name: "RangeError", message: /depth/ });
});

test("facts have the types that the policy declares", async () => {
  const plan = compile(`edition 2026
agent {
  fact load share
  fact wait duration default 0s
  fact steps count default 0
  fact user text default "nobody"
  fact busy bool default false
}
policy p {
  rule load { when (host.load ?? 0%) >= 50% do inject "load" }
  rule wait { when host.wait >= 90s do inject "wait" }
  rule steps { when host.steps >= 7 do inject "steps" }
  rule user { when host.user == "me" do inject "user" }
  rule busy { when host.busy do inject "busy" }
}`);
  const added = async (facts) => {
    const { body } = await open(plan, { facts }).beforeRequest(chat(0));
    return body.slice(1).map(({ content }) => content).join(" ");
  };
  assert.equal(await added({}), "");
  assert.equal(await added({ load: 0.5, wait: 90_000, steps: 7, user: "me", busy: true }), "load wait steps user busy");
  assert.equal(await added({ load: 0.49, wait: 89_999, steps: 6, user: "you", busy: false }), "");
  const session = open(plan, { facts: { busy: true } });
  session.setFact("busy", undefined);
  assert.equal((await session.beforeRequest(chat(0))).body.length, 1);
  assert.throws(() => session.setFact("stpes", 7), { name: "RangeError", message: /stpes/ });
  for (const wrong of [1.5, -1, NaN, "7", true]) {
    assert.throws(() => session.setFact("steps", wrong), RangeError);
  }
});

test("a saved session goes on", async () => {
  const plan = policy(MASK, SUMMARISE);
  const session = open(plan, { summarise: () => "All read." });
  assert.equal(session.save(), undefined);
  await run(session, chat(3));
  const saved = session.save();
  const restored = plan.restore(saved, { dialect: "openai_chat", window: 8_000 });
  const messages = chat(4);
  const requests = await Promise.all([session, restored].map((one) => one.beforeRequest(messages, { now: NOW })));
  assert.deepEqual(requests[1].body, requests[0].body);
  assert.ok(JSON.stringify(requests[1].body).includes("All read."), "a summary is not written again");
  assert.throws(() => policy(MASK).restore(saved, { dialect: "openai_chat" }), RestoreError);
  for (const broken of [Buffer.from("{"), saved.subarray(0, 40), new Uint8Array()]) {
    assert.throws(() => plan.restore(broken, { dialect: "openai_chat" }), RestoreError);
  }
});

test("the recording is what happened", async () => {
  const session = open(policy(MASK));
  assert.equal(session.takeRecording(), undefined);
  await run(session, chat(2));
  const { branch, text } = session.takeRecording();
  assert.equal(branch, 0);
  assert.equal(text.trim().split("\n").length >= 5, true);
  assert.equal(session.takeRecording(), undefined);
});

test("offloaded results are recalled", async () => {
  const plan = policy("when iteration >= 1\n do offload results over 100 chars keep 0 results");
  assert.equal(plan.offloads, true);
  const session = open(plan);
  const messages = chat(1);
  const { body } = await run(session, messages);
  const id = /recall\("(.*?)"\)/.exec(body[2].content)[1];
  assert.equal(session.recall(id), messages[2].content);
  assert.throws(() => session.recall("r99"), /r99/);
});

test("a rejected request is shortened once", async () => {
  const session = open(policy("on overflow\n do mask results keep 0 results"));
  const request = await run(session, chat(2));
  const shortened = await session.rejected(request);
  assert.match(shortened.body[2].content, /^\[tool result for read/);
  assert.equal(await session.rejected(shortened), undefined);
});

test("replies name their request, messages are added, and iterations end", async () => {
  const session = open(policy('on reply\n do inject "after the reply"', "on iteration_end\n do notify \"ended\""));
  const messages = chat(1);
  const request = await session.beforeRequest(messages.slice(0, 1));
  await session.beforeRequest([{ role: "user", content: "Another." }]);
  await session.afterReply({ choices: [{ message: messages[1] }] }, { request });
  await session.add(messages.slice(2));
  await session.endIteration();
  assert.deepEqual(session.takeFirings().map(({ rule, notice }) => [rule, notice]).at(-1), ["r1", "ended"]);
  const { body } = await session.beforeRequest(messages);
  assert.ok(JSON.stringify(body).includes("after the reply"));
});

test("what is no request is an error, and the session goes on", async () => {
  const session = open(policy(MASK));
  for (const wrong of [[7], { model: "m" }, "[", 7, null, undefined, () => 1]) {
    await assert.rejects(session.beforeRequest(wrong), RequestError);
  }
  await assert.rejects(session.beforeRequest(chat(0), { now: "yesterday" }), RequestError);
  await assert.rejects(session.afterReply({ role: "assistant", content: "hi" }), RequestError);
  await assert.rejects(session.beforeRequest([{ n: 1n }]), TypeError);
  await session.beforeRequest(chat(0), { now: new Date(0) });
  assert.throws(() => policy(MASK).session({ dialect: "openai" }), { name: "RequestError", message: /openai_chat/ });
  for (const window of [-1, 1.5, NaN, 2 ** 60]) {
    assert.throws(() => open(policy(MASK), { window }), RangeError);
  }
});

test("lone surrogates become replacement characters", async () => {
  const text = 'a \ud83d b "c" 😀';
  for (const body of [[{ role: "user", content: text }], `[{"role":"user","content":"a \ud83d b \\"c\\" 😀"}]`]) {
    const session = open(policy("when iteration >= 1\n do mask results"));
    const request = await session.beforeRequest(body);
    assert.equal(request.body, body);
    assert.ok(session.takeRecording().text.includes("a \ufffd b"));
  }
  const session = open(policy(SUMMARISE), { summarise: () => "All \udc00 read." });
  assert.ok(JSON.stringify((await session.beforeRequest(chat(3))).body).includes("All \ufffd read."));
});

test("worker threads have sessions of their own", async () => {
  const code = `
    import { compile } from "trimtab";
    import { parentPort } from "node:worker_threads";
    const plan = compile("edition 2026\\npolicy p { rule r { do mask results keep 0 results } }");
    const session = plan.session({ dialect: "openai_chat" });
    const { body } = await session.beforeRequest(${JSON.stringify(chat(1))});
    parentPort.postMessage(body[2].content);
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code.replace('"trimtab"', `"${import.meta.resolve("trimtab")}"`))}`);
  const texts = await Promise.all([1, 2].map(() => new Promise((done, fail) => new Worker(url).on("message", done).on("error", fail))));
  assert.ok(texts.every((text) => text.startsWith("[tool result for read")));
});
