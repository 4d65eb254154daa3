import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";
import { compile, readTranscripts } from "trimtab";

import { folder } from "./folder.mjs";

const require = createRequire(import.meta.url);
// A module of adapters, which the package does not export.
const { Conversations } = require(path.join(path.dirname(require.resolve("trimtab")), "conversation.js"));

test("a recording that cannot be written keeps one part in memory", async (context) => {
  const record = path.join(folder(context, { recordings: "a file in place of the folder" }), "recordings");
  const policy = compile("edition 2026\n\npolicy p {\n  rule r {\n    do notify \"called\"\n  }\n}\n");
  const errors = [];
  const conversation = new Conversations(policy, "openai_chat", { record, onError: (error) => errors.push(error) }).of("a");
  const take = conversation.session.takeRecording.bind(conversation.session);
  const parts = [];
  conversation.session.takeRecording = () => {
    parts.push(take());
    return parts.at(-1);
  };
  const messages = [{ role: "user", content: "Go." }];
  const turn = async () => {
    const request = await conversation.before(messages);
    const message = { role: "assistant", content: "Done." };
    await conversation.after(request, { choices: [{ message }] });
    messages.push(message, { role: "user", content: "Again." });
  };
  for (let at = 0; at < 5; at += 1) {
    await turn();
  }
  assert.deepEqual([parts.length, errors.length], [1, 10]);
  fs.rmSync(record);
  await turn();
  const [name, ...others] = fs.readdirSync(record);
  assert.deepEqual(others, []);
  const [transcript] = readTranscripts(fs.readFileSync(path.join(record, name)));
  assert.equal(policy.replay(transcript).calls, 6);
});
