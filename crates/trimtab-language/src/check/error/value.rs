//! Errors about the types of values, and about values that are not constant.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Type;
use trimtab_base::source::Span;

use super::{Wanted, of_type};
use crate::check::policy::Reading;

pub(crate) static TYPE: Code = Code {
    id: "E306",
    severity: Severity::Error,
    title: "wrong type",
    why: "A number can only be compared with a number, and a text with a text. Values are never converted silently.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures >= \"2\" do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 2 do notify \"x\" }\n}\n",
};

pub(crate) static CONSTANT: Code = Code {
    id: "E307",
    severity: Severity::Error,
    title: "not a constant",
    why: "A `let`, the number of a guard and one side of each comparison must be constant: a number, a text, a list, \
          `true` or `false`, another `let`, or a share `of` a number. There is no other arithmetic.",
    wrong: "edition 2026\nlet busy = 80% of context.tokens\n",
    right: "edition 2026\nlet busy = 80% of 150k tokens\n",
};

pub(crate) static UNQUOTED: Code = Code {
    id: "E308",
    severity: Severity::Error,
    title: "text without quotes",
    why: "A word without quotes is the name of a fact or a `let`. Texts are written in double quotes.",
    wrong: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == bash do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == \"bash\" do notify \"x\" }\n}\n",
};

/// A value whose type is not that of the fact.
pub(crate) fn wrong_type(span: Span, place: Option<Span>, noun: &str, reading: &Reading) -> Diagnostic {
    let fact = reading.fact;
    let message = format!("`{}` is {}, not {noun}", reading.name(), of_type(fact.ty));
    let finding = Diagnostic::new(&TYPE, span, message, noun);
    let finding = match place {
        Some(place) => finding.label(place, "its value"),
        None => finding,
    };
    finding.help(match fact.ty {
        Type::Number(unit) => format!("write a number, such as `{}`", unit.sample()),
        Type::Bool => "write `true` or `false`".to_owned(),
        _ => "write a text in double quotes".to_owned(),
    })
}

/// A value of another type where a number is expected.
pub(super) fn no_number(span: Span, noun: &str, samples: &str, wanted: &Wanted<'_>) -> Diagnostic {
    Diagnostic::new(&TYPE, span, format!("{} takes a number, not {noun}", wanted.who), noun)
        .help(format!("write a number such as {samples}"))
}

/// A list element of an unsupported kind.
pub(crate) fn not_an_element(span: Span) -> Diagnostic {
    Diagnostic::new(&TYPE, span, "list elements are names, texts and numbers", "not a name, text or number")
        .help("write names, texts or numbers, separated by commas")
}

/// An element of a list of tools that is not a name.
pub(crate) fn not_a_name(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&TYPE, span, format!("expected the name of a tool, found {noun}"), noun)
        .help("write the name of a tool; it may end in `*`")
}

/// An expression that depends on facts where a constant is expected.
pub(crate) fn not_constant(span: Span, here: &str) -> Diagnostic {
    Diagnostic::new(&CONSTANT, span, "expected a constant", here)
        .help("write a number, a text, a list, `true` or `false`, or the name of a `let`")
}

/// An operand of `of` that is not a number.
pub(crate) fn bad_product(span: Span, noun: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(&CONSTANT, span, format!("expected {wanted} on this side of `of`"), noun)
        .help("write a share before `of` and a number after it: `80% of 150k tokens`")
}

/// A text without quotes.
pub(crate) fn unquoted(span: Span, word: &str) -> Diagnostic {
    Diagnostic::new(&UNQUOTED, span, format!("`{word}` is not a fact or a `let`"), "missing quotes?")
        .help(format!("if this is a text, write `\"{word}\"`"))
        .fix("add quotes", false, span, format!("\"{word}\""))
}
