//! Errors about the types of values, and about values that are not constant.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Type;
use trimtab_base::source::Span;

use super::{Wanted, of_type};
use crate::check::policy::Reading;

pub(crate) static TYPE: Code = Code::new("E306", Severity::Error, include_str!("value/E306.md"));
pub(crate) static CONSTANT: Code = Code::new("E307", Severity::Error, include_str!("value/E307.md"));
pub(crate) static UNQUOTED: Code = Code::new("E308", Severity::Error, include_str!("value/E308.md"));

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
    Diagnostic::new(&UNQUOTED, span, format!("`{word}` is not a fact or a constant"), "missing quotes?")
        .help(format!("if this is a text, write `\"{word}\"`"))
        .fix("add quotes", false, span, format!("\"{word}\""))
}
