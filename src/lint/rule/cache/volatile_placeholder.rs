//! `volatile-placeholder`

use crate::check::{Piece, Reading, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::effect::LabelRole;
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::is_light;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "volatile-placeholder",
        severity: Severity::Warning,
        title: "a placeholder that holds a number of the moment",
        why: "A placeholder is written once and read at every later call, so a fact in it tells the model what was \
              true when it was written as if it were true now. A host that builds the context anew from its log \
              writes other bytes each time, and loses the prompt cache.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 10 messages placeholder \"[{tool}, taken out at {context.ratio}]\" at_least 4k tokens }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 10 messages placeholder \"[{tool}, taken out]\" at_least 4k tokens }\n}\n",
    },
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for action in rule.actions.iter().filter(|action| is_light(action)) {
        let Some(template) = action.template(LabelRole::Placeholder) else { continue };
        for piece in &template.pieces {
            if let Piece::Fact(reading) = piece {
                found.push(finding(subject, reading));
            }
        }
    }
}

fn finding(subject: &Subject<'_>, reading: &Reading) -> Diagnostic {
    let name = reading.fact.name;
    let message = format!("the placeholder holds `{name}`, which changes from call to call");
    let mut finding = LINT
        .finding(reading.span, message, "written once, and read ever after")
        .help("say only what stays true, such as `{tool}`");
    if let Some(span) = braces(subject, reading.span).and_then(|braces| phrase(subject, braces)) {
        finding.fixes.push(fix(format!("take `{name}` out"), false, TextEdit { span, text: String::new() }));
    }
    finding
}

/// The braces around a fact in a text.
fn braces(subject: &Subject<'_>, inside: Span) -> Option<Span> {
    let text = subject.source.text();
    let start = text.get(..inside.start as usize)?.trim_end();
    let behind = text.get(inside.end as usize..)?;
    let end = text.len() - behind.trim_start().len();
    let enclosed = start.ends_with('{') && text.get(end..)?.starts_with('}');
    enclosed.then(|| Span::new(inside.source, start.len() - 1, end + 1))
}

/// Words that lead to what stands behind them.
const LEADING: &[&str] = &["after", "at", "before", "by", "for", "from", "in", "of", "on", "since", "until", "with"];

/// A fact between its braces with the word, the comma or the parentheses that only it needs; none where what is left
/// would not read well.
fn phrase(subject: &Subject<'_>, braces: Span) -> Option<Span> {
    let text = subject.source.text();
    let (before, mut behind) = (text.get(..braces.start as usize)?, text.get(braces.end as usize..)?);
    let word = before.trim_end().rsplit(|operator: char| !operator.is_alphanumeric()).next().unwrap_or_default();
    let mut left = before.trim_end();
    let is_led = LEADING.contains(&word);
    if is_led {
        left = left.strip_suffix(word)?.trim_end();
    }
    let is_apart = match left.strip_suffix('(').zip(behind.strip_prefix(')')) {
        Some((outer, rest)) => {
            (left, behind) = (outer, rest);
            true
        }
        None => left.ends_with([',', ';']),
    };
    let left = left.trim_end_matches([' ', ',', ';']);
    let reads_well = left.ends_with(|operator: char| operator.is_alphanumeric() || operator == '}')
        && behind.starts_with(['"', ']', ')', ',', ';', '.']);
    let end = text.len() - behind.len();
    (reads_well && (is_led || is_apart)).then(|| Span::new(braces.source, left.len(), end))
}
