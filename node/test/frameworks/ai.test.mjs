// The middleware in the real AI SDK, with a scripted model.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import * as ai from "ai";
import * as mocks from "ai/test";
import { Session, Stopped, compile, compileFile } from "trimtab";
import { trimtabMiddleware } from "trimtab/ai";
import { z } from "zod";

import { contexts } from "../command.mjs";
import { folder } from "../folder.mjs";

// Version 7 takes models of both specifications.
const MODELS = [mocks.MockLanguageModelV3, mocks.MockLanguageModelV4].filter(Boolean);
const { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } = ai;

// Trims, masks and injects, and summarises.
const EVERYTHING = `edition 2026

policy everything {
  rule trim_long {
    when context.messages >= 5
    do trim results over 1000 chars to 300 chars keep 1 results
  }

  rule mask_old {
    when iteration >= 3
    do mask results keep 2 results
  }

  rule think {
    when iteration == 2 or iteration == 5
    do inject "Stop and think before the next call."
  }

  rule summarise_older {
    when context.messages >= 12
    do summarise older keep 4 messages
    on_failure keep
    cooldown 20 iterations
  }
}
`;
const MASKED = "[tool result for read";

function policy(rule) {
  return compile(`edition 2026\n\npolicy p {\n  rule r {\n    ${rule}\n  }\n}\n`);
}

const usage = (input, { cacheRead = 0 } = {}) => ({
  inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
});

const call = (page, id = `c${page}`) => ({ type: "tool-call", toolCallId: id, toolName: "read", input: `{"page":${page}}` });

function reply(...content) {
  const reason = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  return { content, finishReason: { unified: reason, raw: reason }, usage: usage(100), warnings: [] };
}

const text = (text) => ({ type: "text", text });
const thought = (text, signature) => ({ type: "reasoning", text, providerMetadata: { anthropic: { signature } } });

// Replies that read a page each, and a last one.
const turns = (count, first = 0) => [
  ...Array.from({ length: count }, (_, at) => reply(text(`I read page ${first + at}. `), call(first + at))),
  reply(text("All read.")),
];

// Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one.
class Scripted {
  seen = [];
  summaries = [];

  constructor(replies, Model = MODELS.at(-1), options = {}) {
    this.replies = [...replies];
    this.model = new Model({
      modelId: "scripted",
      doGenerate: async (params) => this.next(params),
      doStream: async (params) => ({ stream: streamed(this.next(params)) }),
      ...options,
    });
  }

  next(params) {
    if (params.prompt[0].role === "system" && params.prompt[0].content.includes("Reply with the summary only")) {
      this.summaries.push(params);
      return reply(text(`Summary ${this.summaries.length}.`));
    }
    this.seen.push(params);
    const next = this.replies.shift();
    if (next instanceof Error) {
      throw next;
    }
    return next;
  }
}

function streamed({ content, finishReason, usage }) {
  const parts = content.flatMap((part, at) => {
    const [id, { type, providerMetadata }] = [`${at}`, part];
    if (type !== "text" && type !== "reasoning") {
      return [part];
    }
    const deltas = [part.text.slice(0, 3), part.text.slice(3)].map((delta) => ({ type: `${type}-delta`, id, delta }));
    return [{ type: `${type}-start`, id }, ...deltas, { type: `${type}-end`, id, providerMetadata }];
  });
  const start = [{ type: "stream-start", warnings: [] }, { type: "response-metadata", modelId: "scripted" }];
  return ReadableStream.from([...start, ...parts, { type: "finish", finishReason, usage }]);
}

const tools = {
  read: tool({
    description: "Reads a page.",
    inputSchema: jsonSchema({ type: "object", properties: { page: { type: "number" } } }),
    execute: ({ page }) => {
      if (page === 404) {
        throw new Error("there is no such page");
      }
      return page % 2 === 0 ? `line of page ${page}, `.repeat(80) : { page, lines: Array(20).fill(`line of page ${page}`) };
    },
  }),
};

const wrapped = (script, middleware) => wrapLanguageModel({ model: script.model, middleware });
const prompt = "Read all pages.";

async function generated(script, middleware, options = {}) {
  const given = options.messages ? {} : { prompt };
  const result = await generateText({ model: wrapped(script, middleware), tools, stopWhen: stepCountIs(30), ...given, ...options });
  return { text: result.text, steps: result.steps, messages: result.responseMessages ?? result.response.messages };
}

