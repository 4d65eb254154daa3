// Checked by the compiler of TypeScript, and never run.
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { trimtabMiddleware } from "trimtab/ai";

const middleware = trimtabMiddleware("agent.trim", { window: 8_000, summarise: "model", record: "recordings" });
export const model = wrapLanguageModel({ model: new MockLanguageModelV3(), middleware });
export const content: string = middleware.recall("r1", "chat");
// @ts-expect-error: the middleware writes the prompt itself
trimtabMiddleware("agent.trim", { dialect: "openai_chat" });
