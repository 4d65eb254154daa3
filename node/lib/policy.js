// Policies: compiled, linted, tested, compared and simulated.
"use strict";

const addon = require("./addon.js");
const { PolicyError, checked } = require("./error.js");
const { Session } = require("./session.js");
const { simulate } = require("./simulation.js");

class Policy {
  #plan;
  #file;
  #name;

  // Made by `compile`, `compileFile` and `fromJson`.
  constructor(plan, file, name) {
    this.#plan = plan;
    this.#file = file;
    this.#name = name;
  }

  get name() {
    return this.#plan.policy;
  }

  get title() {
    return this.#plan.title ?? undefined;
  }

  get hash() {
    return this.#plan.hash;
  }

  get rules() {
    return this.#plan.rules;
  }

  get offloads() {
    return this.#plan.offloads;
  }

  toJson() {
    return checked(() => this.#plan.toJson());
  }

  validate() {
    return JSON.parse(checked(() => this.#source().validate()));
  }

  lint({ select = [], ignore = [] } = {}) {
    return JSON.parse(checked(() => this.#source().lint(select, ignore)));
  }

  test() {
    return JSON.parse(checked(() => this.#source().test()));
  }

  diff(after, transcripts = []) {
    return JSON.parse(checked(() => this.#plan.diff(after.#plan, transcripts)));
  }

  replay(transcript, { window, model, summary } = {}) {
    return JSON.parse(checked(() => this.#plan.replay(transcript, count("window", window), model, summary)));
  }

  simulate(paths, options = {}) {
    const all = typeof paths === "string" ? [paths] : paths;
    return simulate(this.toJson(), this.#name ?? this.name, all, options);
  }

  session(options) {
    return new Session(
      checked(() => new addon.Session(this.#plan, agent(options))),
      options,
    );
  }

  restore(saved, options) {
    return new Session(
      checked(() => addon.Session.restore(this.#plan, agent(options), saved)),
      options,
    );
  }

  #source() {
    if (this.#file === undefined) {
      throw new PolicyError("the policy was made from a plan, and has no source");
    }
    return this.#file;
  }
}

// What the addon takes of the options of a session.
function agent({ dialect, window, model, tools, overhead, subAgent }) {
  const { name, depth = 1 } = typeof subAgent === "string" ? { name: subAgent } : (subAgent ?? {});
  return {
    dialect,
    window: count("window", window),
    model,
    tools,
    overhead: count("overhead", overhead),
    subAgent: name,
    depth: count("depth", depth),
  };
}

// A number of tokens or agents. The addon would cut off a fraction.
function count(name, value) {
  if (value !== undefined && !Number.isSafeInteger(value)) {
    throw new RangeError(`\`${name}\` is a whole number, not ${value}`);
  }
  return value;
}

function policyOf(file, policy, name) {
  if (file.hasErrors()) {
    throw invalid(file);
  }
  return new Policy(
    checked(() => file.plan(policy)),
    file,
    name,
  );
}

// The errors of a file, as the command prints them.
function invalid(file) {
  return new PolicyError((file.render() ?? "").trimEnd(), JSON.parse(file.validate()).diagnostics);
}

function compile(text, { name = "policy.trim", policy } = {}) {
  return policyOf(
    checked(() => addon.compile(name, text)),
    policy,
    name,
  );
}

function compileFile(path, { policy } = {}) {
  return policyOf(
    checked(() => addon.compileFile(path)),
    policy,
    path,
  );
}

function fromJson(plan) {
  return new Policy(checked(() => addon.planFromJson(plan)));
}

function format(text, { name = "policy.trim" } = {}) {
  const formatted = checked(() => addon.format(name, text)) ?? undefined;
  if (formatted === undefined) {
    throw invalid(addon.compile(name, text));
  }
  return formatted;
}

function readTranscripts(data, { format } = {}) {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  return checked(() => addon.readTranscripts(bytes, format));
}

module.exports = { Policy, compile, compileFile, format, fromJson, readTranscripts };