async function streamedText(script, middleware, options = {}) {
  const given = options.messages ? {} : { prompt };
  const result = streamText({ model: wrapped(script, middleware), tools, stopWhen: stepCountIs(30), ...given, ...options });
  // In version 7, a response has the messages of its step alone.
  return { text: await result.text, steps: await result.steps, messages: (await result.responseMessages) ?? (await result.response).messages };
}

const callText = (name, value) => `${name} ${JSON.stringify(value)}`;

function resultText({ type, value }) {
  if (type === "content") {
    return value.map((item) => item.text ?? "").join("\n");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

// A role and a text for each part of a prompt.
function lines({ prompt }) {
  return prompt.flatMap(({ role, content }) => {
    if (typeof content === "string") {
      return [[role, content]];
    }
    return content.map((part) => {
      switch (part.type) {
        case "tool-call":
          return [role, callText(part.toolName, part.input)];
        case "tool-result":
          return [role, resultText(part.output)];
        default:
          return [role, part.text ?? ""];
      }
    });
  });
}

// The same of what the only recording in a folder says that each model call got.
function simulated(file, recordings) {
  const [recording, ...others] = fs.readdirSync(recordings);
  assert.deepEqual(others, []);
  const line = (role) => (part) => {
    switch (part.type) {
      case "tool_call":
        return [role, callText(part.name, part.arguments)];
      case "tool_result":
        return [role, typeof part.content === "string" ? part.content : part.content.map((one) => one.text ?? "").join("\n")];
      default:
        return [role, part.text ?? ""];
    }
  };
  return contexts(file, path.join(recordings, recording)).map((messages) => messages.flatMap(({ role, content }) => content.map(line(role))));
}

function files(context) {
  const made = folder(context, { "everything.trim": EVERYTHING });
  return [path.join(made, "everything.trim"), path.join(made, "recordings")];
}

const kinds = new Set();
const noticed = (params) => params.prompt.forEach(({ content }) => JSON.stringify(content).match(/shortened|\[tool result|Summary|Stop and/g)?.forEach((kind) => kinds.add(kind)));

for (const Model of MODELS) {
  for (const [kind, run] of Object.entries({ generateText: generated, streamText: streamedText })) {
    test(`${kind} sends to ${Model.name} what a simulation of the recording shows`, async (context) => {
      const [file, record] = files(context);
      const replies = [
        reply(thought("First page 0.", "s0"), text("I read. "), call(0), call(1), call(404)),
        reply(call(2, "again"), call(3)),
        reply(thought("And now?", "s1"), text(""), call(4)),
        ...turns(6, 5),
      ];
      const script = new Scripted(replies, Model);
      const errors = [];
      const middleware = trimtabMiddleware(file, { record, summarise: "model", onError: (error) => errors.push(error) });
      const system = "You read reports.";
      const content = [
        { type: "text", text: prompt },
        { type: "file", data: new Uint8Array(400), mediaType: "image/png" },
        { type: "file", data: new Uint8Array(400), mediaType: "application/pdf", filename: "a.pdf" },
      ];
      const first = [{ role: "user", content }];
      const result = await run(script, middleware, { system, messages: first });
      assert.equal(result.text, "All read.");
      // Another run of the same conversation.
      script.replies.push(...turns(3, 20));
      await run(script, middleware, { system, messages: [...first, ...result.messages, { role: "user", content: "Again." }] });
      assert.deepEqual(errors, []);
      // One in each run.
      assert.equal(script.summaries.length, 2);
      assert.deepEqual(script.seen.map(lines), simulated(file, record));
      script.seen.forEach(noticed);
    });
  }
}

test("the law has met each kind of edit", () => {
  assert.deepEqual([...kinds].sort(), ["Stop and", "Summary", "[tool result"].sort());
});

test("parts without an edit are the same objects, and an edited one keeps what else it has", async () => {
  const options = (name) => ({ anthropic: { cacheControl: { type: name } } });
  const middleware = trimtabMiddleware(policy("do mask results keep 1 results"));
  const long = "a line, ".repeat(90);
  const given = [
    { role: "system", content: "You read.", providerOptions: options("system") },
    { role: "user", content: [{ type: "text", text: "Read.", providerOptions: options("text") }], providerOptions: options("user") },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } },
        { type: "tool-call", toolCallId: "a", toolName: "read", input: { page: 1 }, providerOptions: options("call") },
        { type: "tool-call", toolCallId: "b", toolName: "read", input: { page: 2 } },
      ],
    },
    {
      role: "tool",
      providerOptions: options("tool"),
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "read",
          output: { type: "text", value: long, providerOptions: options("output") },
          providerOptions: options("result"),
        },
        { type: "tool-result", toolCallId: "b", toolName: "read", output: { type: "json", value: { long } } },
      ],
    },
  ];
  const copy = structuredClone(given);
  const { prompt } = await middleware.transformParams({ params: { prompt: given }, model: { modelId: "m" } });
  assert.deepEqual(given, copy);
  for (const at of [0, 1, 2]) {
    assert.equal(prompt[at], given[at]);
  }
  const [masked, kept] = prompt[3].content;
  assert.equal(kept, given[3].content[1]);
  assert.ok(masked.output.value.startsWith(MASKED));
  assert.deepEqual({ ...masked, output: { ...masked.output, value: long } }, given[3].content[0]);
  assert.deepEqual(prompt[3].providerOptions, options("tool"));
  const same = await middleware.transformParams({ params: { prompt: given.slice(0, 2), maxOutputTokens: 9 } });
  assert.equal(same.prompt.length, 2);
  assert.equal(same.maxOutputTokens, 9);
});

