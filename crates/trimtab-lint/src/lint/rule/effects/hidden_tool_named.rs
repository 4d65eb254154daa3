//! `hidden-tool-named`

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Policy, Rule, TextPiece};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("hidden-tool-named", Severity::Warning, include_str!("hidden_tool_named.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let hidden = Hidden::by(policy);
        for rule in policy.rules.iter().filter(|rule| rule.span.source == subject.source.id()) {
            for action in rule.all_actions().filter(|action| action.effect.kind == EffectKind::AddMessage) {
                findings.extend(hidden.named_by(rule, action).map(|(hiding, by, tool)| {
                    let message = format!("`{}` asks for `{tool}`, which `{}` hides", rule.name, hiding.name);
                    LINT.finding(action.span, message, "names a hidden tool")
                        .label(by.span, "hidden here")
                        .help(format!("test `has_tool(\"{tool}\")` in the condition, or do not hide the tool"))
                }));
            }
        }
    }
}

/// The tools that the rules of a policy hide.
struct Hidden<'p> {
    all: Vec<(&'p Rule, &'p Action, &'p SmolStr)>,
    by_name: HashMap<&'p str, Vec<usize>>,
}

impl<'p> Hidden<'p> {
    fn by(policy: &'p Policy) -> Self {
        let actions = policy.rules.iter().flat_map(|rule| rule.all_actions().map(move |action| (rule, action)));
        let tools = actions.flat_map(|(rule, action)| {
            let tools = action.names(LabelRole::HiddenTools).unwrap_or_default();
            tools.iter().map(move |tool| (rule, action, tool))
        });
        let all: Vec<_> = tools.collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (.., tool)) in all.iter().enumerate().filter(|(_, (.., tool))| !is_ordinary(tool)) {
            by_name.entry(tool).or_default().push(at);
        }
        Self { all, by_name }
    }

    /// The tools that other rules hide and that a message names, except those that its rule tests for.
    fn named_by(&self, own: &Rule, action: &Action) -> impl Iterator<Item = (&'p Rule, &'p Action, &'p SmolStr)> {
        let places = words(action).filter_map(|word| self.by_name.get(word)).flatten().copied();
        let places: BTreeSet<usize> = if self.all.is_empty() { BTreeSet::new() } else { places.collect() };
        let named = places.into_iter().map(|at| self.all[at]);
        named.filter(|(rule, _, tool)| rule.name != own.name && !tests_for(own, tool))
    }
}

/// Whether a rule reads whether a tool is there.
fn tests_for(rule: &Rule, tool: &SmolStr) -> bool {
    rule.readings().iter().any(|reading| {
        reading.arguments.iter().any(|value| matches!(value, trimtab_base::quantity::Value::Text(name) if name == tool))
    })
}

/// Whether a name may be an ordinary word, because it has no separator.
fn is_ordinary(tool: &str) -> bool {
    tool.chars().all(char::is_alphabetic)
}

/// The words of the texts of an action.
fn words(action: &Action) -> impl Iterator<Item = &str> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
    let literals = action.texts().flat_map(|text| &text.pieces).filter_map(|piece| match piece {
        TextPiece::Literal(text) => Some(text),
        TextPiece::Fact(_) | TextPiece::Variable(_) => None,
    });
    literals.flat_map(move |text| text.split(move |char| !is_part(char))).map(|word| word.trim_end_matches('.'))
}
