import type { LanguageModelMiddleware } from "ai";
import type { Policy, SessionOptions, Summarise } from "./index.js";

export interface MiddlewareOptions extends Omit<SessionOptions, "dialect" | "tools" | "summarise"> {
  /** A function, or `"model"` for the model that the middleware wraps. */
  summarise?: Summarise | "model";
  /** A directory for recordings, which contain the conversations. `trimtab simulate` on one shows what was sent. */
  record?: string;
  /** How many conversations are kept in memory: the newest ones, 1,000 by default. */
  conversations?: number;
  /** Gets the failures of the policy, which never end a run. By default, they are warnings of the process. */
  onError?: (error: Error) => void;
}

/** Middleware for `wrapLanguageModel`, and what the tool `recall` needs. */
export type TrimtabMiddleware = LanguageModelMiddleware & {
  /** The offloaded content with this id in a conversation with a name, or why there is none: an answer for the agent. */
  recall(id: string, conversation: string): string;
};

/**
 * Edits each request of a model as a policy says; the messages of the program stay as they are.
 *
 * `policy` is a policy, or the path of its file. Make one middleware for all requests, since it keeps the conversations. One is
 * known by `providerOptions.trimtab.conversation` of the call, else by the messages of the user before its first reply. A rule
 * that stops the run answers with a reply that says why; a request for JSON throws `Stopped`.
 */
export function trimtabMiddleware(policy: Policy | string, options?: MiddlewareOptions): TrimtabMiddleware;
