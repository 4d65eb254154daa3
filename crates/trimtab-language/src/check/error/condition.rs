//! Errors in conditions and comparisons.

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Type, Unit};
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::tree::{Comparison, Expr, ExprKind, Operator};

use super::of_type;
use crate::check::policy::Reading;

pub(crate) static CHAIN: Code = Code::new("E309", Severity::Error, include_str!("condition/E309.md"));
pub(crate) static TWO_FACTS: Code = Code::new("E310", Severity::Error, include_str!("condition/E310.md"));
pub(crate) static NO_FACT: Code = Code::new("E311", Severity::Error, include_str!("condition/E311.md"));
pub(crate) static NO_TRUTH: Code = Code::new("E312", Severity::Error, include_str!("condition/E312.md"));
pub(crate) static OPERATOR: Code = Code::new("E313", Severity::Error, include_str!("condition/E313.md"));
pub(crate) static TRUTH: Code = Code::new("E314", Severity::Error, include_str!("condition/E314.md"));
pub(crate) static OPTIONAL: Code = Code::new("E315", Severity::Error, include_str!("condition/E315.md"));
pub(crate) static KNOWN: Code = Code::new("E316", Severity::Warning, include_str!("condition/E316.md"));

/// `a < b < c`
pub(crate) fn chain(span: Span, rest: &[(Spanned<Operator>, Expr)]) -> Diagnostic {
    let finding = Diagnostic::new(&CHAIN, span, "comparisons cannot be chained", "more than one comparison");
    match rest {
        [(first, middle), (second, _)] => {
            let (a, b) = (first.node.symbol(), second.node.symbol());
            let finding = finding.label(middle.span, "compared twice");
            match &middle.kind {
                ExprKind::Name(name) => finding
                    .help(format!("write two comparisons: `… {a} {name} and {name} {b} …`"))
                    .fix("write two comparisons", false, middle.span.after(), format!(" and {name}")),
                _ => finding.help(format!("write two comparisons: `a {a} b and b {b} c`")),
            }
        }
        _ => finding.help("write separate comparisons and join them with `and`"),
    }
}

/// A comparison of two facts.
pub(crate) fn two_facts(span: Span, left: &Reading, right: &Reading) -> Diagnostic {
    let message = format!("`{}` is compared with another fact", left.name());
    let finding = Diagnostic::new(&TWO_FACTS, span, message, "neither side is constant")
        .label(left.span, "a fact")
        .label(right.span, "a fact");
    finding.help(match right.fact.ty {
        Type::Number(unit) => format!("compare one of them with a constant, such as `{}`", unit.sample()),
        _ => "compare one of them with a constant".to_owned(),
    })
}

/// A comparison of two constants.
pub(crate) fn no_fact(span: Span) -> Diagnostic {
    Diagnostic::new(&NO_FACT, span, "both sides of this comparison are constants", "always has the same result")
        .help("compare a fact, such as `context.ratio`, or write `true` or `false`")
}

/// A constant that is not a boolean where a condition is expected.
pub(crate) fn not_a_condition(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&NO_TRUTH, span, format!("expected a condition, found {noun}"), noun)
        .help("compare it with a fact: `context.ratio >= 80%`")
}

/// A fact that is not a boolean where a condition is expected.
pub(crate) fn no_truth(span: Span, reading: &Reading) -> Diagnostic {
    let (name, fact) = (reading.name(), reading.fact);
    let message = format!("expected a condition, but `{name}` is {}", of_type(fact.ty));
    let finding = Diagnostic::new(&NO_TRUTH, span, message, of_type(fact.ty));
    finding.help(match fact.ty {
        Type::Number(unit) => format!("compare it: `{name} >= {}`", unit.sample()),
        _ => format!("compare it: `{name} == \"…\"`"),
    })
}

/// A condition as a side of a comparison.
pub(crate) fn compared_condition(span: Span) -> Diagnostic {
    Diagnostic::new(&TRUTH, span, "a condition cannot be compared", "already true or false")
        .help("remove the comparison; write `not (…)` to negate the condition")
}

/// Something else where a fact is expected.
pub(crate) fn not_a_fact(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&NO_TRUTH, span, format!("expected a fact, found {noun}"), noun)
        .help("write a fact, such as `failures`")
}

/// `in` or `contains` with the fact on the wrong side.
pub(crate) fn swapped(span: Span, operator: Operator, fact: Span) -> Diagnostic {
    let operator = operator.symbol();
    Diagnostic::new(
        &OPERATOR,
        span,
        format!("the fact must be on the left of `{operator}`"),
        "operands in the wrong order",
    )
    .label(fact, "the fact")
    .help(format!("swap the operands of `{operator}`"))
}

