//! Trimtab is a small declarative language for context policies: rules that decide what an agent's context window contains.
//!
//! A policy is compiled into a [`Plan`], which can be simulated on recorded [`Transcript`]s.
//!
//! # Compile and simulate a policy
//!
//! ```
//! let policy = trimtab::compile(
//!     "small.trim",
//!     r#"
//! edition 2026
//! policy small {
//!   rule warn { when context.results > 1 do notify "two results" }
//! }
//! "#,
//! );
//! let plan = policy.plan(None)?;
//!
//! let recording = br#"{"trimtab":1}
//! {"role":"user","content":"Read both files."}
//! {"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":{"path":"a"}}]}
//! {"role":"tool","content":[{"type":"tool_result","id":"1","content":"a long text, and more of it, and still more of it"}]}
//! {"role":"assistant","content":[{"type":"tool_call","id":"2","name":"read","arguments":{"path":"b"}}]}
//! {"role":"tool","content":[{"type":"tool_result","id":"2","content":"another text"}]}
//! {"role":"assistant","content":"Done."}
//! "#;
//! let transcripts = trimtab::read_transcripts(recording, None)?;
//!
//! let simulation = trimtab::simulate(&plan, &transcripts[0], &trimtab::SimulationOptions::default());
//! let fired: Vec<_> = simulation.rules().map(|rule| (rule.name, rule.fired_at)).collect();
//! assert_eq!(fired, [("warn", &[2][..])]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read results
//!
//! [`results`] has the structs of all JSON outputs of the command: [`Simulation::result`], [`PolicyFile::findings`],
//! [`PolicyFile::test`] and [`diff`](fn@diff) return them, and [`sweep`](fn@sweep) has one in [`Sweep::result`]. They serialize to the
//! JSON of the command, [`Simulation::result`] to one entry of it, and deserialize from it.
//!
//! # Run a policy live
//!
//! A [`Session`] takes each request before it is sent, and returns the one to send instead:
//!
//! ```
//! # let policy = trimtab::compile("p.trim", "edition 2026\npolicy p { rule r { when context.results > 9 do mask results } }");
//! use trimtab::{Dialect, Host, Next, Session};
//!
//! let mut session = Session::new(&policy.plan(None)?, Host::new().window(200_000));
//! let body = r#"{"model": "m", "messages": [{"role": "user", "content": "Read both files."}]}"#;
//! let Next::Send(request) = session.before_request(Dialect::OpenAiChat, body, None)? else { panic!("a request") };
//! assert_eq!(request.json, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Show the errors of a policy
//!
//! [`PolicyFile::render`] draws diagnostics as the command does. A program can also read them:
//!
//! ```
//! let policy = trimtab::compile("wrong.trim", "edition 2026\npolicy p { rule a { do maks results } }\n");
//! let error = &policy.diagnostics()[0];
//! let start = policy.sources().get(error.primary.span.source).map(|source| source.position(error.primary.span.start));
//! assert_eq!(error.message, "unknown effect `maks`");
//! assert_eq!(start.map(|position| (position.line, position.column)), Some((2, 24)));
//! ```
//!
//! # Import a YAML policy
//!
//! The name decides the format. YAML policies compile to the same plans as `.trim` policies:
//!
//! ```
//! let policy = trimtab::compile("effects.yaml", "effects:\n  - kind: sliding_window\n    params: {recent_zone: 20}\n");
//! # assert!(policy.plan(None).is_ok());
//! ```
//!
//! # Features
//!
//! - `cli` (default): the `trimtab` command.
//! - `lint` (part of `cli`): lints, fixes, tests, comparisons, sweeps, project settings, and results as JSON and rendered.
//! - `engine`: async live sessions and summarisers. They need a tokio runtime and start none.
//! - `http` (includes `engine`): summarisers that call a model server.
//! - `proxy` (default; includes `cli` and `http`): `trimtab proxy` and `trimtab run`.
//! - `exact`: counts with the tokenizers that their vendors have published.
//! - `internals`: makes all modules public for the tests of this repository. It is not part of the API.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "internals"),
    expect(
        clippy::pedantic,
        unreachable_pub,
        unused_imports,
        reason = "style is checked in the build with `internals`; this one finds unused code"
    )
)]
#![cfg_attr(
    all(not(feature = "internals"), not(feature = "cli")),
    expect(dead_code, reason = "some of what the modules offer is used only by the command line")
)]

/// The examples of the page on embedding, which are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
mod embedding {}

/// The examples of the page on playbooks.
#[cfg(doctest)]
#[doc = include_str!("../docs/playbooks.md")]
mod playbooks {}

