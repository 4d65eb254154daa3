//! What the YAML says of the host: providers and their windows, the model, the tools.

use smol_str::SmolStr;

use super::at::{Amount, At};
use super::node::{Node, Value};
use super::{error, field, name};
use crate::diagnostic::Diagnostic;
use crate::quantity::Decimal;
use crate::source::{Span, Spanned};
use crate::syntax::tree::{Agent, Name, Term};

/// Windows of known kinds of providers in tokens, when neither the provider nor `default_context_windows` says.
const WINDOWS: [(&str, u64); 4] =
    [("anthropic", 200_000), ("openai", 128_000), ("grok", 131_072), ("gemini", 1_048_576)];

/// The providers of a file and the windows by kind that it sets.
#[derive(Debug, Default)]
pub(super) struct Providers {
    listed: Vec<Provider>,
    windows: Vec<(SmolStr, Spanned<u64>)>,
    /// Whether something is wrong with them, or some may be missing.
    doubtful: bool,
}

#[derive(Debug)]
struct Provider {
    name: Option<Name>,
    kind: Option<Name>,
    model: Option<Name>,
    window: Option<Spanned<u64>>,
}

/// What is known of the host of one agent. A window of 0 is one that was turned off.
#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    pub(super) window: Option<Spanned<u64>>,
    model: Option<Name>,
    tools: Option<Spanned<Vec<SmolStr>>>,
    /// Whether something was wrong on the way, so that nothing follows from a window that is not known.
    pub(super) doubtful: bool,
}

impl Providers {
    /// `whole` says that nothing of the document is missing.
    pub(super) fn read(root: &Node, whole: bool, findings: &mut Vec<Diagnostic>) -> Self {
        let before = findings.len();
        let mut providers = Self::default();
        for node in field::list(root, "providers", findings) {
            let provider = Provider::read(node, findings);
            let same =
                |other: &&Provider| other.name.as_ref().map(|n| &n.node) == provider.name.as_ref().map(|n| &n.node);
            if let (Some(new), Some(old)) =
                (&provider.name, providers.listed.iter().find(same).and_then(|old| old.name.as_ref()))
            {
                findings.push(error::said_twice("provider", new, old.span));
            }
            providers.listed.push(provider);
        }
        for entry in field::map(root, "default_context_windows", findings).map(Node::entries).unwrap_or_default() {
            if let Some(window) = field::window(&entry.value, &entry.key.node, findings) {
                providers.windows.push((entry.key.node.clone(), window));
            }
        }
        providers.doubtful = !whole || findings.len() > before;
        providers
    }

    /// The provider that an agent names, or the first.
    fn of(&self, agent: &Node, who: &str, findings: &mut Vec<Diagnostic>) -> Option<&Provider> {
        let Some(wanted) = agent.get("provider").filter(|node| node.text().is_some()) else {
            return self.listed.first();
        };
        let wanted = Spanned::new(wanted.text().cloned().unwrap_or_default(), wanted.span);
        let names: Vec<&Name> = self.listed.iter().filter_map(|provider| provider.name.as_ref()).collect();
        let found = self.listed.iter().find(|one| one.name.as_ref().is_some_and(|name| name.node == wanted.node));
        if found.is_none() && !names.is_empty() {
            let known: Vec<&str> = names.iter().map(|name| name.node.as_str()).collect();
            findings.push(error::unknown_provider(&wanted, who, &known));
        }
        found
    }

    fn window(&self, provider: &Provider) -> Option<Spanned<u64>> {
        let of_kind = || {
            let kind = provider.kind.as_ref()?;
            let set = self.windows.iter().find(|(name, _)| *name == kind.node).map(|(_, window)| *window);
            let known = || WINDOWS.iter().find(|(name, _)| *name == kind.node);
            set.or_else(|| known().map(|(_, window)| Spanned::new(*window, kind.span)))
        };
        provider.window.or_else(of_kind)
    }
}

