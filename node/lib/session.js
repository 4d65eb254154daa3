// Live sessions.
"use strict";

const { AsyncLocalStorage } = require("node:async_hooks");
const addon = require("./addon.js");
const { RequestError, Stopped, checked } = require("./error.js");
const { Texts, jsonOf, wellFormed } = require("./texts.js");

// The sessions that wait for what the current task does.
const waiting = new AsyncLocalStorage();

class Request {
  #step;

  constructor(body, step) {
    this.body = body;
    this.#step = step;
  }

  get edits() {
    return this.#step.edits;
  }

  get firings() {
    return this.#step.firings;
  }

  get failedSummaries() {
    return this.#step.failedSummaries;
  }

  get hiddenTools() {
    return this.#step.hiddenTools;
  }

  get promptAdditions() {
    return this.#step.promptAdditions;
  }

  get tokens() {
    return this.#step.tokens;
  }

  static stepOf(request) {
    return request?.#step;
  }
}

class Session {
  #raw;
  #usageKey;
  #summarise;
  #confirm;
  #texts = new Texts();
  // Ends when the newest call has its result: a question and its answer belong together.
  #turn = Promise.resolve();

  constructor(raw, { dialect, facts = {}, summarise, confirm }) {
    this.#raw = raw;
    this.#usageKey = dialect === "gemini_contents" ? "usageMetadata" : "usage";
    this.#summarise = summarise;
    this.#confirm = confirm;
    for (const [name, value] of Object.entries(facts)) {
      this.setFact(name, value);
    }
  }

  setFact(name, value) {
    checked(() => this.#raw.setFact(name, typeof value === "string" ? value.toWellFormed() : value));
  }

  // What is given is read at once, so that the caller may change it afterwards.
  async beforeRequest(body, { now } = {}) {
    const [given, time] = [this.#given(body), timeOf(now)];
    return this.#inTurn(async () => requestOf(body, given, await this.#settle(() => this.#raw.beforeRequest(given, time))));
  }

  async afterReply(reply, { usage, request, now } = {}) {
    const json = textOf(reply);
    const text = usage === undefined ? json : textOf({ ...JSON.parse(json), [this.#usageKey]: usage });
    const [time, step] = [timeOf(now), Request.stepOf(request)];
    await this.#inTurn(() => this.#settle(() => this.#raw.afterReply(text, time, step)));
  }

  async rejected(request) {
    const text = textOf(request.body);
    return this.#inTurn(async () => {
      const step = await this.#settle(() => this.#raw.rejected(Request.stepOf(request)));
      const shortened = step.kind === "ready" ? request : requestOf(request.body, text, step);
      return shortened.body === request.body ? undefined : shortened;
    });
  }

  async add(messages, { now } = {}) {
    const [text, time] = [textOf(messages), timeOf(now)];
    await this.#inTurn(() => this.#settle(() => this.#raw.add(text, time)));
  }

  async endIteration() {
    await this.#inTurn(() => this.#settle(() => this.#raw.endIteration()));
  }

  recall(id) {
    return checked(() => this.#raw.recall(id));
  }

  takeFirings() {
    return checked(() => this.#raw.takeFirings());
  }

  takeRecording() {
    return checked(() => this.#raw.takeRecording()) ?? undefined;
  }

  save() {
    return checked(() => this.#raw.save()) ?? undefined;
  }

  // The JSON of a request, as text or in UTF-8.
  #given(body) {
    if (typeof body !== "object" || body === null) {
      return textOf(body);
    }
    return body instanceof Uint8Array ? Buffer.from(body) : this.#texts.write(body);
  }

  #inTurn(work) {
    const outer = waiting.getStore() ?? [];
    if (outer.includes(this)) {
      throw new RequestError("the summariser uses the session that waits for it");
    }
    const result = this.#turn.then(() => waiting.run([...outer, this], work));
    this.#turn = result.catch(() => {});
    return result;
  }

  // Answers the questions of the session until it needs nothing but a model call.
  async #settle(begin) {
    let step = checked(begin);
    for (;;) {
      const asked = step;
      if (asked.kind === "summarise") {
        const answer = await this.#summary(asked);
        step = checked(answer);
      } else if (asked.kind === "confirm") {
        const { rule, text } = asked.reason;
        const isConfirmed = (await this.#confirm?.(rule, text)) === true;
        step = checked(() => this.#raw.answer(asked, isConfirmed));
      } else if (asked.kind === "ask") {
        // `on_failure ask` without a person: the failure stands.
        step = checked(() => this.#raw.answer(asked, false));
      } else {
        return step;
      }
    }
  }

  // Gives the session the summary, or says why there is none.
  async #summary(asked) {
    const fail = (reason) => () => this.#raw.fail(asked, reason.toWellFormed());
    if (this.#summarise === undefined) {
      return fail("the session has no summariser");
    }
    try {
      const summary = await this.#summarise(asked.summary);
      return typeof summary === "string" ? () => this.#raw.answer(asked, summary.toWellFormed()) : fail("the summary is no text");
    } catch (error) {
      return fail(String(error?.message || error?.name || error));
    }
  }
}

function requestOf(body, given, step) {
  if (step.kind === "stop") {
    throw new Stopped(step.reason.rule, step.reason.text);
  }
  if (step.kind !== "send") {
    throw new RequestError("the session has no request");
  }
  if (step.isUnedited ?? step.json === (typeof given === "string" ? given : given.toString())) {
    return new Request(body, step);
  }
  if (body instanceof Uint8Array) {
    return new Request(step.bytes, step);
  }
  return new Request(typeof body === "string" ? step.json : JSON.parse(step.json), step);
}

// A body as JSON text.
function textOf(body) {
  const json = body instanceof Uint8Array ? Buffer.from(body).toString() : body;
  const text = typeof json === "string" ? wellFormed(json) : jsonOf(json);
  if (text === undefined) {
    throw new RequestError("the body is no JSON");
  }
  return text;
}

function timeOf(now = new Date()) {
  return typeof now === "string" ? now : now.toISOString();
}

module.exports = { Request, Session };
