//! The host that a YAML file describes: providers with their windows, the model, the tools.

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Span, Spanned};

use super::node::{Node, Value};
use super::{error, field, name};
use crate::syntax::tree::{Agent, Name, Number, Term, TermKind, Text};

/// The default windows of known kinds of providers, in tokens.
const WINDOWS: [(&str, u64); 4] =
    [("anthropic", 200_000), ("openai", 128_000), ("grok", 131_072), ("gemini", 1_048_576)];

/// The providers of a file, and the default windows that it sets for kinds of providers.
#[derive(Debug, Default)]
pub(super) struct Providers {
    listed: Vec<Provider>,
    windows: Vec<(SmolStr, Spanned<u64>)>,
    /// Whether there are errors, so that some may be missing.
    is_incomplete: bool,
}

#[derive(Debug)]
struct Provider {
    name: Option<Name>,
    kind: Option<Name>,
    model: Option<Name>,
    window: Option<Spanned<u64>>,
}

/// The host of one agent. A window of 0 turns off the effects that need one.
#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    pub(super) window: Option<Spanned<u64>>,
    model: Option<Name>,
    tools: Option<Spanned<Vec<SmolStr>>>,
    /// Whether there were errors, so that an unknown window means nothing.
    pub(super) is_incomplete: bool,
}

impl Providers {
    /// Reads the providers; `is_complete` if the whole document could be parsed.
    pub(super) fn read(root: &Node, is_complete: bool, findings: &mut Vec<Diagnostic>) -> Self {
        let before = findings.len();
        let mut providers = Self::default();
        for node in field::list(root, "providers", findings) {
            let provider = Provider::read(node, findings);
            let same =
                |other: &&Provider| other.name.as_ref().map(|n| &n.node) == provider.name.as_ref().map(|n| &n.node);
            if let (Some(new), Some(old)) =
                (&provider.name, providers.listed.iter().find(same).and_then(|old| old.name.as_ref()))
            {
                findings.push(error::duplicate("provider", new, old.span));
            }
            providers.listed.push(provider);
        }
        for entry in field::map(root, "default_context_windows", findings).map(Node::entries).unwrap_or_default() {
            if let Some(window) = field::window(&entry.value, &entry.key.node, findings) {
                providers.windows.push((entry.key.node.clone(), window));
            }
        }
        providers.is_incomplete = !is_complete || findings.len() > before;
        providers
    }

    /// The provider that an agent names; the first one if it names none.
    fn of_agent(&self, agent: &Node, prefix: &str, findings: &mut Vec<Diagnostic>) -> Option<&Provider> {
        let Some(wanted) = agent.get("provider").filter(|node| node.text().is_some()) else {
            return self.listed.first();
        };
        let wanted = Spanned::new(wanted.text().cloned().unwrap_or_default(), wanted.span);
        let names: Vec<&Name> = self.listed.iter().filter_map(|provider| provider.name.as_ref()).collect();
        let found = self.listed.iter().find(|agent| agent.name.as_ref().is_some_and(|name| name.node == wanted.node));
        if found.is_none() && !names.is_empty() {
            let known: Vec<&str> = names.iter().map(|name| name.node.as_str()).collect();
            findings.push(error::unknown_provider(&wanted, prefix, &known));
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
        field::check_spelling(node, "a provider", &["context_window"], &[], findings);
        Self {
            name: field::text(node, "name", findings),
            kind: field::text(node, "kind", findings),
            model: optional_text(node, "model"),
            window: node.get("context_window").and_then(|node| field::window(node, "context_window", findings)),
        }
    }
}

/// The text of a key that a host may use with a value of another type.
fn optional_text(node: &Node, key: &str) -> Option<Name> {
    let node = node.get(key)?;
    node.text().map(|text| Spanned::new(text.clone(), node.span))
}

impl Host {
    /// Reads the values of the agent, else those of the file, else those of its provider.
    pub(super) fn read(scopes: &[&Node], providers: &Providers, prefix: &str, findings: &mut Vec<Diagnostic>) -> Self {
        let before = findings.len();
        let provider = scopes.first().and_then(|agent| providers.of_agent(agent, prefix, findings));
        let mut host = Self::default();
        for scope in scopes {
            host.window = host.window.or_else(|| own_window(scope, findings));
            host.model = host.model.or_else(|| optional_text(scope, "model"));
            host.tools = host.tools.or_else(|| tools(scope));
        }
        host.window = host.window.or_else(|| providers.window(provider?));
        host.model = host.model.or_else(|| provider?.model.clone());
        host.is_incomplete = providers.is_incomplete || findings.len() > before;
        host
    }

    /// The window, if it is known and not 0.
    pub(super) fn positive_window(&self) -> Option<Spanned<u64>> {
        self.window.filter(|window| window.node > 0)
    }
}

fn own_window(scope: &Node, findings: &mut Vec<Diagnostic>) -> Option<Spanned<u64>> {
    ["window", "context_window"].into_iter().find_map(|key| field::window(scope.get(key)?, key, findings))
}

/// The tools, if all of them are names or maps with a name.
fn tools(scope: &Node) -> Option<Spanned<Vec<SmolStr>>> {
    let node = scope.get("tools")?;
    let Value::List(items) = &node.value else { return None };
    let named = |item: &Node| item.text().or_else(|| item.get("name")?.text()).cloned();
    let tools: Option<Vec<SmolStr>> = items.iter().map(|item| named(item)).collect();
    tools.map(|tools| Spanned::new(tools, node.span))
}

/// The `agent` block with the values that all agents of the file share.
pub(super) fn agent(hosts: &[(Span, Host)], findings: &mut Vec<Diagnostic>) -> Option<Agent> {
    let ((place, first), others) = hosts.split_first()?;
    let tokens = |host: &Host| host.window.map(|window| window.node);
    let differs = others.iter().find(|(_, host)| tokens(host) != tokens(first));
    let is_incomplete = hosts.iter().any(|(_, host)| host.is_incomplete);
    if let Some((other_place, other)) = differs.filter(|_| !is_incomplete) {
        let seen = |place: &Span, host: &Host| (host.window.map_or(*place, |window| window.span), tokens(host));
        findings.push(error::windows_differ(seen(place, first), seen(other_place, other)));
    }
    let mut terms = Vec::new();
    if let Some(model) = &first.model
        && others.iter().all(|(_, host)| host.model.as_ref().is_some_and(|other| other.node == model.node))
    {
        terms.extend([word("model", model.span), text(&model.node, model.span)]);
    }
    if let Some(Spanned { node: tokens, span }) = first.positive_window().filter(|_| differs.is_none()) {
        let number = TermKind::Number(Number::Plain(Decimal::from(tokens)));
        terms.extend([word("window", span), Term { kind: number, span }, word("tokens", span)]);
    }
    if let Some(Spanned { node: tools, span }) = &first.tools
        && others.iter().all(|(_, host)| host.tools.as_ref().is_some_and(|other| other.node == *tools))
    {
        let tool = |tool: &SmolStr| if name::fits_a_list(tool) { word(tool, *span) } else { text(tool, *span) };
        terms.extend([
            word("tools", *span),
            Term { kind: TermKind::List(tools.iter().map(tool).collect()), span: *span },
        ]);
    }
    let span = terms.iter().map(|term| term.span).reduce(Span::to)?;
    Some(Agent { terms, span })
}

fn word(word: &str, span: Span) -> Term {
    Term { kind: TermKind::Word(word.into()), span }
}

fn text(text: &str, span: Span) -> Term {
    let text = Text { value: text.to_owned(), pieces: Vec::new(), block: false, span };
    Term { kind: TermKind::Text(text), span }
}
