// Live sessions.
"use strict";

const { AsyncLocalStorage } = require("node:async_hooks");
const addon = require("./addon.js");
const { RequestError, Stopped, checked } = require("./error.js");

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
    checked(() => this.#raw.setFact(name, typeof value === "string" ? wellFormed(value) : value));
  }

  // What is given is read at once, so that the caller may change it afterwards.
  async beforeRequest(body, { now } = {}) {
    const [text, time] = [jsonOf(body), timeOf(now)];
    return this.#inTurn(async () => requestOf(body, text, await this.#settle(() => this.#raw.beforeRequest(text, time))));
  }

  async afterReply(reply, { usage, request, now } = {}) {
    const message = typeof reply === "string" && usage !== undefined ? JSON.parse(reply) : reply;
    const text = jsonOf(usage === undefined ? message : { ...message, [this.#usageKey]: usage });
    const [time, step] = [timeOf(now), Request.stepOf(request)];
    await this.#inTurn(() => this.#settle(() => this.#raw.afterReply(text, time, step)));
  }

  async rejected(request) {
    const text = jsonOf(request.body);
    return this.#inTurn(async () => {
      const step = await this.#settle(() => this.#raw.rejected(Request.stepOf(request)));
      const shortened = step.kind === "ready" ? request : requestOf(request.body, text, step);
      return shortened.body === request.body ? undefined : shortened;
    });
  }

  async add(messages, { now } = {}) {
    const [text, time] = [jsonOf(messages), timeOf(now)];
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
    const fail = (reason) => () => this.#raw.fail(asked, wellFormed(reason));
    if (this.#summarise === undefined) {
      return fail("the session has no summariser");
    }
    try {
      const summary = await this.#summarise(asked.summary);
      return typeof summary === "string" ? () => this.#raw.answer(asked, wellFormed(summary)) : fail("the summary is no text");
    } catch (error) {
      return fail(String(error?.message || error?.name || error));
    }
  }
}

function requestOf(body, given, step) {
  if (step.kind === "stop") {
    throw new Stopped(step.reason.rule, step.reason.text);
  }
  const text = step.json ?? undefined;
  if (text === undefined) {
    throw new RequestError("the session has no request");
  }
  if (text === given) {
    return new Request(body, step);
  }
  return new Request(typeof body === "string" ? text : JSON.parse(text), step);
}

// A body as JSON text, in which lone surrogates are escapes.
function jsonOf(body) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (text === undefined) {
    throw new RequestError("the body is no JSON");
  }
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

// A text of people, with replacement characters in place of lone surrogates.
function wellFormed(text) {
  return text.toWellFormed();
}

function timeOf(now = new Date()) {
  return typeof now === "string" ? now : now.toISOString();
}

module.exports = { Request, Session };
