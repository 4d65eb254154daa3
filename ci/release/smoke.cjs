// Loads the library for Node that was built for this platform, and tries it.
//
//     node ci/release/smoke.cjs FILE
//
// Each check prints a line. The exit code is 1 if one fails.
"use strict";

const assert = require("node:assert/strict");
const path = require("node:path");

const addon = require(path.resolve(process.argv[2]));

const POLICY = `edition 2026

policy smoke "Masks old tool results." {
  rule mask_old_results {
    do mask results keep 0 results
  }
}
`;
const CALL = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
const MESSAGES = [
  { role: "user", content: "Read it." },
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "tool", tool_call_id: "a", content: "a line, ".repeat(90) },
];
const NOW = "2026-01-01T00:00:00Z";

const CHECKS = {
  "a valid policy": () => {
    const file = addon.compile("smoke.trim", POLICY);
    assert.equal(file.hasErrors(), false);
    assert.deepEqual(JSON.parse(file.validate()).diagnostics, []);
  },
  "an invalid policy": () => assert.match(addon.compile("invalid.trim", POLICY.replace("mask results", "maks results")).render(), /did you mean `mask`/),
  "an edit": () => {
    const session = new addon.Session(addon.compile("smoke.trim", POLICY).plan(undefined), { dialect: "openai_chat" });
    const step = session.beforeRequest(JSON.stringify(MESSAGES), NOW);
    assert.equal(step.kind, "send");
    assert.match(JSON.parse(step.json)[2].content, /^\[tool result for read/);
  },
  "an error": () => assert.throws(() => addon.planFromJson("{"), { code: "PolicyError" }),
};

for (const [name, check] of Object.entries(CHECKS)) {
  try {
    check();
    console.log(`✓ ${name}`);
  } catch (error) {
    console.log(`✗ ${name}: ${error.message}`);
    process.exitCode = 1;
  }
}
