import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { PolicyError, compile, compileFile, format, fromJson, readTranscripts } from "trimtab";

import { command, result } from "./command.mjs";
import { folder } from "./folder.mjs";

const POLICY = `edition 2026

policy p "A policy." {
  rule mask_old {
    when iteration >= 2 and context.ratio > 80% and context.ratio > 50%
    do mask results keep 1 results
  }
}

test "it masks" {
  given iterations 3
  given context.ratio 85%
  expect mask_old first fires at 2
}
`;
const INVALID = "edition 2026\npolicy p { rule a { do maks results } }\n";
const RECORDING = [
  { trimtab: 1, id: "one", window: 1000 },
  { role: "user", content: "Read it." },
  { role: "assistant", content: [{ type: "tool_call", id: "a", name: "read", arguments: {} }] },
  { role: "tool", content: [{ type: "tool_result", id: "a", content: "a line, ".repeat(400) }] },
  { role: "assistant", content: "Done." },
];
const JSONL = RECORDING.map((line) => `${JSON.stringify(line)}\n`).join("");

test("a policy has what its text says", () => {
  const policy = compile(POLICY);
  assert.deepEqual([policy.name, policy.title, policy.rules, policy.offloads], ["p", "A policy.", ["mask_old"], false]);
  assert.equal(JSON.parse(policy.toJson()).hash, policy.hash);
  assert.equal(compile("edition 2026\npolicy q { rule a { do mask results } }").title, undefined);
});

test("results equal the JSON of the command", (context) => {
  const made = folder(context, { "p.trim": POLICY, "later.trim": POLICY.replace("keep 1", "keep 2"), "one.jsonl": JSONL });
  const [file, later, recording] = ["p.trim", "later.trim", "one.jsonl"].map((name) => path.join(made, name));
  const policy = compileFile(file);
  assert.deepEqual(policy.validate(), result("validate", file));
  assert.deepEqual(policy.lint(), result("lint", file));
  assert.ok(policy.lint().diagnostics.length > 0);
  assert.deepEqual(policy.test(), result("test", file, "--coverage"));
  assert.deepEqual(JSON.parse(policy.toJson()), result("compile", file));
  const [transcript] = readTranscripts(JSONL);
  const expected = result("simulate", file, recording).transcripts[0];
  // The command names a transcript by its file.
  assert.deepEqual({ ...policy.replay(transcript), id: expected.id, file: expected.file }, expected);
  const difference = policy.diff(compileFile(later), [transcript]);
  const printed = result("diff", file, later, "--on", recording);
  for (const side of ["before", "after"]) {
    difference[side].file = printed[side].file;
  }
  // The command has more to say of recordings that it has read from files.
  delete difference.replays;
  delete printed.replays;
  assert.deepEqual(difference, printed);
});

test("lints are selected and ignored", () => {
  const policy = compile(POLICY);
  const codes = (options) => policy.lint(options).diagnostics.map(({ code }) => code);
  const all = codes();
  assert.ok(all.includes("redundant-part"), `${all}`);
  assert.deepEqual(codes({ select: ["redundant-part"] }), ["redundant-part"]);
  assert.deepEqual(codes({ ignore: ["redundant-part"] }), all.filter((code) => code !== "redundant-part"));
  assert.throws(() => codes({ select: ["redundant-prat"] }), { name: "RangeError", message: /redundant-prat/ });
});

test("an invalid policy is an error with the text of the command", (context) => {
  const made = folder(context, { "p.trim": INVALID });
  const file = path.join(made, "p.trim");
  assert.throws(
    () => compileFile(file),
    (error) => {
      assert.ok(error instanceof PolicyError && error instanceof Error);
      assert.equal(error.name, "PolicyError");
      assert.deepEqual(error.diagnostics, result("validate", file).diagnostics);
      assert.equal(error.diagnostics[0].span.line, 2);
      assert.ok(command("validate", file, "--isolated", "--format", "human").stdout.startsWith(error.message), error.message);
      return true;
    },
  );
  assert.throws(() => compile(POLICY, { policy: "q" }), { name: "PolicyError", message: /unknown policy `q`/, diagnostics: [] });
  assert.throws(() => compileFile(path.join(made, "none.trim")), /No such file|cannot find/);
  assert.throws(() => compile("effects: [", { name: "p.yaml" }), PolicyError);
  assert.throws(() => compile(7), TypeError);
});

test("a plan is a policy without a source", () => {
  const policy = compile(POLICY);
  const plan = fromJson(policy.toJson());
  assert.equal(plan.hash, policy.hash);
  assert.throws(() => plan.lint(), { name: "PolicyError", message: /no source/ });
  assert.throws(() => fromJson(policy.toJson().replace('"mask"', '"maks"')), { name: "PolicyError", message: /unknown effect `maks`/ });
});

test("a text is formatted as by the command", (context) => {
  const wild = "edition 2026 policy p {rule a {do mask results}}";
  const made = folder(context, { "p.trim": wild });
  const file = path.join(made, "p.trim");
  assert.equal(command("fmt", file).status, 0);
  assert.equal(format(wild), format(format(wild)));
  assert.throws(() => format("policy {"), { name: "PolicyError" });
});

test("recordings are read from bytes and text", () => {
  for (const data of [JSONL, Buffer.from(JSONL), new Uint8Array(Buffer.from(JSONL))]) {
    const [transcript] = readTranscripts(data);
    assert.deepEqual([transcript.id, transcript.format, transcript.window, transcript.model], ["one", "trimtab", 1000, null]);
    assert.equal(transcript.messages, 4);
    assert.equal(readTranscripts(transcript.toJsonl())[0].messages, 4);
  }
  assert.throws(() => readTranscripts("no recording"), RangeError);
  assert.throws(() => readTranscripts(JSONL, { format: "claude" }), /claude/);
});

test("imported files are counted as by the command", (context) => {
  const made = folder(context, {
    "trimtab.toml": "",
    "x/base.trim": "policy base { rule a { do mask results } }\n",
    "p.trim": 'edition 2026\nuse "x/base.trim"\npolicy p extends base { rule b { do trim results to 500 chars } }\n',
  });
  const file = path.join(made, "p.trim");
  const policy = compileFile(file);
  assert.equal(policy.validate().summary.files, 2);
  assert.deepEqual(policy.validate(), result("validate", file));
  assert.deepEqual(policy.lint(), result("lint", file));
});
