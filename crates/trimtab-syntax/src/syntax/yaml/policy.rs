//! Turns a YAML document into the items of a policy file: one policy for each list of effects, and an `agent` block.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Span, Spanned};

use super::effect::{self, Effect, EntryOutcome};
use super::host::{self, Host, Providers};
use super::name::{self, Names};
use super::node::{Node, Value};
use super::{error, field, kind};
use crate::syntax::tree::{Broken, Item, Name, Policy, PolicyItem};

/// The keys of a file. A key that is nearly one of them is reported as misspelt.
pub(super) const FILE_KEYS: [&str; 5] = ["effects", "agents", "providers", "default_context_windows", "options"];
/// The keys of an agent.
pub(super) const AGENT_KEYS: [&str; 3] = ["effects", "options", "context_window"];
/// Keys that are too common to be taken for a misspelt one.
const COMMON_KEYS: [&str; 6] = ["provider", "model", "window", "context_window", "tools", "name"];

/// A map with its own effects: the file or an agent.
struct Scope<'a> {
    map: &'a Node,
    /// The name of its policy.
    name: Name,
    /// The prefix of messages about it: empty, or `` agent `coder`: ``.
    prefix: String,
    span: Span,
}

/// The items of a document; `is_complete` if the whole document could be parsed.
pub(super) fn items(root: &Node, is_complete: bool, findings: &mut Vec<Diagnostic>) -> Vec<Item> {
    let broken = vec![Item::Broken(Broken { name: None, span: root.span })];
    if !matches!(root.value, Value::Map(_)) {
        if is_complete && !root.is_broken() {
            findings.push(error::no_policy(root.span, root.noun()));
        }
        return broken;
    }
    let before = findings.len();
    field::check_spelling(root, "the file", &FILE_KEYS, &COMMON_KEYS, findings);
    let scopes = scopes(root, findings);
    if scopes.is_empty() {
        if is_complete && findings.len() == before {
            findings.push(error::no_policy(root.span, "neither `effects` nor `agents`"));
        }
        return broken;
    }
    let providers = Providers::read(root, is_complete, findings);
    let mut hosts = Vec::new();
    let mut policies = Vec::new();
    for scope in &scopes {
        let is_root = std::ptr::eq(scope.map, root);
        let maps = if is_root { vec![root] } else { vec![scope.map, root] };
        let host = Host::read(&maps, &providers, &scope.prefix, findings);
        policies.push(Item::Policy(policy(scope, &host, findings)));
        hosts.push((scope.name.span, host));
    }
    host::agent(&hosts, findings).map(Item::Agent).into_iter().chain(policies).collect()
}

/// The file itself if it has effects, and every agent.
fn scopes<'a>(root: &'a Node, findings: &mut Vec<Diagnostic>) -> Vec<Scope<'a>> {
    let mut names = Names::default();
    let mut scopes = Vec::new();
    if let Some(entry) = root.entries().iter().find(|entry| entry.key.node == "effects") {
        let name = Spanned::new(names.unique("effects"), entry.key.span);
        scopes.push(Scope { map: root, name, prefix: String::new(), span: entry.key.span.to(entry.value.span) });
    }
    let mut seen: HashMap<SmolStr, Span> = HashMap::new();
    for (index, node) in field::list(root, "agents", findings).iter().enumerate() {
        if !matches!(node.value, Value::Map(_)) {
            if !node.is_broken() {
                findings.push(error::wrong_type(node.span, &format!("agents[{index}]"), "a map", node.noun()));
            }
            continue;
        }
        field::check_spelling(node, "an agent", &AGENT_KEYS, &COMMON_KEYS, findings);
        let written = field::text(node, "name", findings);
        if let Some(name) = &written
            && let Some(first) = seen.insert(name.node.clone(), name.span)
        {
            findings.push(error::duplicate("agent", name, first));
        }
        let prefix = written.as_ref().map_or(format!("agents[{index}]: "), |name| error::agent_prefix(&name.node));
        let (text, place) = written.map_or((SmolStr::default(), node.span), |name| (name.node, name.span));
        let name = Spanned::new(names.unique(&name::valid(&text)), place);
        scopes.push(Scope { map: node, name, prefix, span: node.span });
    }
    scopes
}