test("each form of a result is masked", async () => {
  const long = "a line, ".repeat(90);
  const outputs = {
    text: { type: "text", value: long },
    json: { type: "json", value: { long } },
    "error-text": { type: "error-text", value: long },
    "error-json": { type: "error-json", value: { long } },
    content: { type: "content", value: [{ type: "text", text: long }] },
    "execution-denied": { type: "execution-denied", reason: long },
  };
  for (const [type, output] of Object.entries(outputs)) {
    const middleware = trimtabMiddleware(policy("do mask results keep 0 results including errors"));
    const given = [
      { role: "user", content: [text("Read.")] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "read", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "read", output }] },
    ];
    const { prompt } = await middleware.transformParams({ params: { prompt: given } });
    const masked = prompt[2].content[0].output;
    assert.match(resultText(masked), /^\[tool result for read/, type);
    assert.equal(masked.type, { json: "text", "error-json": "error-text", "execution-denied": "text" }[type] ?? type);
    assert.deepEqual(Object.keys(masked), ["type", "value"]);
  }
});

test("a summary is written by the model that is wrapped, and is no part of the stream", async () => {
  const script = new Scripted(turns(6));
  const { text } = await streamedText(script, trimtabMiddleware(policy("when context.messages >= 8\n do summarise older keep 2 messages\n on_failure keep"), { summarise: "model" }), {
    headers: { "x-trace": "1" },
  });
  assert.equal(text, "All read.");
  assert.ok(script.summaries.length >= 1);
  assert.equal(script.summaries[0].tools, undefined);
  assert.match(JSON.stringify(script.seen.at(-1).prompt), /Summary \d/);
});

test("a stop is a reply that says why", async () => {
  const stop = () => trimtabMiddleware(policy('when iteration >= 2\n do stop "enough"'));
  for (const run of [generated, streamedText]) {
    const script = new Scripted(turns(5));
    const { text, steps } = await run(script, stop());
    assert.equal(text, "r stops the run: enough");
    assert.deepEqual([script.seen.length, steps.length], [2, 3]);
    assert.equal(steps.at(-1).finishReason, "stop");
  }
  const script = new Scripted(turns(5));
  const output = ai.Output.object({ schema: z.object({ pages: z.number() }) });
  await assert.rejects(generated(script, stop(), { output }), (error) => error instanceof Stopped && error.reason === "enough");
});

test("a failure of the policy does not end a run", async (context) => {
  for (const name of ["beforeRequest", "afterReply"]) {
    for (const run of [generated, streamedText]) {
      const failing = context.mock.method(Session.prototype, name, async () => { throw new Error("broken"); });
      const errors = [];
      const script = new Scripted(turns(3));
      const rule = policy("when iteration >= 1\n do mask results keep 0 results");
      const { text } = await run(script, trimtabMiddleware(rule, { onError: (error) => errors.push(error) }));
      failing.mock.restore();
      assert.equal(text, "All read.");
      assert.equal(errors.length, 4);
      assert.equal(errors[0].message, "the policy p has failed: broken");
      assert.equal(errors[0].cause.message, "broken");
      assert.equal(script.seen.length, 4);
    }
  }
});

