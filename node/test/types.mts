// Checked by the compiler of TypeScript, and never run.
import { Policy, Stopped, compileFile, readTranscripts, type Findings, type Request, type Summary } from "trimtab";

const policy: Policy = compileFile("agent.trim", { policy: "p" });
const findings: Findings = policy.lint({ select: ["all"] });
const line: number | undefined = findings.diagnostics[0]?.span?.line;

async function write(summary: Summary): Promise<string> {
  return summary.system + (summary.previous ?? "") + line;
}

const session = policy.session({ dialect: "openai_chat", window: 8_000, summarise: write, facts: { busy: true } });
policy.session({ dialect: "openai_chat", subAgent: "explore" });
policy.session({ dialect: "openai_chat", subAgent: { name: "explore", depth: 2 } });
const messages = [{ role: "user", content: "hi" }];
const request: Request<{ role: string; content: string }[]> = await session.beforeRequest(messages, { now: new Date() });
const text: string = (await session.beforeRequest("[]")).body;
await session.afterReply({ role: "assistant", content: text }, { usage: {}, request });
const shortened: { content: string }[] | undefined = (await session.rejected(request))?.body;
const saved: Uint8Array | undefined = session.save();
policy.replay(readTranscripts(saved ?? "")[0]!, { summary: shortened?.[0]?.content });
const total: unknown = (await policy.simulate("sessions", { signal: AbortSignal.timeout(1) })).verdict;
export const reason: string = total instanceof Stopped ? total.reason : "";

// @ts-expect-error: a dialect is required
policy.session({ window: 8_000 });
// @ts-expect-error: policies are compiled
new Policy();
// @ts-expect-error: a request is JSON text or a value
session.beforeRequest(7);