#[cfg(feature = "cli")]
pub use modules::cli::{main as command_line, status as command_line_status};
#[cfg(feature = "engine")]
pub use modules::host::CommandSummariser;
#[cfg(feature = "lint")]
pub use modules::host::TestRecordings;
#[cfg(feature = "http")]
pub use modules::host::{ApiKey, EndpointDialect, EndpointError, EndpointOptions, EndpointSummariser, KeyError};
pub use modules::host::{Files, PlaybookFile, summary_prompt};
pub use modules::library::{
    CustomModel, FailedSummary, Host, ModelError, Next, Plan, PlanError, PolicyFile, PreparedRequest, Question,
    ReplyReader, RequestHandle, RuleFiring, Session, SimulatedCall, SimulatedRule, Simulation, SimulationOptions,
    StreamedReply, SummarySource, Transcript, compile, compile_file, compile_with, format, read_transcripts, simulate,
    transcript_formats,
};
#[cfg(feature = "lint")]
pub use modules::library::{
    FixedPolicy, LintOptionError, LintOptions, Sweep, SweepError, SweepOptions, diff, finding_formats, fix, sweep,
    sweep_axes,
};
#[cfg(feature = "engine")]
pub use modules::library::{LiveNext, LiveRequest, LiveSession, LiveUpdate, OpenError, StopReason};
pub use trimtab_base::conversation::{RECALL_TOOL, RecallError};
#[cfg(feature = "engine")]
pub use trimtab_base::conversation::{Service, Tier, Usage};
pub use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Label, Severity, TextEdit};
pub use trimtab_base::hook::{
    CompactionMiss, ContextBudget, DryRun, Emitted, Event, FieldValue, Hook, HookChain, HookFailure, HookResult,
    IterationEnd, IterationStart, Overflow, PlanExecution, Reflection, Status, ToolValidation,
};
pub use trimtab_base::playbook::{
    Applied, Delta, Ignored, Playbook, PlaybookError, Reflector, RuleReflector, SkippedStrategy, Strategy, StrategyId,
    Tag, Timestamp, ToolBatch, ToolUse,
};
pub use trimtab_base::source::{
    LoadError, LoadedSource, MemorySources, NoSources, Position, Source, SourceFormat, SourceId, SourceLoader,
    SourceMap, Span,
};
pub use trimtab_language::effect::Signal;
#[cfg(feature = "engine")]
pub use trimtab_language::effect::{SummarisedMessages, SummaryRequest};
pub use trimtab_language::plan::PlanLoadError;
#[cfg(feature = "engine")]
pub use trimtab_live::engine::{
    ConfirmationFuture, Decide, Decision, DecisionFuture, Engine, LoadFuture, Record, RecordFuture, Reflect,
    ReflectionFuture, Store, StoreFuture, Summarise, SummaryAnswer, SummaryError, SummaryFuture, Warning,
};
pub use trimtab_live::request::{Dialect, ElementEdit, ReplyEnd, RequestError, RequestText};
pub use trimtab_recordings::transcript::{ReadError, Unsupported};
#[cfg(feature = "lint")]
pub use trimtab_report::report::result as results;
#[cfg(feature = "lint")]
pub use trimtab_report::report::{PolicyError, PolicyReportHandler, TerminalStyle};
pub use trimtab_run::run::{FactError, FactValue, RestoreError, SavedSession};
#[cfg(feature = "engine")]
pub use trimtab_simulate::simulate::{ConstantSummariser, Extract, FailingSummariser};

// The tests, benches and fuzz targets of this repository reach all modules through this crate.
#[cfg(all(feature = "internals", feature = "lint"))]
pub use trimtab_analysis::{config, diff, experiment, recording, sweep, system, target, test};
#[cfg(feature = "internals")]
pub use trimtab_base::{conversation, diagnostic, hook, playbook, quantity, source, tool_use};
#[cfg(feature = "internals")]
pub use trimtab_language::{check, condition, effect, fact, guard, phase, plan};
#[cfg(all(feature = "internals", feature = "lint"))]
pub use trimtab_lint::lint;
#[cfg(all(feature = "internals", feature = "engine"))]
pub use trimtab_live::engine;
#[cfg(feature = "internals")]
pub use trimtab_live::{hook_client, request};
#[cfg(feature = "internals")]
pub use trimtab_model::model;
#[cfg(feature = "internals")]
pub use trimtab_recordings::transcript;
#[cfg(all(feature = "internals", feature = "lint"))]
pub use trimtab_report::report;
#[cfg(feature = "internals")]
pub use trimtab_run::run;
#[cfg(feature = "internals")]
pub use trimtab_simulate::simulate;
#[cfg(feature = "internals")]
pub use trimtab_syntax::{format, syntax};

#[cfg(feature = "internals")]
pub use modules::*;
#[cfg(not(feature = "internals"))]
use modules::*;

// The modules of this crate, layer by layer: a module imports only from lower layers. The feature `internals` makes them public.
#[path = ""]
mod modules {
    // layer 14: the command line
    #[cfg(feature = "cli")]
    pub mod cli;

    // layer 13: the proxy
    #[cfg(feature = "proxy")]
    pub mod proxy;

    // layer 12: the public API
    pub mod library;

    // layer 11: access to files, git and the network
    pub mod host;

    // layer 10: the compilation pipeline
    pub mod pipeline;
}