test("a prompt that cannot be written is sent as it is", async () => {
  const errors = [];
  const middleware = trimtabMiddleware(policy("do mask results keep 0 results"), { onError: (error) => errors.push(error) });
  const cyclic = {};
  cyclic.self = cyclic;
  const odd = [undefined, [null], [{ role: "user" }], [{ role: "user", content: [{}] }], [{ role: "assistant", content: [{ type: "tool-call", input: cyclic }] }]];
  for (const prompt of [...odd, [{ role: "assistant", content: [{ type: "tool-call", input: { n: 1n } }] }]]) {
    const params = { prompt };
    const sent = await middleware.transformParams({ params });
    assert.equal(sent.prompt, prompt);
    const reply = {};
    assert.equal(await middleware.wrapGenerate({ doGenerate: async () => reply, params: sent }), reply);
  }
  assert.equal(errors.length, odd.length + 1);
});

test("failures are warnings of the process", async () => {
  const warned = new Promise((done) => process.once("warning", done));
  await trimtabMiddleware(policy("do mask results")).transformParams({ params: { prompt: [null] } });
  const { name, message } = await warned;
  assert.equal(name, "TrimtabWarning");
  assert.match(message, /^the policy p has failed: /);
});

test("wrong options are an error at once", () => {
  assert.throws(() => trimtabMiddleware(policy("do mask results"), { window: -1 }), RangeError);
  assert.throws(() => trimtabMiddleware("no_such_file.trim"), /no_such_file|No such file/);
});

test("a retry sends the same", async (context) => {
  const [file, record] = files(context);
  const unavailable = new ai.APICallError({ message: "busy", url: "u", requestBodyValues: {}, statusCode: 503, isRetryable: true });
  const replies = turns(5);
  replies.splice(4, 0, unavailable);
  const script = new Scripted(replies);
  await generated(script, trimtabMiddleware(file, { record }));
  assert.deepEqual(script.seen[5].prompt, script.seen[4].prompt);
  const sent = script.seen.map(lines);
  sent.splice(4, 1);
  assert.deepEqual(sent, simulated(file, record));
});

test("a stream that breaks off is no reply", async (context) => {
  const [file, record] = files(context);
  const middleware = trimtabMiddleware(file, { record });
  const broken = [{ type: "text-start", id: "a" }, { type: "text-delta", id: "a", delta: "Half" }];
  const error = { type: "error", error: new Error("broken") };
  const failed = [...broken, error, { type: "finish", finishReason: { unified: "error", raw: "error" }, usage: usage(9) }];
  for (const parts of [broken, failed]) {
    const params = await middleware.transformParams({ params: { prompt: [{ role: "user", content: [text(prompt)] }] } });
    const { stream } = await middleware.wrapStream({ doStream: async () => ({ stream: ReadableStream.from(parts) }), params });
    assert.deepEqual(await Array.fromAsync?.(stream) ?? parts, parts);
    const [recording] = fs.readdirSync(record);
    assert.ok(!fs.readFileSync(path.join(record, recording), "utf8").includes("Half"));
  }
});

test("hidden tools are not offered", async () => {
  const script = new Scripted(turns(2));
  await generated(script, trimtabMiddleware(policy("when iteration >= 1\n do tools hide [read]")), {
    tools: { ...tools, write: tool({ inputSchema: jsonSchema({ type: "object" }) }) },
  });
  assert.deepEqual(script.seen.map(({ tools }) => tools.map(({ name }) => name)), [["read", "write"], ["write"], ["write"]]);
  const only = new Scripted(turns(2));
  await generated(only, trimtabMiddleware(policy("when iteration >= 1\n do tools hide [read]")));
  assert.deepEqual(only.seen.map(({ tools, toolChoice }) => [tools?.length, toolChoice?.type]), [[1, "auto"], [undefined, undefined], [undefined, undefined]]);
});

test("additions are behind the system prompt", async () => {
  for (const system of ["You read reports.", undefined]) {
    const script = new Scripted(turns(1));
    await generated(script, trimtabMiddleware(policy('do set mode "review"')), { system });
    for (const { prompt } of script.seen) {
      const added = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
      assert.match(added.pop(), /mode[^]*review/);
      assert.deepEqual(added, system === undefined ? [] : [system]);
      assert.notEqual(prompt.at(-1).role, "system");
    }
  }
});

test("messages are added, and those of the system only where the program itself has some", async () => {
  const middleware = trimtabMiddleware(policy('when iteration == 1\n do inject "Be brief." as system'));
  const script = new Scripted(turns(1));
  await generated(script, middleware, { system: "You read." });
  assert.deepEqual(lines(script.seen[1]).at(-1), ["user", "Be brief."]);
  const given = [
    { role: "user", content: [text("Hi.")] },
    { role: "system", content: "A note." },
    { role: "assistant", content: [text("Hi.")] },
    { role: "user", content: [text("And?")] },
  ];
  const sent = [];
  for (const end of [2, 4]) {
    const params = await middleware.transformParams({ params: { prompt: given.slice(0, end) } });
    sent.push(params.prompt.map(({ role }) => role));
    await middleware.wrapGenerate({ params, doGenerate: async () => reply(text("Hi.")) });
  }
  assert.deepEqual(sent[0], ["user", "system"]);
  assert.ok(sent[1].length >= 4);
});

