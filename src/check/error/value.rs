//! Values of the wrong type, and constants that are none.

use super::{Wanted, of_type};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::fact::Fact;
use crate::quantity::Type;
use crate::source::Span;

pub(crate) static TYPE: Code = Code {
    id: "E306",
    severity: Severity::Error,
    title: "value of another type",
    why: "Numbers are held against numbers, texts against texts. Nothing is converted silently.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures >= \"2\" do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 2 do notify \"x\" }\n}\n",
};

pub(crate) static CONSTANT: Code = Code {
    id: "E307",
    severity: Severity::Error,
    title: "not a constant",
    why: "A `let`, a guard's number and the second side of a comparison are the same at every moment: numbers, texts, \
          lists, true or false, other lets, and a share `of` a number. There is no other arithmetic.",
    wrong: "edition 2026\nlet busy = 80% of context.tokens\n",
    right: "edition 2026\nlet busy = 80% of 150k tokens\n",
};

pub(crate) static UNQUOTED: Code = Code {
    id: "E308",
    severity: Severity::Error,
    title: "text without quotes",
    why: "A word without quotes names a fact or a `let`. Text stands in double quotes.",
    wrong: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == bash do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == \"bash\" do notify \"x\" }\n}\n",
};

/// A value of another type than a fact's.
pub(crate) fn wrong_type(span: Span, place: Option<Span>, noun: &str, fact: &Fact) -> Diagnostic {
    let message = format!("`{}` is {}, and this is {noun}", fact.name, of_type(fact.ty));
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

/// Something else where a number is wanted.
pub(super) fn no_number(span: Span, noun: &str, samples: &str, wanted: &Wanted<'_>) -> Diagnostic {
    Diagnostic::new(&TYPE, span, format!("{} takes a number, and this is {noun}", wanted.who), noun)
        .help(format!("write it like {samples}"))
}

/// An element that a list cannot hold.
pub(crate) fn not_an_element(span: Span) -> Diagnostic {
    Diagnostic::new(&TYPE, span, "a list holds names, texts and numbers", "none of these")
        .help("write names, texts or numbers between the brackets, with `,` between them")
}

/// An element of a list of names that is none.
pub(crate) fn not_a_name(span: Span, noun: &str) -> Diagnostic {
    Diagnostic::new(&TYPE, span, format!("this list holds names of tools, and this is {noun}"), noun)
        .help("write the names of tools; one may end in `*`")
}

/// Something that changes where a constant is wanted.
pub(crate) fn not_constant(span: Span, here: &str) -> Diagnostic {
    Diagnostic::new(&CONSTANT, span, "this must be a constant", here)
        .help("write a number, a text, a list, `true` or `false`, or a `let` of these")
}

/// A product of things that cannot be multiplied.
pub(crate) fn bad_product(span: Span, noun: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(&CONSTANT, span, format!("this side of `of` is {wanted}"), noun)
        .help("write a share before `of` and a number behind it: `80% of 150k tokens`")
}

/// A text without quotes.
pub(crate) fn unquoted(span: Span, word: &str) -> Diagnostic {
    Diagnostic::new(&UNQUOTED, span, format!("`{word}` is neither a fact nor a `let`"), "a text without quotes?")
        .help(format!("write `\"{word}\"`"))
        .fix("put it in quotes", false, span, format!("\"{word}\""))
}