/// The policy of a map. Effects behind an alias appear in several policies with the same spans.
fn policy(scope: &Scope<'_>, host: &Host, findings: &mut Vec<Diagnostic>) -> Policy {
    let threshold = context_threshold(scope.map, findings);
    let listed = field::list(scope.map, "effects", findings);
    let mut outcomes: Vec<(EntryOutcome, Span)> = Vec::new();
    for (index, node) in listed.iter().enumerate() {
        let place = format!("{}effect[{index}]", scope.prefix);
        outcomes.push((effect::read(node, &place, host.window, findings), node.span));
    }
    let is_list = scope.map.get("effects").is_none_or(|node| matches!(node.value, Value::List(_)));
    if listed.is_empty() && is_list {
        match host.positive_window() {
            Some(_) => {
                let empty = scope.map.get("effects").filter(|node| matches!(node.value, Value::List(_)));
                findings.extend(empty.map(|node| error::empty_list(node.span, &scope.prefix, &DEFAULT_KINDS)));
                outcomes.extend(default_effects(scope.name.span, threshold));
            }
            None if host.is_incomplete => {}
            None => findings.push(error::no_rules(scope.name.span, &scope.prefix)),
        }
    }
    Policy { name: scope.name.clone(), title: None, base: None, items: rules(outcomes), span: scope.span }
}

/// The kinds of the effects of an agent that lists none.
const DEFAULT_KINDS: [&str; 2] = ["trim_tool_results", "compact"];

/// The effects of an agent with a known window that lists none.
fn default_effects(place: Span, threshold: Option<Spanned<Decimal>>) -> impl Iterator<Item = (EntryOutcome, Span)> {
    let kinds = DEFAULT_KINDS.into_iter().filter_map(kind::find);
    kinds.map(move |kind| {
        let mut effect = Effect::with_defaults(kind, place);
        if let Some(threshold) = threshold {
            effect.set("threshold", threshold);
        }
        (EntryOutcome::Rule(effect), place)
    })
}

/// The rules in the order in which they run, named after their kinds.
fn rules(mut outcomes: Vec<(EntryOutcome, Span)>) -> Vec<PolicyItem> {
    outcomes.sort_by_key(|(outcome, _)| match outcome {
        EntryOutcome::Rule(Effect { kind, .. }) | EntryOutcome::Broken(Some(kind)) => kind.rank,
        EntryOutcome::Off | EntryOutcome::Broken(None) => u8::MAX,
    });
    let mut names = Names::default();
    let mut items = Vec::new();
    for (outcome, span) in outcomes {
        match outcome {
            EntryOutcome::Rule(effect) => {
                let rules = effect.rules(&names.unique(effect.kind.name));
                items.extend(rules.into_iter().map(PolicyItem::Rule));
            }
            EntryOutcome::Off => {}
            EntryOutcome::Broken(kind) => {
                let name = kind.map(|kind| Spanned::new(names.unique(kind.name), span));
                items.push(PolicyItem::Broken(Broken { name, span }));
            }
        }
    }
    items
}

/// `options.context_threshold`; `None` if it is absent or 0.
fn context_threshold(map: &Node, findings: &mut Vec<Diagnostic>) -> Option<Spanned<Decimal>> {
    const KEY: &str = "context_threshold";
    let options = field::map(map, "options", findings)?;
    field::check_spelling(options, "`options`", &[KEY], &[], findings);
    let number = field::number(options.get(KEY)?, KEY, findings)?;
    if number.node.is_zero() {
        return None;
    }
    if number.node < Decimal::ZERO || number.node >= Decimal::ONE {
        findings.push(error::out_of_range(number.span, KEY, "in (0, 1), or 0 for its default of 0.8"));
        return None;
    }
    Some(number)
}
