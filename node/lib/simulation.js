// Simulations over files, which the command runs in a process of its own.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const readline = require("node:readline");
const { SimulationError } = require("./error.js");
const { BINARY, findFile } = require("./platform.js");

class Simulation {
  constructor(result, notes) {
    this.result = result;
    this.notes = notes;
  }

  get verdict() {
    return this.result.total.verdict;
  }

  get rules() {
    return this.result.total.rules;
  }

  get transcripts() {
    return this.result.transcripts;
  }

  get errors() {
    return this.result.errors;
  }
}

// Simulates a compiled plan, which is in the result under the name of its file.
async function simulate(plan, file, paths, options) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "trimtab-"));
  try {
    const [policy, out] = ["plan.json", "result.json"].map((name) => path.join(folder, name));
    await fs.writeFile(policy, plan);
    const words = ["simulate", ...wordsOf(options), "--isolated", "--format", "json", "-o", out, "--", policy, ...paths];
    const { code, notes } = await run(words, options);
    if (code !== 0 && code !== 1) {
      throw new SimulationError(notes.trim() || `the simulation ended with exit code ${code}`);
    }
    const result = JSON.parse(await fs.readFile(out, "utf8"));
    result.policy.file = file;
    return new Simulation(result, notes);
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

function wordsOf({ window, model, summariser, inputFormat, jobs, assertions = [], facts = {}, perCall, progress }) {
  const values = { window, model, summariser, "input-format": inputFormat, jobs };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return [
    ...given.map(([name, value]) => `--${name}=${value}`),
    ...assertions.map((one) => `--assert=${one}`),
    ...Object.entries(facts).map(([name, value]) => `--fact=${name}=${value}`),
    ...(perCall ? ["--per-call"] : []),
    ...(progress ? ["--json-progress"] : []),
  ];
}

// Runs the command, and passes on what it reports as done. Its notes are its messages.
async function run(words, { progress, signal }) {
  const command = spawn(findFile(BINARY), words, { stdio: ["ignore", "ignore", "pipe"], signal });
  const ended = new Promise((resolve, reject) => command.on("error", reject).on("close", resolve));
  // Awaited below; until then, an error of it is not unhandled.
  ended.catch(() => {});
  let [notes, done] = ["", 0];
  try {
    for await (const line of readline.createInterface({ input: command.stderr })) {
      const report = progress && reportOf(line);
      if (report?.transcript === undefined) {
        notes += `${report?.message ?? line}\n`;
      } else {
        done += 1;
        progress(done, `${report.transcript}: ${report.format}, ${report.calls} calls`);
      }
    }
  } catch (error) {
    command.kill();
    throw error;
  }
  return { code: await ended, notes };
}

// A line of `--json-progress`; `undefined` for one that the command prints where it has no options yet.
function reportOf(line) {
  try {
    return line.startsWith("{") ? JSON.parse(line) : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { Simulation, simulate };
