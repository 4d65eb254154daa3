/** A result in the JSON form of the command, such as that of `trimtab simulate --format json`. */
export type Json = Record<string, any>;

/** A place in a file: lines and columns count from 1, `start` and `end` are bytes. */
export interface Span {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  start: number;
  end: number;
}

/** A finding, as in `trimtab lint --format json`. */
export interface Diagnostic {
  code: string;
  severity: "error" | "warning" | "info";
  message: string;
  file: string;
  span: Span | null;
  labels: { message: string | null; span: Span | null }[];
  notes?: string[];
  help: string | null;
  fixes: { title: string; safe: boolean; edits: { file: string; start: number; end: number; text: string }[] }[];
  [key: string]: unknown;
}

/** The findings of a file, in the form of `trimtab lint --format json`. */
export interface Findings {
  schema_version: number;
  diagnostics: Diagnostic[];
  summary: { files: number; errors: number; warnings: number; infos: number };
  [key: string]: unknown;
}

/** A policy or a plan is invalid. The message is what the command prints. */
export class PolicyError extends Error {
  constructor(message: string, diagnostics?: Diagnostic[]);
  readonly diagnostics: Diagnostic[];
}

/** A value is no request or reply in the dialect. */
export class RequestError extends Error {}

/** A saved session cannot be continued under this policy. */
export class RestoreError extends Error {}

/** No recording could be simulated, or an option is wrong. The message is that of the command. */
export class SimulationError extends Error {}

/** A rule has stopped the run. A message of a person, after a reply without tool calls, begins the next one. */
export class Stopped extends Error {
  constructor(rule: string, reason: string);
  /** The name of the rule. */
  readonly rule: string;
  readonly reason: string;
}

export type Dialect = "anthropic_messages" | "gemini_contents" | "openai_chat" | "openai_responses";

/** The value of a fact that the policy declares. A duration is a number of milliseconds. */
export type FactValue = boolean | number | string;

/** A request for a summary. */
export interface Summary {
  /** The instructions for the model. */
  instructions: string;
  /** The existing summary that the new one updates. */
  previous?: string;
  /** The messages to summarise as text. */
  transcript: string;
  /** The maximum length of the summary in tokens. */
  atMost?: number;
  /** The system prompt that asks a model for the summary. */
  system: string;
  /** The message of the user that goes with it. */
  prompt: string;
}

/** Writes a summary. If it fails, `on_failure` of the rule says what happens. */
export type Summarise = (summary: Summary) => string | Promise<string>;

/** Answers the question of a rule with `confirm`: whether the rule acts. */
export type Confirm = (rule: string, question: string) => boolean | Promise<boolean>;

export interface SessionOptions {
  dialect: Dialect;
  /** The context window in tokens. */
  window?: number;
  /** The name of the model, which the table of models knows. */
  model?: string;
  /** The names of the tools of the agent. */
  tools?: string[];
  /** The tokens that are sent besides the messages. */
  overhead?: number;
  /** The name of the agent, if it is a sub-agent. `depth` is the number of agents above it, one by default. */
  subAgent?: string | { name: string; depth?: number };
  facts?: Record<string, FactValue>;
  /** Without it, summaries fail. */
  summarise?: Summarise;
  /** Without it, every question is declined. */
  confirm?: Confirm;
}

/** The time of a call: RFC 3339 or a date. By default it is the current time. */
export interface At {
  now?: string | Date;
}

/** What becomes of an element of the list of messages. An inserted element has no index, and only new text has `json`. */
export interface Edit {
  kind: "keep" | "replace" | "remove" | "insert";
  index?: number;
  json?: string;
}

/** What one rule did at one moment. */
export interface Firing {
  rule: string;
  /** The number of edits. */
  edits: number;
  /** The tokens that the edits removed; negative if they added some. */
  tokensSaved: number;
  /** The text for the host, if the rule sent one. */
  notice?: string;
}

/** A request that is ready to be sent. */
export class Request<Body = unknown> {
  private constructor();
  /** The request to send, of the type that was given; the same object if nothing was edited. */
  readonly body: Body;
  /** What becomes of each element of the list of messages, in the order of the new list. */
  readonly edits: Edit[];
  /** What rules have done since the last request. */
  readonly firings: Firing[];
  /** The summaries that have failed since the last request. */
  readonly failedSummaries: { rule: string; reason: string }[];
  /** The tools that are not offered for this request. A body has no declaration of them any more. */
  readonly hiddenTools: string[];
  /** Texts to add at the end of a system prompt beside the list. Empty if a body was given. */
  readonly promptAdditions: string[];
  /** The estimated size of the context in tokens. */
  readonly tokens: number;
}

/**
 * A live session. Make one with `Policy.session` or `Policy.restore`.
 *
 * Clients send the whole history with each request. The session recognises what it has seen, edits it again in the same way, and
 * follows a history that departs from an earlier one. It does no I/O. Calls that overlap take turns.
 */
