//! The cases that the documents, tests and code of four earlier systems define. `docs/conformance.md` lists them all and
//! explains each difference.

mod budget;
mod caps;
mod changed;
mod compact;
mod compression;
mod estimates;
mod later_context;
mod lifecycle_hooks;
mod listed;
mod live;
mod loop_detect;
mod observation_mask;
mod offload;
mod order;
mod playbook;
mod playbook_prompt;
mod progress;
mod reflection;
mod reflection_window;
mod registered;
mod rendering;
mod sliding_window;
mod stall_detect;
mod step_changes;
mod tool_scope;
mod trigger;
mod trim_tool_results;
mod yaml;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab::conversation::{Arguments, Body, Conversation, Message, Part, Role};
use trimtab::effect::SummaryRequest;
use trimtab::model::TokenCounter;
use trimtab::phase::Phase;
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::run::{Answer, Environment, Outcome, State, Step, StepContext, StepStatus};

/// A policy and its conversation. A request without a prepared answer fails the test.
struct Scene {
    plan: Plan,
    state: State,
    conversation: Conversation,
    window: Option<u64>,
    reported: Option<u64>,
    tools: BTreeSet<SmolStr>,
    answers: VecDeque<Answer>,
    /// The requests to the summariser.
    requests: Vec<SummaryRequest>,
    /// The questions to the user.
    questions: Vec<String>,
}

impl Scene {
    /// One effect, in a window of 1000 tokens, at iteration 1, without any reported usage.
    fn of(effect: &str) -> Self {
        Self::effects(&[effect])
    }

    /// Several effects.
    fn effects(effects: &[&str]) -> Self {
        let entries: String = effects.iter().map(|effect| format!("  - {{{effect}}}\n")).collect();
        Self::policy("policy.yaml", &format!("effects:\n{entries}"))
    }

    /// A policy in either format, which the name selects.
    fn policy(name: &str, text: &str) -> Self {
        let plan = plan(name, text);
        let mut state = State::new(&plan, 0);
        state.begin_run();
        state.run.iteration = 1;
        let conversation = Conversation::with_invariant_checks();
        let (answers, requests, questions) = (VecDeque::new(), Vec::new(), Vec::new());
        let (window, reported, tools) = (Some(1000), None, BTreeSet::new());
        Self { plan, state, conversation, window, reported, tools, answers, requests, questions }
    }

    fn window(mut self, window: Option<u64>) -> Self {
        self.window = window;
        self
    }

    /// The context of the last call as the provider reported it.
    fn reported(mut self, tokens: u64) -> Self {
        self.reported = Some(tokens);
        self
    }

    fn iteration(mut self, iteration: u64) -> Self {
        self.state.run.iteration = iteration;
        self
    }

    fn tools(mut self, tools: &[&str]) -> Self {
        self.tools = tools.iter().map(|&tool| tool.into()).collect();
        self
    }

    /// The answers of the summariser and the user, in turn.
    fn answers(mut self, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.answers = answers.into_iter().collect();
        self
    }

    fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.push(messages);
        self
    }

    fn push(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            self.conversation.push(message, &TokenCounter::default());
        }
    }

    /// Begins another run, with other messages.
    fn begin_run_with(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.state.begin_run();
        self.state.run.iteration = 1;
        self.conversation = Conversation::with_invariant_checks();
        self.push(messages);
    }

    /// Runs the phase before a model call.
    fn request(&mut self) -> Outcome {
        self.run(Phase::Request)
    }

    /// Runs the phase after a reply, before its tools.
    fn reply(&mut self) -> Outcome {
        self.run(Phase::Reply)
    }

    /// Runs the request phase of the next iteration.
    fn next(&mut self) -> Outcome {
        self.state.next_iteration();
        self.request()
    }

    fn run(&mut self, phase: Phase) -> Outcome {
        let counter = Arc::new(TokenCounter::default());
        if let Some(reported) = self.reported {
            self.state.meter.record_call(reported, self.state.views.size(&self.conversation), true);
        }
        let environment =
            Environment { counter, window: self.window, tools: self.tools.clone(), ..Environment::default() };
        let context = StepContext { phase, environment: &environment, overrides: None, explain: false };
        let mut step = Step::begin(&self.plan, &mut self.state, &mut self.conversation, context);
        let mut answer = None;
        let outcome = loop {
            match step.resume(answer) {
                StepStatus::Done(outcome) => break *outcome,
                StepStatus::NeedsSummary(request, _) => self.requests.push(Arc::unwrap_or_clone(request)),
                StepStatus::NeedsConfirmation(asked) => self.questions.push(asked.question),
                StepStatus::NeedsDecision(question) => self.questions.push(question),
            }
            answer = Some(self.answers.pop_front().expect("an answer for each request"));
        };
        assert_eq!(self.conversation.take_violations(), [], "no invariant is violated");
        outcome
    }

    /// Asserts that a request changes nothing and requests no summary.
    fn assert_idle_on_request(&mut self) {
        self.assert_idle(Phase::Request);
    }

    /// Asserts that a reply changes nothing and requests no summary.
    fn assert_idle_on_reply(&mut self) {
        self.assert_idle(Phase::Reply);
    }

    fn assert_idle(&mut self, phase: Phase) {
        let (before, requests) = (self.lines(), self.requests.len());
        let outcome = self.run(phase);
        assert!(!outcome.edited(), "{outcome:#?}");
        assert_eq!(self.lines(), before);
        assert_eq!(self.requests.len(), requests);
    }

    /// Each message as a line: its role and its content.
    fn lines(&self) -> Vec<String> {
        let entries = self.conversation.entries().iter();
        entries.map(|entry| format!("{}: {}", entry.role().word(), content(entry.message()))).collect()
    }

    /// The content of one message.
    fn text(&self, at: usize) -> String {
        content(self.conversation.entries()[at].message())
    }

    /// The content of the newest message.
    fn last(&self) -> String {
        self.text(self.conversation.entries().len() - 1)
    }

    fn roles(&self) -> Vec<Role> {
        self.conversation.entries().iter().map(trimtab::conversation::Entry::role).collect()
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn len(&self) -> usize {
        self.conversation.entries().len()
    }
}

fn plan(name: &str, text: &str) -> Plan {
    let compiled = pipeline::compile(name, text);
    let Some(checked) = compiled.checked else { panic!("{text}\n{:#?}", compiled.diagnostics) };
    lower(&checked, None).unwrap_or_else(|error| panic!("{error:?}"))
}

fn content(message: &Message) -> String {
    let part = |part: &Part| match &part.body {
        Body::Text(text) => text.to_string(),
        Body::ToolCall { name, arguments, .. } => format!("{name}({})", arguments.text()),
        Body::ToolResult(result) => result.text.to_string(),
        other => format!("{other:?}"),
    };
    message.parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

fn system(text: &str) -> Message {
    Message::text(Role::System, text)
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn assistant(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

fn call(id: &str, tool: &str, arguments: &str) -> Message {
    calls(&[(id, tool, arguments)])
}

/// One reply with several calls: id, tool, arguments.
fn calls(calls: &[(&str, &str, &str)]) -> Message {
    let part =
        |(id, tool, arguments): &(&str, &str, &str)| Part::call(*id, *tool, Arguments::Text((*arguments).into()));
    Message::new(Role::Assistant, calls.iter().map(part).collect())
}

fn ok(id: &str, text: &str) -> Message {
    Message::new(Role::Tool, vec![Part::result(id, text, false)])
}

fn err(id: &str, text: &str) -> Message {
    Message::new(Role::Tool, vec![Part::result(id, text, true)])
}

/// A text of this length that begins with a mark.
fn long(mark: &str, chars: usize) -> String {
    format!("{mark} {}", "x".repeat(chars - mark.chars().count() - 1))
}

fn summary(text: &str) -> Answer {
    Answer::Summary(text.to_owned())
}

fn failed(reason: &str) -> Answer {
    Answer::Failed(reason.to_owned())
}
