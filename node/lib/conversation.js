// The conversations of a policy, and their recordings: what an adapter for a framework needs beside the framework.
"use strict";

const { randomBytes } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { compileFile } = require("./policy.js");

class Conversations {
  #known = new Map();
  #options;

  constructor(policy, dialect, { record, conversations = 1000, onError = warn, ...options }) {
    this.policy = typeof policy === "string" ? compileFile(policy) : policy;
    this.#options = { record, conversations, onError, session: { ...options, dialect } };
    // So that wrong options are an error here and not in a run.
    this.policy.session(this.#options.session);
  }

  // The conversation with this key. `agent` has options for a new one, unless they are given.
  of(key, agent) {
    const { record, conversations, session } = this.#options;
    const begun = () => new Conversation(this.policy.session({ ...agent, ...session }), fileOf(record, key), (error) => this.report(error));
    const found = this.#known.get(key) ?? begun();
    this.#known.delete(key);
    this.#known.set(key, found);
    if (this.#known.size > conversations) {
      this.#known.delete(this.#known.keys().next().value);
    }
    return found;
  }

  // The offloaded content with this id, or why there is none: an answer for the agent.
  recall(key, id) {
    try {
      return (this.#known.get(key)?.session ?? this.policy.session(this.#options.session)).recall(id);
    } catch (error) {
      return error.message;
    }
  }

  // Reports a failure of the policy, which never ends a run.
  report(cause) {
    this.#options.onError(new Error(`the policy ${this.policy.name} has failed: ${cause?.message ?? cause}`, { cause }));
  }
}

// A session with its recordings, one for each branch.
class Conversation {
  #file;
  #report;
  // What has been taken from the session and could not be written yet.
  #unwritten;

  constructor(session, file, report) {
    this.session = session;
    this.#file = file;
    this.#report = report;
  }

  // The request to send in place of this one. Throws Stopped.
  async before(body) {
    try {
      return await this.session.beforeRequest(body);
    } finally {
      this.#record();
    }
  }

  // Adds the reply to a request.
  async after(request, reply) {
    try {
      await this.session.afterReply(reply, { request });
    } finally {
      this.#record();
    }
  }

  // Appends what has happened to the recording of its branch. If that fails, no more is taken from the session, which keeps its
  // history anyway: a full disk costs the memory of one part.
  #record() {
    if (this.#file === undefined) {
      return;
    }
    try {
      while ((this.#unwritten ??= this.session.takeRecording()) !== undefined) {
        fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
        append(`${this.#file}.${this.#unwritten.branch}.jsonl`, this.#unwritten.text);
        this.#unwritten = undefined;
      }
    } catch (error) {
      this.#report(error);
    }
  }
}

// The beginning of the names of recordings; none without a folder. No two conversations share one, also with those of another
// process.
function fileOf(folder, key) {
  const name = `${key.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 80)}-${randomBytes(4).toString("hex")}`;
  return folder === undefined ? undefined : path.join(folder, name);
}

// Appends all of the text or, after an error, nothing. Only the owner can read the file.
function append(file, text) {
  const handle = fs.openSync(file, "a", 0o600);
  try {
    const { size } = fs.fstatSync(handle);
    try {
      fs.appendFileSync(handle, text);
    } catch (error) {
      fs.ftruncateSync(handle, size);
      throw error;
    }
  } finally {
    fs.closeSync(handle);
  }
}

function warn(error) {
  process.emitWarning(error.message, "TrimtabWarning");
}

module.exports = { Conversations };