test("offloaded results are recalled in conversations that have a name", async () => {
  const middleware = trimtabMiddleware(policy("when iteration >= 1\n do offload results over 100 chars keep 0 results"));
  const named = (conversation) => ({ providerOptions: { trimtab: { conversation } } });
  const script = new Scripted([...turns(1), ...turns(1, 2)]);
  await generated(script, middleware, named("one"));
  await generated(script, middleware, named("two"));
  const id = /recall\(\\?"(.*?)\\?"\)/.exec(JSON.stringify(script.seen[1].prompt))[1];
  assert.equal(middleware.recall(id, "one"), tools.read.execute({ page: 0 }));
  assert.equal(middleware.recall(id, "two"), tools.read.execute({ page: 2 }));
  assert.match(middleware.recall(id, "three"), new RegExp(id));
  const errors = [];
  const strict = trimtabMiddleware(policy("do offload results over 100 chars keep 0 results"), { onError: (error) => errors.push(error) });
  await generated(new Scripted(turns(1)), strict);
  assert.match(errors[0].message, /must name the conversation/);
});

test("conversations are apart, and the oldest are forgotten", async (context) => {
  const [, record] = files(context);
  const middleware = trimtabMiddleware(policy("when iteration >= 2\n do mask results keep 0 results"), { record, conversations: 2 });
  const script = new Scripted([...turns(1), ...turns(1), ...turns(1), ...turns(1)]);
  for (const prompt of ["one", "two", "three", "one"]) {
    await generated(script, middleware, { prompt });
  }
  assert.equal(fs.readdirSync(record).length, 4);
  assert.ok(!JSON.stringify(script.seen).includes(MASKED));
  if (process.platform !== "win32") {
    const modes = fs.readdirSync(record).map((name) => fs.statSync(path.join(record, name)).mode & 0o777);
    assert.deepEqual([...new Set(modes), fs.statSync(record).mode & 0o777], [0o600, 0o700]);
  }
});

test("what cannot be recorded now is recorded later", async (context) => {
  const [file, record] = files(context);
  const errors = [];
  const middleware = trimtabMiddleware(file, { record, onError: (error) => errors.push(error) });
  fs.writeFileSync(record, "a file in place of the folder");
  const script = new Scripted(turns(3));
  const next = script.next.bind(script);
  script.next = (params) => {
    if (script.seen.length === 2) {
      fs.rmSync(record);
    }
    return next(params);
  };
  await generated(script, middleware);
  assert.equal(errors.length, 5);
  assert.deepEqual(script.seen.map(lines), simulated(file, record));
});

test("sizes are those of the provider, and the window is that of the model", async () => {
  const replies = turns(2).map((one) => ({ ...one, usage: usage(9_000, { cacheRead: 4_000 }) }));
  const masks = (script) => script.seen.map((params) => JSON.stringify(params.prompt).includes(MASKED));
  const script = new Scripted(replies);
  await generated(script, trimtabMiddleware(policy("when context.tokens >= 9k tokens\n do mask results keep 0 results")));
  assert.deepEqual(masks(script), [false, true, true]);
  const rule = policy("when (window ?? 0 tokens) == 200k tokens\n do mask results keep 0 results");
  for (const [modelId, window, expected] of [["claude-sonnet-4-5", undefined, true], ["claude-sonnet-4-5", 9_000, false], ["unknown", undefined, false]]) {
    const known = new Scripted(turns(1), MODELS.at(-1), { modelId });
    await generated(known, trimtabMiddleware(rule, { window }));
    assert.deepEqual(masks(known), [false, expected], modelId);
  }
});

test("an agent of the framework uses it", async () => {
  const script = new Scripted(turns(3));
  const Agent = ai.ToolLoopAgent;
  const agent = new Agent({ model: wrapped(script, trimtabMiddleware(policy("when iteration >= 2\n do mask results keep 0 results"))), tools });
  const { text } = await agent.generate({ prompt });
  assert.equal(text, "All read.");
  assert.equal(JSON.stringify(script.seen.at(-1).prompt).includes(MASKED), true);
});
