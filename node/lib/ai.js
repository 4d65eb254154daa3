// Context policies in the AI SDK: middleware of a language model.
"use strict";

const { AsyncLocalStorage } = require("node:async_hooks");
const { createHash } = require("node:crypto");
const { Conversations } = require("./conversation.js");
const { Stopped } = require("./error.js");
const { bodyOf, edited, messageOf, replyOf } = require("./prompt.js");

const NO_USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
// The model and the parameters of the call whose request is prepared or whose reply is read, for summaries.
const asking = new AsyncLocalStorage();

function trimtabMiddleware(policy, { summarise, ...options } = {}) {
  const summariser = summarise === "model" ? summariseByModel : summarise;
  const conversations = new Conversations(policy, "anthropic_messages", { ...options, summarise: summariser });
  // What is known of a call, by the parameters that `transformParams` returns.
  const calls = new WeakMap();

  async function transformParams({ params, model }) {
    const call = {};
    let sent;
    try {
      sent = await asking.run({ model, params }, () => prepared(call, params, model));
    } catch (error) {
      if (error instanceof Stopped) {
        call.stopped = error;
      } else {
        conversations.report(error);
      }
    }
    sent ??= { ...params };
    calls.set(sent, call);
    return sent;
  }

  async function prepared(call, params, model) {
    const name = params.providerOptions?.trimtab?.conversation;
    if (conversations.policy.offloads && name === undefined) {
      // Otherwise, `recall` could return what belongs to another conversation that begins in the same way.
      throw new Error("it offloads results, so providerOptions.trimtab.conversation must name the conversation");
    }
    call.conversation = conversations.of(keyOf(params.prompt, name), { model: model?.modelId });
    const body = bodyOf(params);
    call.request = await call.conversation.before(body);
    return call.request.body === body ? undefined : edited(params, call.request);
  }

  async function answered({ conversation, request }, reply, params, model) {
    if (request === undefined) {
      return;
    }
    try {
      await asking.run({ model, params }, async () => conversation.after(request, replyOf(reply)));
    } catch (error) {
      conversations.report(error);
    }
  }

  async function wrapGenerate({ doGenerate, params, model }) {
    const call = calls.get(params) ?? {};
    if (call.stopped) {
      return stopResult(call.stopped, params);
    }
    const reply = await doGenerate();
    await answered(call, reply, params, model);
    return reply;
  }

  async function wrapStream({ doStream, params, model }) {
    const call = calls.get(params) ?? {};
    if (call.stopped) {
      return { stream: stopStream(stopResult(call.stopped, params)) };
    }
    const { stream, ...rest } = await doStream();
    const reply = { content: [] };
    const open = new Map();
    const observer = new TransformStream({
      transform(part, controller) {
        collect(part, reply, open);
        controller.enqueue(part);
      },
      // One that has no end, or ends with an error, is no reply; the next request shows what is left of it.
      flush: () => (reply.isComplete ? answered(call, reply, params, model) : undefined),
    });
    return { ...rest, stream: stream.pipeThrough(observer) };
  }

  const recall = (id, conversation) => conversations.recall(keyOf([], conversation), id);
  return { specificationVersion: "v3", transformParams, wrapGenerate, wrapStream, recall };
}

// The name of a conversation, else a digest of the messages of the user that it begins with.
function keyOf(prompt, name) {
  const end = prompt.findIndex(({ role }) => role === "assistant");
  const start = prompt.slice(0, end === -1 ? prompt.length : end).filter(({ role }) => role !== "system");
  const digest = () => createHash("sha256").update(JSON.stringify(start.map(messageOf))).digest("hex");
  return name === undefined ? `digest-${digest()}` : `name-${name}`;
}

async function summariseByModel({ system, prompt }) {
  const { model, params } = asking.getStore();
  const messages = [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: prompt }] },
  ];
  const { content } = await model.doGenerate({ prompt: messages, abortSignal: params.abortSignal, headers: params.headers });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

// Adds a part of a stream to a reply.
function collect(part, reply, open) {
  const [, kind, moment] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? [];
  if (moment === "start") {
    open.set(part.id, { type: kind, text: "" });
    reply.content.push(open.get(part.id));
  }
  const block = open.get(kind && part.id);
  if (block !== undefined) {
    block.text += part.delta ?? "";
    block.providerMetadata = part.providerMetadata ?? block.providerMetadata;
  } else if (part.type === "response-metadata") {
    reply.response = part;
  } else if (part.type === "finish") {
    Object.assign(reply, { usage: part.usage, isComplete: part.finishReason?.unified !== "error" });
  } else if (["tool-call", "tool-result", "file", "reasoning-file", "custom"].includes(part.type)) {
    reply.content.push(part);
  }
}

// A reply that says why a rule has stopped the run. One that must be JSON cannot.
function stopResult(stopped, { responseFormat }) {
  if (responseFormat?.type === "json") {
    throw stopped;
  }
  const content = [{ type: "text", text: stopped.message }];
  return { content, finishReason: { unified: "stop", raw: "trimtab" }, usage: NO_USAGE, warnings: [] };
}

function stopStream({ content, warnings, ...finish }) {
  const [id, delta] = ["trimtab", content[0].text];
  const text = [{ type: "text-start", id }, { type: "text-delta", id, delta }, { type: "text-end", id }];
  const parts = [{ type: "stream-start", warnings }, ...text, { type: "finish", ...finish }];
  return new ReadableStream({
    start(controller) {
      parts.forEach((part) => controller.enqueue(part));
      controller.close();
    },
  });
}

module.exports = { trimtabMiddleware };
