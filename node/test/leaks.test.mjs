import assert from "node:assert/strict";
import test from "node:test";
import { compile } from "trimtab";

test("calls leave nothing behind", async () => {
  const text = "edition 2026\npolicy p { rule r { when context.messages >= 3\n do mask results keep 0 results } }";
  const plan = compile(text);
  const call = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Read." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "a line, ".repeat(2_000) },
  ];
  const session = plan.session({ dialect: "openai_chat" });
  const megabytes = () => process.memoryUsage().rss / 1e6;
  const run = async (calls) => {
    for (let at = 0; at < calls; at += 1) {
      const { edits, firings } = await session.beforeRequest(messages);
      assert.equal(edits.length + firings.length >= 3, true);
      if (at % 50 === 0) {
        compile(text).session({ dialect: "openai_chat" });
        // What is no longer used is freed between tasks.
        await new Promise(setImmediate);
      }
    }
  };
  await run(2_000);
  const before = megabytes();
  await run(6_000);
  // A request that is kept would be 100 MB.
  assert.ok(megabytes() - before < 40, `${before} MB, then ${megabytes()} MB`);
});