/// An operator that the type of the fact does not support.
pub(crate) fn wrong_operator(operator: Spanned<Operator>, reading: &Reading) -> Diagnostic {
    let fact = reading.fact;
    let ty = of_type(fact.ty);
    let message = format!("`{}` is {ty}, which does not support `{}`", reading.name(), operator.node.symbol());
    let finding = Diagnostic::new(&OPERATOR, operator.span, message, format!("not supported by {ty}"));
    finding.help(match fact.ty {
        Type::Number(_) => "numbers support `<`, `<=`, `>`, `>=`, `==`, `!=` and `in`",
        _ => "texts support `==`, `!=`, `in` and `contains`",
    })
}

/// `in` without a list.
pub(crate) fn in_takes_list(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&OPERATOR, span, format!("`in` takes a list, not {noun}"), noun)
        .help("write a list, such as `[bash, read_file]`, or use `==`")
}

/// `in []`
pub(crate) fn empty_list(span: Span) -> Diagnostic {
    Diagnostic::new(&OPERATOR, span, "this list is empty, so the condition is never true", "empty list")
        .help("add the values to compare with")
}

/// A comparison of a boolean fact; `truth` is the other side if it is `true` or `false`.
pub(crate) fn compared_boolean(fact: Span, whole: Span, operator: Operator, truth: Option<bool>) -> Diagnostic {
    let finding = Diagnostic::new(&TRUTH, whole, "a boolean fact needs no comparison", "already true or false")
        .label(fact, "already a condition");
    let is_positive = match (operator, truth) {
        (Operator::Comparison(Comparison::Equal), Some(truth)) => truth,
        (Operator::Comparison(Comparison::Unequal), Some(truth)) => !truth,
        _ => return finding.help("write the fact alone, or with `not` before it"),
    };
    let before = if is_positive { "" } else { "not " };
    let mut edits = vec![
        TextEdit { span: Span { end: fact.start, ..whole }, text: before.to_owned() },
        TextEdit { span: Span { start: fact.end, ..whole }, text: String::new() },
    ];
    edits.retain(|edit| edit.span.start != edit.span.end || !edit.text.is_empty());
    let help = if is_positive { "write the fact alone" } else { "write `not` before the fact" };
    let mut finding = finding.help(help);
    finding.fixes.push(Fix::new(help, true, edits));
    finding
}

/// A fact that may be unknown where a value is required.
pub(crate) fn may_be_unknown(span: Span, reading: &Reading) -> Diagnostic {
    let fact = reading.fact;
    let default = match fact.ty {
        Type::Number(Unit::Share) => "0%",
        Type::Number(Unit::Tokens) => "0 tokens",
        Type::Number(Unit::Chars) => "0 chars",
        Type::Number(Unit::Duration) => "0s",
        Type::Number(Unit::Money) => "$0",
        Type::Number(Unit::Counted(_)) => "0",
        Type::Bool => "false",
        _ => "\"\"",
    };
    let name = reading.name();
    let is_bare = fact.parameters.is_empty() || fact.is_host();
    let read = if is_bare { name.to_string() } else { format!("{name}(…)") };
    let mut finding = Diagnostic::new(&OPTIONAL, span, format!("`{name}` may be unknown"), "may have no value")
        .help(format!("give a default: `({read} ?? {default})`, or write `known({read}) and …` before it"));
    let edits = vec![
        TextEdit { span: Span { end: span.start, ..span }, text: "(".to_owned() },
        TextEdit { span: span.after(), text: format!(" ?? {default})") },
    ];
    finding.fixes.push(Fix::new(format!("write `?? {default}`"), false, edits));
    finding
}

/// A fact that may be unknown in a text.
pub(crate) fn may_be_unknown_in_text(span: Span, reading: &Reading) -> Diagnostic {
    let name = reading.name();
    Diagnostic::new(&OPTIONAL, span, format!("`{name}` may be unknown"), "may have no value")
        .help(format!("give a default: `{{{name} ?? \"…\"}}`, or test `known({name})` in `when`"))
        .fix("add `?? \"…\"`", false, span.after(), " ?? \"unknown\"")
}

/// A fact after `??`.
pub(crate) fn default_is_fact(span: Span) -> Diagnostic {
    Diagnostic::new(&super::value::CONSTANT, span, "the default after `??` must be a constant", "a fact")
        .help("write a constant, such as `0`")
}

/// `??` after a fact that is always known.
pub(crate) fn needless_default(fact: Span, default: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&KNOWN, default, format!("`{name}` is always known"), "never used").help("remove the default").fix(
        "remove the default",
        false,
        Span { start: fact.end, ..default },
        "",
    )
}

/// `known` of a fact that is always known.
pub(crate) fn always_known(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&KNOWN, span, format!("`{name}` is always known"), "always true").help("remove it")
}
