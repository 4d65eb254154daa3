//! What a host declares about its agent.

use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::Recall;
use trimtab_base::hook::HookChain;
use trimtab_base::playbook::Playbook;
use trimtab_language::fact::{AgentIdentity, HostValues};
use trimtab_live::request::Request;
use trimtab_recordings::transcript::Requested;
use trimtab_run::run::{self, Declared, Environment, Learning, Reflection, Resolution};

/// What a host declares about its agent. What it does not declare comes from the policy's `agent` block, the first request
/// body, or the model's defaults.
#[derive(Clone, Debug, Default)]
pub struct Host {
    window: Option<u64>,
    model: Option<String>,
    agent: AgentIdentity,
    tools: Option<Vec<SmolStr>>,
    overhead: Option<u64>,
    max_iterations: Option<u64>,
    hooks: HookChain,
    learning: Learning,
    recall: Recall,
    resumes_after_stop: bool,
}

impl Host {
    /// A host that declares nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares the context window in tokens.
    #[must_use]
    pub const fn window(mut self, tokens: u64) -> Self {
        self.window = Some(tokens);
        self
    }

    /// Declares the model, which decides window and prices.
    #[must_use]
    pub fn model(mut self, id: impl Into<String>) -> Self {
        self.model = Some(id.into());
        self
    }

    /// Declares that the agent is a sub-agent of this name. `depth` is the number of agents above it, at least one.
    #[must_use]
    pub fn sub_agent(mut self, name: impl Into<String>, depth: u64) -> Self {
        self.agent = AgentIdentity { name: Some(name.into().into()), depth: depth.max(1) };
        self
    }

    /// Declares the tools of the agent.
    #[must_use]
    pub fn tools<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools = Some(names.into_iter().map(|name| name.as_ref().into()).collect());
        self
    }

    /// Declares the tokens that are sent besides the messages, such as those of tool schemas. The declaration of the tool
    /// `recall` is added if the plan needs it. The usage of replies replaces this figure.
    #[must_use]
    pub const fn overhead(mut self, tokens: u64) -> Self {
        self.overhead = Some(tokens);
        self
    }

    /// Declares that the agent gets offloaded content back with `trimtab recall` in its shell instead of a tool. The host keeps the
    /// contents where that command finds them.
    #[must_use]
    pub const fn recall_by_command(mut self) -> Self {
        self.recall = Recall::Command;
        self
    }

    /// Declares that it adds no reply to its history when a rule has stopped a request. The first message of a person after that
    /// request then begins a run, as one after a reply without tool calls does.
    #[must_use]
    pub const fn resume_after_stop(mut self) -> Self {
        self.resumes_after_stop = true;
        self
    }

    /// Declares the most iterations that it makes in a run, for its hooks.
    #[must_use]
    pub const fn max_iterations(mut self, iterations: u64) -> Self {
        self.max_iterations = Some(iterations);
        self
    }

    /// Sets the hooks that observe its sessions.
    #[must_use]
    pub fn hooks(mut self, hooks: HookChain) -> Self {
        self.hooks = hooks;
        self
    }

    /// A session that collects events if there are hooks, and that resumes after a stop as the host declares.
    pub(super) fn configured(&self, mut session: run::Session) -> run::Session {
        if !self.hooks.is_empty() {
            session.observe();
        }
        if self.resumes_after_stop {
            session.resume_after_stop();
        }
        session
    }

    /// The hooks that observe its sessions.
    pub(super) const fn hook_chain(&self) -> &HookChain {
        &self.hooks
    }

    /// Sets the playbook with which a session begins, such as that of an earlier one.
    #[must_use]
    pub fn playbook(mut self, playbook: Playbook) -> Self {
        self.learning.playbook = Arc::new(playbook);
        self
    }

    /// Declares that the host distils strategies itself. A session then asks for them with
    /// [`Next::Reflect`](super::Next::Reflect) after each iteration with tool calls; otherwise embedded rules distil them.
    #[must_use]
    pub const fn own_reflector(mut self) -> Self {
        self.learning.reflection = Reflection::Host;
        self
    }

    /// The playbook with which a session begins.
    pub(super) fn initial_playbook(&self) -> &Playbook {
        &self.learning.playbook
    }

    /// What a request names besides its messages, except what this host has declared itself.
    pub(super) fn requested(&self, session: &run::Session, request: &Request) -> Requested {
        let model = request.model().filter(|_| self.model.is_none()).map(SmolStr::from);
        let tools = || request.tool_tokens(|tools| run::tool_tokens(tools, session.estimate())).clone();
        let tools = self.tools.is_none().then(tools).filter(|tools| !tools.is_empty());
        Requested { model, tools }
    }

    /// A session of this host that begins with a request and these facts.
    pub(super) fn session(
        &self,
        plan: &Arc<trimtab_language::plan::Plan>,
        first: &Request,
        facts: &HostValues,
    ) -> run::Session {
        let (model, tools) = (first.model(), first.tools());
        let names: Vec<SmolStr> = tools.iter().map(|tool| tool.name.clone()).collect();
        let resolution = Resolution::of(
            plan,
            &Declared {
                given_window: self.window,
                given_model: self.model.as_deref(),
                given_tools: self.tools.as_deref(),
                agent: Some(&self.agent),
                model: model.as_deref(),
                tools: &names,
                recall: self.recall,
                ..Declared::default()
            },
        );
        let (environment, overhead) = resolution.live_environment(plan, &tools, self.overhead);
        let (learning, max_iterations) = (self.learning.clone(), self.max_iterations);
        let environment = Environment { max_iterations, learning, ..environment };
        let mut session = run::Session::new(Arc::clone(plan), environment, overhead);
        session.supply(facts);
        self.configured(session)
    }
}