impl Provider {
    fn read(node: &Node, findings: &mut Vec<Diagnostic>) -> Self {
        if !matches!(node.value, Value::Map(_) | Value::Broken) {
            findings.push(error::wrong_type(node.span, "a provider", "a map", node.noun()));
        }
        field::near_misses(node, "a provider", &["context_window"], &[], findings);
        Self {
            name: field::text(node, "name", findings),
            kind: field::text(node, "kind", findings),
            model: own_text(node, "model"),
            window: node.get("context_window").and_then(|node| field::window(node, "context_window", findings)),
        }
    }
}

/// A text under a key that may also be the host's own, with another type.
fn own_text(node: &Node, key: &str) -> Option<Name> {
    let node = node.get(key)?;
    node.text().map(|text| Spanned::new(text.clone(), node.span))
}

impl Host {
    /// What an agent says itself, then what stands at the top, then its provider.
    pub(super) fn read(scopes: &[&Node], providers: &Providers, who: &str, findings: &mut Vec<Diagnostic>) -> Self {
        let before = findings.len();
        let provider = scopes.first().and_then(|agent| providers.of(agent, who, findings));
        let mut host = Self::default();
        for scope in scopes {
            host.window = host.window.or_else(|| own_window(scope, findings));
            host.model = host.model.or_else(|| own_text(scope, "model"));
            host.tools = host.tools.or_else(|| tools(scope));
        }
        host.window = host.window.or_else(|| providers.window(provider?));
        host.model = host.model.or_else(|| provider?.model.clone());
        host.doubtful = providers.doubtful || findings.len() > before;
        host
    }

    /// The window, when it is known and not turned off.
    pub(super) fn open_window(&self) -> Option<Spanned<u64>> {
        self.window.filter(|window| window.node > 0)
    }
}

fn own_window(scope: &Node, findings: &mut Vec<Diagnostic>) -> Option<Spanned<u64>> {
    ["window", "context_window"].into_iter().find_map(|key| field::window(scope.get(key)?, key, findings))
}

/// The tools, when all of them are names or maps with a name.
fn tools(scope: &Node) -> Option<Spanned<Vec<SmolStr>>> {
    let node = scope.get("tools")?;
    let Value::List(items) = &node.value else { return None };
    let named = |item: &Node| item.text().or_else(|| item.get("name")?.text()).cloned();
    let tools: Option<Vec<SmolStr>> = items.iter().map(|item| named(item)).collect();
    tools.map(|tools| Spanned::new(tools, node.span))
}

/// The `agent` block that says what is true of all agents of the file. What they do not share is left out.
pub(super) fn agent(hosts: &[(Span, Host)], findings: &mut Vec<Diagnostic>) -> Option<Agent> {
    let ((place, first), others) = hosts.split_first()?;
    let tokens = |host: &Host| host.window.map(|window| window.node);
    let differs = others.iter().find(|(_, host)| tokens(host) != tokens(first));
    let doubtful = hosts.iter().any(|(_, host)| host.doubtful);
    if let Some((other_place, other)) = differs.filter(|_| !doubtful) {
        let seen = |place: &Span, host: &Host| (host.window.map_or(*place, |window| window.span), tokens(host));
        findings.push(error::windows_differ(seen(place, first), seen(other_place, other)));
    }
    let mut terms = Vec::new();
    if let Some(model) = &first.model
        && others.iter().all(|(_, host)| host.model.as_ref().is_some_and(|other| other.node == model.node))
    {
        let at = At(model.span);
        terms.extend([at.word("model"), at.text_term(&model.node)]);
    }
    if let Some(window) = first.open_window().filter(|_| differs.is_none()) {
        terms.extend(Amount::new(Decimal::from(window.node), window.span).label("window", "tokens"));
    }
    if let Some(tools) = &first.tools
        && others.iter().all(|(_, host)| host.tools.as_ref().is_some_and(|other| other.node == tools.node))
    {
        let at = At(tools.span);
        terms.extend([at.word("tools"), at.list(tools.node.iter().map(|tool| tool_term(at, tool)).collect())]);
    }
    let span = terms.iter().map(|term| term.span).reduce(Span::to)?;
    Some(Agent { terms, span })
}

fn tool_term(at: At, tool: &str) -> Term {
    if name::fits_a_list(tool) { at.word(tool) } else { at.text_term(tool) }
}
