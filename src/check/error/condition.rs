//! Conditions and comparisons.

use super::of_type;
use crate::check::constant::Constant;
use crate::check::policy::Reading;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use crate::fact::Fact;
use crate::quantity::{Type, Unit};
use crate::source::{Span, Spanned};
use crate::syntax::tree::{Expr, ExprKind, Operator};

pub(crate) static CHAIN: Code = Code {
    id: "E309",
    severity: Severity::Error,
    title: "chain of comparisons",
    why: "`a < b < c` would have to compare the truth of `a < b` with `c`. Two comparisons are joined with `and`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when 60% <= context.ratio < 80% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% and context.ratio < 80% do notify \"x\" }\n}\n",
};

pub(crate) static TWO_FACTS: Code = Code {
    id: "E310",
    severity: Severity::Error,
    title: "fact against fact",
    why: "A condition holds a fact against a constant. That is what makes it possible to prove whether rules can meet, \
          overlap or never fire.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.tokens > budget.tokens do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.tokens > 50k tokens do notify \"x\" }\n}\n",
};

pub(crate) static NO_FACT: Code = Code {
    id: "E311",
    severity: Severity::Error,
    title: "comparison without a fact",
    why: "Two constants compare the same way at every moment, so the comparison says nothing.",
    wrong: "edition 2026\nlet cap = 80%\npolicy p {\n  rule a { when cap >= 60% do notify \"x\" }\n}\n",
    right: "edition 2026\nlet cap = 80%\npolicy p {\n  rule a { when context.ratio >= cap do notify \"x\" }\n}\n",
};

pub(crate) static NO_TRUTH: Code = Code {
    id: "E312",
    severity: Severity::Error,
    title: "not a condition",
    why: "A condition is true or false: a comparison, a fact that is true or false, or several of these with `and`, `or` \
          and `not`. Numbers and texts are neither.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 1 do notify \"x\" }\n}\n",
};

pub(crate) static SIGN: Code = Code {
    id: "E313",
    severity: Severity::Error,
    title: "comparison that its type does not have",
    why: "Numbers have an order. Texts are equal or not, one of a list, or contain another. A list stands behind `in`.",
    wrong: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") > \"bash\" do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") != \"bash\" do notify \"x\" }\n}\n",
};

pub(crate) static TRUTH: Code = Code {
    id: "E314",
    severity: Severity::Error,
    title: "comparison of something true or false",
    why: "What is true or false is a condition already; `not` says the opposite.",
    wrong: "edition 2026\npolicy p {\n  rule a { when has_tool(\"bash\") == false do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when not has_tool(\"bash\") do notify \"x\" }\n}\n",
};

pub(crate) static OPTIONAL: Code = Code {
    id: "E315",
    severity: Severity::Error,
    title: "fact that may be unknown",
    why: "Some facts have no value at some moments: nothing was reported before the first reply. A policy says what holds \
          then, with `?? VALUE`, or asks `known(FACT)` first: `and`, `unless` and `not … or` carry that on.",
    wrong: "edition 2026\npolicy p {\n  rule a { when reported.ratio >= 80% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when (reported.ratio ?? 0%) >= 80% do notify \"x\" }\n}\n",
};

pub(crate) static KNOWN: Code = Code {
    id: "E316",
    severity: Severity::Warning,
    title: "question about what is always known",
    why: "The fact has a value at every moment, so `known(…)` is always true and what stands behind `??` is never used. A \
          warning.",
    wrong: "edition 2026\npolicy p {\n  rule a { when (context.ratio ?? 0%) >= 80% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
};

/// `a < b < c`
pub(crate) fn chain(span: Span, rest: &[(Spanned<Operator>, Expr)]) -> Diagnostic {
    let finding = Diagnostic::new(&CHAIN, span, "comparisons do not chain", "more than one comparison");
    match rest {
        [(first, middle), (second, _)] => {
            let (a, b) = (first.node.symbol(), second.node.symbol());
            let finding = finding.label(middle.span, "stands between both");
            match &middle.kind {
                ExprKind::Name(name) => finding.help(format!("write both: `… {a} {name} and {name} {b} …`")).fix(
                    "write both",
                    false,
                    middle.span.after(),
                    format!(" and {name}"),
                ),
                _ => finding.help(format!("write both: `a {a} b and b {b} c`")),
            }
        }
        _ => finding.help("write each comparison, with `and` between them"),
    }
}

/// A fact held against a fact.
pub(crate) fn two_facts(span: Span, left: &Reading, right: &Reading) -> Diagnostic {
    let message = format!("`{}` is held against another fact", left.fact.name);
    let finding = Diagnostic::new(&TWO_FACTS, span, message, "both sides change")
        .label(left.span, "a fact")
        .label(right.span, "a fact");
    finding.help(match right.fact.ty {
        Type::Number(unit) => format!("hold one of them against a constant, such as `{}`", unit.sample()),
        _ => "hold one of them against a constant".to_owned(),
    })
}

/// Two constants.
pub(crate) fn no_fact(span: Span) -> Diagnostic {
    Diagnostic::new(&NO_FACT, span, "both sides of this comparison are constants", "always the same")
        .help("compare a fact, such as `context.ratio`, or write `true` or `false`")
}

/// A constant that is neither true nor false where a condition is wanted.
pub(crate) fn not_a_condition(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&NO_TRUTH, span, format!("a condition is true or false, and this is {noun}"), noun)
        .help("compare it with a fact: `context.ratio >= 80%`")
}

