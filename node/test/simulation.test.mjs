import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { SimulationError, compileFile } from "trimtab";

import { result } from "./command.mjs";
import { folder } from "./folder.mjs";

const POLICY = "edition 2026\n\npolicy p {\n  rule mask_old {\n    when iteration >= 1\n    do mask results keep 0 results\n  }\n}\n";

function recording(id) {
  const lines = [{ trimtab: 1, id, window: 1000 }, { role: "user", content: "Read." }];
  for (let at = 0; at < 3; at += 1) {
    lines.push({ role: "assistant", content: [{ type: "tool_call", id: `${at}`, name: "read", arguments: {} }] });
    lines.push({ role: "tool", content: [{ type: "tool_result", id: `${at}`, content: "a line, ".repeat(50) }] });
  }
  return [...lines, { role: "assistant", content: "Done." }].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const files = { "p.trim": POLICY, "s/one.jsonl": recording("one"), "s/two.jsonl": recording("two"), "s/bad.jsonl": "{}\n" };

test("a simulation equals the JSON of the command", async (context) => {
  const made = folder(context, files);
  const [policy, sessions] = ["p.trim", "s"].map((name) => path.join(made, name));
  const simulation = await compileFile(policy).simulate(sessions, { window: 900, perCall: true, assertions: ["edits >= 1"] });
  const expected = result("simulate", policy, sessions, "--window", "900", "--per-call", "--assert", "edits >= 1");
  // The plan of a policy has no place in a file.
  assert.deepEqual(simulation.result, expected);
  assert.equal(simulation.transcripts.length, 2);
  assert.deepEqual([simulation.verdict, simulation.rules], [expected.total.verdict, expected.total.rules]);
  assert.equal(simulation.errors.length, 1);
  assert.match(simulation.notes, /bad\.jsonl/);
});

test("progress is reported", async (context) => {
  const made = folder(context, files);
  const seen = [];
  const policy = compileFile(path.join(made, "p.trim"));
  await policy.simulate([path.join(made, "s", "*.jsonl")], { jobs: 1, progress: (done, line) => seen.push([done, line]) });
  assert.deepEqual(seen.map(([done]) => done), [1, 2]);
  assert.match(seen[0][1], /4 calls$/);
  const failing = policy.simulate(path.join(made, "s"), { progress: () => { throw new Error("enough"); } });
  await assert.rejects(failing, /enough/);
});

test("what cannot be simulated is an error", async (context) => {
  const made = folder(context, files);
  const policy = compileFile(path.join(made, "p.trim"));
  await assert.rejects(policy.simulate(path.join(made, "none")), SimulationError);
  await assert.rejects(policy.simulate(path.join(made, "s"), { summariser: "nobody" }), { name: "SimulationError", message: /nobody/ });
  await assert.rejects(policy.simulate([]), SimulationError);
});

test("a simulation is aborted, and leaves no files", async (context) => {
  const made = folder(context, files);
  const left = () => fs.readdirSync(os.tmpdir()).filter((name) => /^trimtab-(?!test)/.test(name)).sort();
  const before = left();
  const controller = new AbortController();
  const running = compileFile(path.join(made, "p.trim")).simulate(path.join(made, "s"), { signal: controller.signal });
  setTimeout(() => controller.abort(), 1);
  await assert.rejects(running, { name: "AbortError" });
  assert.deepEqual(left().filter((name) => !before.includes(name)), []);
});
