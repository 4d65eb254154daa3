// Times `beforeRequest` for `python/tests/overhead.py`, over the last steps of a conversation.
//
// `node overhead.mjs POLICY MESSAGES STEPS` prints the medians in nanoseconds, of requests that are given as text, as bytes and as
// values.
import fs from "node:fs";
import { compileFile } from "trimtab";

const [policy, file, steps] = process.argv.slice(2);
const messages = JSON.parse(fs.readFileSync(file, "utf8"));

async function median(bodyOf) {
  const session = compileFile(policy).session({ dialect: "openai_chat", window: 200_000, summarise: () => "So far, all is well." });
  const times = [];
  for (let end = messages.length - 2 * steps; end <= messages.length; end += 2) {
    const body = bodyOf({ model: "gpt-5", messages: messages.slice(0, end) });
    const start = process.hrtime.bigint();
    await session.beforeRequest(body);
    times.push(Number(process.hrtime.bigint() - start));
    if (end < messages.length) {
      await session.afterReply(messages[end]);
    }
  }
  const sorted = times.slice(1).sort((one, other) => one - other);
  return sorted[sorted.length >> 1];
}

const bytes = (body) => Buffer.from(JSON.stringify(body));
console.log(await median(JSON.stringify), await median(bytes), await median((body) => body));