export class Session {
  private constructor();
  /** Supplies the value of a fact that the policy declares; `undefined` clears it. */
  setFact(name: string, value: FactValue | undefined): void;
  /**
   * Takes in a request, a whole body or the list of messages alone, as JSON in a text or in bytes, or as a value, and runs the rules
   * before the call. A request that is repeated gives the same result. Throws `Stopped` if a rule stops the run.
   */
  beforeRequest<Body extends string | object>(body: Body, options?: At): Promise<Request<Body>>;
  /**
   * Adds the reply to the last request, or to `request`: a whole response body, or the message in it alone with its `usage` in the
   * form of the provider. Rules on replies run. A rule that stops the run is thrown at the next request.
   */
  afterReply(reply: string | object, options?: At & { usage?: object; request?: Request }): Promise<void>;
  /**
   * Reports that the provider has rejected a request as too long, and returns what to send in its place; `undefined` if no rule on
   * `overflow` has shortened it.
   */
  rejected<Body extends string | object>(request: Request<Body>): Promise<Request<Body> | undefined>;
  /** Adds messages that are not replies. A host that sends them with its next request need not add them before. */
  add(messages: string | object[], options?: At): Promise<void>;
  /** Ends the iteration of the last call, so that its rules run now and not before the next call. */
  endIteration(): Promise<void>;
  /** The offloaded content with this id, as it arrived. The message of its error is meant for the agent. */
  recall(id: string): string;
  /** What rules have done since the last request was prepared, for a host that makes no further request. */
  takeFirings(): Firing[];
  /** What has happened since the last call of this method, in the form of recordings, with the number of its branch. */
  takeRecording(): { branch: number; text: string } | undefined;
  /** The session as data, for `Policy.restore`; `undefined` before the first request. It contains the conversation. */
  save(): Buffer | undefined;
}

/** One recorded conversation. */
export interface Transcript {
  /** Its id; empty if it is the only conversation of its file. */
  readonly id: string;
  /** The format from which it was read. */
  readonly format: string;
  /** The model that wrote most replies. */
  readonly model: string | null;
  /** The context window in tokens. */
  readonly window: number | null;
  /** The number of messages. */
  readonly messages: number;
  /** The conversation in the form of Trimtab's own recordings. */
  toJsonl(): string;
}

export interface SimulationOptions {
  /** The context window in tokens. */
  window?: number;
  model?: string;
  /** A summariser that `trimtab simulate --summariser` takes. */
  summariser?: string;
  inputFormat?: string;
  /** The number of threads; by default all processors. */
  jobs?: number;
  /** What `--assert` takes. */
  assertions?: string[];
  facts?: Record<string, string>;
  /** Adds the figures of each call. */
  perCall?: boolean;
  /** Called with the number of conversations that are done, and a line about the newest. */
  progress?: (done: number, line: string) => void;
  signal?: AbortSignal;
}

/** The result of a simulation. */
export class Simulation {
  private constructor();
  /** The JSON of `trimtab simulate`. */
  readonly result: Json;
  /** What the command says beside the result, such as which files could not be read. */
  readonly notes: string;
  /** The outcome over all transcripts. */
  readonly verdict: Json;
  /** What each rule did over all transcripts, in the order of the policy. */
  readonly rules: Json[];
  readonly transcripts: Json[];
  /** The recordings that could not be simulated. */
  readonly errors: Json[];
}

/** A policy that is ready to run. Make one with `compile`, `compileFile` or `fromJson`. */
export class Policy {
  private constructor();
  readonly name: string;
  /** The description of the policy. */
  readonly title: string | undefined;
  /** A hash of everything that affects what the policy does. */
  readonly hash: string;
  /** The names of the rules in the order in which they are tried. */
  readonly rules: string[];
  /** Whether the policy moves results out of the context, so that the agent needs the tool `recall`. */
  readonly offloads: boolean;
  /** The policy as `trimtab compile` prints it. */
  toJson(): string;
  /** The warnings of the file, in the form of `trimtab validate --format json`. */
  validate(): Findings;
  /** The findings of the file. `select` runs only these lints, `ignore` leaves some out: names, categories, or `all`. */
  lint(options?: { select?: string[]; ignore?: string[] }): Findings;
  /** Runs the tests of the file, in the form of `trimtab test --coverage --format json`. */
  test(): Json;
  /** How a later policy differs from this one, in the form of `trimtab diff --format json`, also on some transcripts. */
  diff(after: Policy, transcripts?: Transcript[]): Json;
  /**
   * Replays one transcript: its entry in `trimtab simulate --format json`. `window` is in tokens. `summary` is the text of every
   * summary; without it, summaries quote the conversation.
   */
  replay(transcript: Transcript, options?: { window?: number; model?: string; summary?: string }): Json;
  /** Simulates the policy on recordings: files, directories and globs, as `trimtab simulate` reads them, in a process of its own. */
  simulate(paths: string | string[], options?: SimulationOptions): Promise<Simulation>;
  session(options: SessionOptions): Session;
  /** Continues a saved session. Throws `RestoreError` for one of another policy or version. */
  restore(saved: Uint8Array, options: SessionOptions): Session;
}

/** Which of several policies of a file is meant. */
export interface Choice {
  policy?: string;
}

/**
 * Compiles the text of a policy file. `name` stands in messages; one that ends in `.yaml` or `.yml` is read as YAML. Throws
 * `PolicyError`.
 */
export function compile(text: string, options?: Choice & { name?: string }): Policy;

/**
 * Compiles a policy file and the files that it imports. Imports stay inside the project: the nearest parent directory with
 * `trimtab.toml` or `.git`. Throws `PolicyError`, and an `Error` if the file cannot be read.
 */
export function compileFile(path: string, options?: Choice): Policy;

/** A policy from the output of `trimtab compile`, without its source: it has no findings and no tests. */
export function fromJson(plan: string): Policy;

/** The text of a policy file in the layout of `trimtab fmt`, with the same meaning and the same comments. */
export function format(text: string, options?: { name?: string }): string;

/** Reads the conversations of a recording. Without a `format`, it is recognised. */
export function readTranscripts(data: Uint8Array | string, options?: { format?: string }): Transcript[];
