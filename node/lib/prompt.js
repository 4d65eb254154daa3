// Prompts of the AI SDK: written as messages of Anthropic, and the edits of these applied to the prompt's own parts.
"use strict";

// The key that tells which part of a message a block is made of. A session keeps keys that it does not know.
const PART = "trimtab_part";
// The keys of what belongs to reasoning and only its provider reads.
const SIGNATURES = ["signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"];

// The parameters of a call as the body of a request.
function bodyOf({ prompt, tools }) {
  const system = systemOf(prompt).map(({ content }, at) => ({ type: "text", text: content, [PART]: at }));
  return {
    system: system.length === 0 ? undefined : system,
    messages: prompt.slice(system.length).map(messageOf),
    tools: tools?.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
  };
}

// The messages of the system prompt.
function systemOf(prompt) {
  const end = prompt.findIndex(({ role }) => role !== "system");
  return prompt.slice(0, end === -1 ? prompt.length : end);
}

function messageOf({ role, content }) {
  if (role === "system") {
    return { role, content };
  }
  const blocks = content.map((part, at) => ({ ...blockOf(part, role), [PART]: at }));
  return { role: role === "tool" ? "user" : role, content: blocks };
}

function blockOf(part, role) {
  if (part.type === "text") {
    return { type: "text", text: part.text };
  }
  if (part.type === "reasoning") {
    const values = Object.values(part.providerOptions ?? {}).flatMap((options) => SIGNATURES.map((key) => options?.[key]));
    return { type: "thinking", thinking: part.text, signature: values.find((value) => typeof value === "string") ?? "" };
  }
  if (part.type === "tool-call" && !part.providerExecuted) {
    return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
  }
  if (part.type === "tool-result" && role === "tool") {
    return { type: "tool_result", tool_use_id: part.toolCallId, ...outcomeOf(part.output) };
  }
  const bytes = part.data?.data ?? part.data?.url ?? part.data ?? part.url;
  const data = bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : bytes;
  if (part.mediaType?.startsWith("image") || part.type.startsWith("image")) {
    const isUrl = /^[a-z][a-z+.-]*:/i.test(data);
    return { type: "image", source: isUrl ? { type: "url", url: data } : { type: "base64", media_type: part.mediaType, data } };
  }
  // What no rule changes, such as documents and what the provider itself has executed.
  const { providerOptions, ...content } = part;
  return { type: part.type, content: { ...content, data } };
}

function outcomeOf({ type, value, reason = "Tool execution denied." }) {
  if (type === "content") {
    return { content: value.map((item, at) => ({ ...blockOf(item), [PART]: at })) };
  }
  const content = type === "execution-denied" ? reason : typeof value === "string" ? value : JSON.stringify(value);
  return { content, is_error: type.startsWith("error") };
}

// The parameters after the edits of a request. Parts without an edit are the same objects.
function edited(params, { body, edits, hiddenTools }) {
  const system = systemOf(params.prompt);
  const list = params.prompt.slice(system.length);
  const blocks = typeof body.system === "string" ? [{ text: body.system }] : (body.system ?? []);
  const prompt = blocks.map(({ [PART]: at, text }) => system[at] ?? { role: "system", content: text });
  let origin;
  for (const { kind, index, json } of edits) {
    origin = index === undefined ? origin : list[index];
    if (kind !== "remove") {
      prompt.push(json === undefined ? origin : rewritten(origin, JSON.parse(json)));
    }
  }
  return { ...params, prompt, ...offered(params, hiddenTools) };
}

// The tools that are offered: also one that must be called.
function offered({ tools, toolChoice }, hidden) {
  if (hidden.length === 0) {
    return {};
  }
  const kept = tools?.filter(({ name }) => !hidden.includes(name) || toolChoice?.toolName === name);
  return kept?.length ? { tools: kept } : { tools: undefined, toolChoice: undefined };
}

// A message that a rule has changed or added. One that was added inside of another is followed by the rest of the other one.
function rewritten(origin, { role, content }) {
  const isRest = Array.isArray(content) && content.some((block) => PART in block);
  const own = isRest || origin?.role === role ? origin : { role };
  if (role === "system") {
    return { ...own, content };
  }
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { ...own, content: blocks.map((block) => partOf(block, own.content, (part) => blockOf(part, own.role))) };
}

// The part that a block stands for. One in place of an image has no number.
function partOf({ [PART]: at, ...block }, parts, form) {
  const part = parts?.[at];
  if (part === undefined) {
    return { type: "text", text: block.text };
  }
  if (JSON.stringify(block) === JSON.stringify(form(part))) {
    return part;
  }
  switch (block.type) {
    case "tool_use":
      return { ...part, input: block.input };
    case "tool_result":
      return { ...part, output: outputOf(part.output, block.content) };
    default:
      return { ...part, text: block.text };
  }
}

function outputOf({ reason, ...old }, content) {
  if (typeof content === "string") {
    return { ...old, type: old.type.startsWith("error") ? "error-text" : "text", value: content };
  }
  return { ...old, value: content.map((block) => partOf(block, old.value, blockOf)) };
}

function replyOf({ content, usage, response }) {
  const { total, cacheRead = 0, cacheWrite = 0, noCache = total - cacheRead - cacheWrite } = usage?.inputTokens ?? {};
  const counts = {
    input_tokens: noCache,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: usage?.outputTokens?.total ?? 0,
  };
  const parts = content.flatMap(partsOfReply).map((part) => blockOf(part, "assistant"));
  return { role: "assistant", content: parts, model: response?.modelId, usage: total === undefined ? undefined : counts };
}

// A part of a reply as the next prompt has it.
function partsOfReply({ providerMetadata, ...part }) {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [part];
    case "tool-call":
      return [{ ...part, input: parsed(part.input) }];
    case "tool-result": {
      const { result, toolCallId, toolName } = part;
      const output = { type: typeof result === "string" ? "text" : "json", value: result };
      return [{ type: part.type, toolCallId, toolName, output }];
    }
    case "source":
    case "tool-approval-request":
      return [];
    default:
      return [{ ...part, providerOptions: providerMetadata }];
  }
}

function parsed(input) {
  try {
    return typeof input === "string" ? JSON.parse(input) : input;
  } catch {
    return input;
  }
}

module.exports = { bodyOf, edited, messageOf, replyOf };
