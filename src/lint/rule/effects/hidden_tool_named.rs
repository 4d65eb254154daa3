//! `hidden-tool-named`

use smol_str::SmolStr;

use crate::check::{Action, Piece, Policy, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::{EffectKind, LabelRole};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "hidden-tool-named",
        severity: Severity::Warning,
        title: "message about a tool that is hidden",
        why: "The message asks the model for a tool that another rule hides, and both rules can be due at the same call. A \
              model that is told to use a tool which it is not offered invents a call, or gives up.",
        wrong: "edition 2026\npolicy p {\n  rule scope { do tools hide [write_note] }\n  rule notes { do inject \"Write down what is left with write_note.\" every 5 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule scope { do tools hide [web_search] }\n  rule notes { do inject \"Write down what is left with write_note.\" every 5 iterations }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        for rule in policy.rules.iter().filter(|rule| rule.span.source == subject.source.id()) {
            for action in rule.all_actions().filter(|action| action.effect.kind == EffectKind::AddMessage) {
                findings.extend(hidden(policy, rule).filter(|(_, _, tool)| names(action, tool)).map(
                    |(hiding, by, tool)| {
                        let message = format!("`{}` asks for `{tool}`, which `{}` hides", rule.name, hiding.name);
                        LINT.finding(action.span, message, "names a hidden tool")
                            .label(by.span, "hidden here")
                            .help(format!("test `has_tool(\"{tool}\")` in the condition, or do not hide the tool"))
                    },
                ));
            }
        }
    }
}

/// The tools that other rules hide, except those that this rule tests for.
fn hidden<'p>(policy: &'p Policy, own: &'p Rule) -> impl Iterator<Item = (&'p Rule, &'p Action, &'p SmolStr)> {
    let others = policy.rules.iter().filter(|rule| rule.name != own.name);
    let actions = others.flat_map(|rule| rule.all_actions().map(move |action| (rule, action)));
    let tools = actions.flat_map(|(rule, action)| {
        let tools = action.names(LabelRole::HiddenTools).unwrap_or_default();
        tools.iter().map(move |tool| (rule, action, tool))
    });
    tools.filter(|(_, _, tool)| !tests_for(own, tool))
}

/// Whether a rule reads whether a tool is there.
fn tests_for(rule: &Rule, tool: &SmolStr) -> bool {
    rule.readings().iter().any(|reading| {
        reading.arguments.iter().any(|value| matches!(value, crate::quantity::Value::Text(name) if name == tool))
    })
}

/// Whether a text contains a name as a whole word. A name without a separator may be an ordinary word.
fn names(action: &Action, tool: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
    let contains = |text: &str| text.split(|char| !is_part(char)).any(|word| word.trim_end_matches('.') == tool);
    let is_ordinary = tool.chars().all(char::is_alphabetic);
    !is_ordinary
        && action.texts().flat_map(|text| &text.pieces).any(|piece| match piece {
            Piece::Literal(text) => contains(text),
            Piece::Fact(_) | Piece::Variable(_) => false,
        })
}
