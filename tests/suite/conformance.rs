//! The cases that the first system's tests and code pin for its seven effects, each driven through a YAML policy.
//! `docs/conformance.md` lists them all and says where the answer differs, and why.

mod compact;
mod listed;
mod loop_detect;
mod observation_mask;
mod order;
mod progress;
mod reflection;
mod rendering;
mod sliding_window;
mod trigger;
mod trim_tool_results;
mod yaml;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab::conversation::{Arguments, Body, Conversation, Message, Part, Role};
use trimtab::effect::SummaryRequest;
use trimtab::model::Estimate;
use trimtab::phase::Phase;
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::run::{Answer, Environment, Outcome, State, Step, StepContext, StepStatus};

/// A policy over one conversation. A question that no answer is left for fails the test.
struct Scene {
    plan: Plan,
    state: State,
    conversation: Conversation,
    window: Option<u64>,
    reported: Option<u64>,
    tools: BTreeSet<SmolStr>,
    answers: VecDeque<Answer>,
    /// What summarisers were asked.
    asked: Vec<SummaryRequest>,
    /// What persons were asked.
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

    /// A policy of any form.
    fn policy(name: &str, text: &str) -> Self {
        let plan = plan(name, text);
        let mut state = State::new(&plan, 0);
        state.begin_run();
        state.run.iteration = 1;
        let conversation = Conversation::with_invariant_checks();
        let (answers, asked, questions) = (VecDeque::new(), Vec::new(), Vec::new());
        let (window, reported, tools) = (Some(1000), None, BTreeSet::new());
        Self { plan, state, conversation, window, reported, tools, answers, asked, questions }
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

    /// What summarisers and persons will say, in turn.
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
            self.conversation.push(message, &Estimate::default());
        }
    }

    /// Begins another run, with other messages.
    fn begin_run_with(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.state.begin_run();
        self.state.run.iteration = 1;
        self.conversation = Conversation::with_invariant_checks();
        self.push(messages);
    }

    /// What comes before a model call.
    fn request(&mut self) -> Outcome {
        self.run(Phase::Request)
    }

    /// What comes after a reply, before its tools.
    fn reply(&mut self) -> Outcome {
        self.run(Phase::Reply)
    }

    /// A request at the next iteration.
    fn next(&mut self) -> Outcome {
        self.state.next_iteration();
        self.request()
    }

    fn run(&mut self, phase: Phase) -> Outcome {
        let counter = Arc::new(Estimate::default());
        if let Some(reported) = self.reported {
            self.state.meter.record_call(reported, self.conversation.tokens());
        }
        let environment =
            Environment { counter, window: self.window, reserve: 0, tools: self.tools.clone(), prices: None };
        let context = StepContext { phase, environment: &environment, overrides: None, explain: false };
        let mut step = Step::begin(&self.plan, &mut self.state, &mut self.conversation, context);
        let mut answer = None;
        let outcome = loop {
            match step.resume(answer) {
                StepStatus::Done(outcome) => break *outcome,
                StepStatus::NeedsSummary(request, _) => self.asked.push(*request),
                StepStatus::NeedsDecision(question) => self.questions.push(question),
            }
            answer = Some(self.answers.pop_front().expect("an answer is left"));
        };
        assert_eq!(self.conversation.take_violations(), [], "no invariant breaks");
        outcome
    }

    /// Asserts that a request changes nothing and asks nobody.
    fn stays_on_request(&mut self) {
        self.stays(Phase::Request);
    }

    /// Asserts that what comes after a reply changes nothing and asks nobody.
    fn stays_on_reply(&mut self) {
        self.stays(Phase::Reply);
    }

    fn stays(&mut self, phase: Phase) {
        let (before, asked) = (self.shown(), self.asked.len());
        let outcome = self.run(phase);
        assert!(!outcome.edited(), "{outcome:#?}");
        assert_eq!(self.shown(), before);
        assert_eq!(self.asked.len(), asked);
    }

    /// Each message as a line: its role, and what it holds.
    fn shown(&self) -> Vec<String> {
        let entries = self.conversation.entries().iter();
        entries.map(|entry| format!("{}: {}", entry.role().word(), content(entry.message()))).collect()
    }

    /// What one message holds.
    fn text(&self, at: usize) -> String {
        content(self.conversation.entries()[at].message())
    }

    /// What the newest message holds.
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
    lower(&checked, None).unwrap_or_else(|unclear| panic!("{unclear:?}"))
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

fn sys(text: &str) -> Message {
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

/// A text of so many characters that begins with a mark.
fn long(mark: &str, chars: usize) -> String {
    format!("{mark} {}", "x".repeat(chars - mark.chars().count() - 1))
}

fn summary(text: &str) -> Answer {
    Answer::Summary(text.to_owned())
}

fn failed(reason: &str) -> Answer {
    Answer::Failed(reason.to_owned())
}