/// A fact that is neither true nor false where a condition is wanted.
pub(crate) fn no_truth(span: Span, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` is {}, not true or false", fact.name, of_type(fact.ty));
    let finding = Diagnostic::new(&NO_TRUTH, span, message, of_type(fact.ty));
    finding.help(match fact.ty {
        Type::Number(unit) => format!("compare it: `{} >= {}`", fact.name, unit.sample()),
        _ => format!("compare it: `{} == \"…\"`", fact.name),
    })
}

/// A condition as a side of a comparison.
pub(crate) fn compared_condition(span: Span) -> Diagnostic {
    Diagnostic::new(&TRUTH, span, "a condition is compared with something", "true or false already")
        .help("leave the comparison out; `not (…)` says the opposite")
}

/// Something else where a fact is wanted.
pub(crate) fn not_a_fact(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&NO_TRUTH, span, format!("a fact is wanted here, and this is {noun}"), noun)
        .help("write a fact, such as `failures`")
}

/// `in` or `contains` with the fact on the wrong side.
pub(crate) fn wrong_way_round(span: Span, sign: Operator, fact: Span) -> Diagnostic {
    let sign = sign.symbol();
    Diagnostic::new(&SIGN, span, format!("the fact stands before `{sign}`"), "the wrong way round")
        .label(fact, "the fact")
        .help(format!("exchange the sides of `{sign}`"))
}

/// A sign that the fact's type does not have.
pub(crate) fn wrong_sign(sign: Spanned<Operator>, fact: &Fact) -> Diagnostic {
    let ty = of_type(fact.ty);
    let message = format!("`{}` is {ty}, which has no `{}`", fact.name, sign.node.symbol());
    let finding = Diagnostic::new(&SIGN, sign.span, message, format!("does not go with {ty}"));
    finding.help(match fact.ty {
        Type::Number(_) => "numbers have `<`, `<=`, `>`, `>=`, `==`, `!=` and `in`",
        _ => "texts have `==`, `!=`, `in` and `contains`",
    })
}

/// `in` without a list.
pub(crate) fn in_takes_list(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&SIGN, span, format!("behind `in` stands a list, and this is {noun}"), noun)
        .help("write a list, such as `[bash, read_file]`, or use `==`")
}

/// `in []`
pub(crate) fn empty_list(span: Span) -> Diagnostic {
    Diagnostic::new(&SIGN, span, "nothing is in an empty list", "an empty list").help("name what it may be")
}

/// A fact that is true or false, compared.
pub(crate) fn compared_truth(fact: Span, whole: Span, sign: Operator, other: Constant<'_>) -> Diagnostic {
    let finding = Diagnostic::new(&TRUTH, whole, "what is true or false needs no comparison", "true or false already")
        .label(fact, "a condition by itself");
    let is_positive = match (sign, other) {
        (Operator::Equal, Constant::Bool(truth)) => truth,
        (Operator::Unequal, Constant::Bool(truth)) => !truth,
        _ => return finding.help("write the fact alone, or `not` before it"),
    };
    let before = if is_positive { "" } else { "not " };
    let mut edits = vec![
        TextEdit { span: Span { end: fact.start, ..whole }, text: before.to_owned() },
        TextEdit { span: Span { start: fact.end, ..whole }, text: String::new() },
    ];
    edits.retain(|edit| edit.span.start != edit.span.end || !edit.text.is_empty());
    let help = if is_positive { "write the fact alone" } else { "write `not` before the fact" };
    let mut finding = finding.help(help);
    finding.fixes.push(Fix { title: help.to_owned(), safe: true, edits });
    finding
}

/// A fact that may be unknown where a value is needed.
pub(crate) fn may_be_unknown(span: Span, fact: &Fact) -> Diagnostic {
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
    let name = fact.name;
    let read = if fact.parameters.is_empty() { name.to_owned() } else { format!("{name}(…)") };
    let mut finding = Diagnostic::new(&OPTIONAL, span, format!("`{name}` may be unknown"), "has no value at times")
        .help(format!("say what holds then: `({read} ?? {default})`, or write `known({read}) and …` before it"));
    let edits = vec![
        TextEdit { span: Span { end: span.start, ..span }, text: "(".to_owned() },
        TextEdit { span: span.after(), text: format!(" ?? {default})") },
    ];
    finding.fixes.push(Fix { title: format!("write `?? {default}`"), safe: false, edits });
    finding
}

/// A fact that may be unknown in a text.
pub(crate) fn may_be_unknown_in_text(span: Span, fact: &Fact) -> Diagnostic {
    let name = fact.name;
    Diagnostic::new(&OPTIONAL, span, format!("`{name}` may be unknown"), "has no value at times")
        .help(format!("say what stands here then: `{{{name} ?? \"…\"}}`, or ask `known({name})` in `when`"))
        .fix("add `?? \"…\"`", false, span.after(), " ?? \"unknown\"")
}

/// A fact behind `??`.
pub(crate) fn default_is_fact(span: Span) -> Diagnostic {
    Diagnostic::new(&super::value::CONSTANT, span, "behind `??` stands a constant", "a fact")
        .help("write a value that is always there, such as `0`")
}

/// `??` behind a fact that is always known.
pub(crate) fn needless_default(fact: Span, default: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&KNOWN, default, format!("`{name}` is always known"), "never used")
        .help("leave `??` and what follows it out")
        .fix("leave the default out", false, Span { start: fact.end, ..default }, "")
}

/// `known` of a fact that is always known.
pub(crate) fn always_known(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&KNOWN, span, format!("`{name}` is always known"), "always true").help("leave it out")
}
