//! E3xx: types, units and comparisons.

use crate::diagnostic::{Code, Diagnostic};
use crate::quantity::{Decimal, Quantity, Type, Unit};
use crate::source::Span;

pub(in crate::check) static NO_UNIT: Code = Code {
    id: "E301",
    title: "number without a unit",
    why: "Tools write 0.8, 80, 20 and 66 for one and the same threshold. Here a share, tokens, characters, time and money carry their unit; only what is counted may stand bare.",
    wrong: "edition 2026\npolicy p { rule r { when context.ratio >= 80 do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when context.ratio >= 80% do notify \"x\" } }",
};

pub(in crate::check) static WRONG_TYPE: Code = Code {
    id: "E302",
    title: "wrong type or unit",
    why: "A fact is compared with a constant of its own type and unit. The one conversion is between shares of the window and tokens.",
    wrong: "edition 2026\npolicy p { rule r { when failures >= 2 messages do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when failures >= 2 results do notify \"x\" } }",
};

pub(in crate::check) static CHAIN: Code = Code {
    id: "E303",
    title: "chain of comparisons",
    why: "A comparison has two sides; what a longer chain means differs between languages.",
    wrong: "edition 2026\npolicy p { rule r { when 60% <= context.ratio < 80% do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when 60% <= context.ratio and context.ratio < 80% do notify \"x\" } }",
};

pub(in crate::check) static NO_COMPARISON: Code = Code {
    id: "E304",
    title: "not a fact against a constant",
    why: "Every test holds one fact against one constant. That is what makes it possible to decide beforehand whether a rule can fire.",
    wrong: "edition 2026\npolicy p { rule r { when iteration > run do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when iteration > 3 do notify \"x\" } }",
};

pub(in crate::check) static NO_CONDITION: Code = Code {
    id: "E305",
    title: "not a condition",
    why: "A condition is true or false. A number or a text is neither.",
    wrong: "edition 2026\npolicy p { rule r { when failures do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when failures >= 1 do notify \"x\" } }",
};

pub(in crate::check) static OPTIONAL: Code = Code {
    id: "E306",
    title: "fact that may be unknown",
    why: "Some facts are unknown at times, such as what the provider reported before the first reply. The policy says what holds then: with `??`, or by asking `known(…)` first.",
    wrong: "edition 2026\npolicy p { rule r { when reported.tokens >= 10k tokens do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when known(reported.tokens) and reported.tokens >= 10k tokens do notify \"x\" } }",
};

pub(in crate::check) static WRONG_SIGN: Code = Code {
    id: "E307",
    title: "comparison that does not fit",
    why: "Numbers have an order; texts are equal, in a list, or contain something; true and false are only equal or not.",
    wrong: "edition 2026\npolicy p { rule r { when (call.name ?? \"\") > \"bash\" do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when (call.name ?? \"\") == \"bash\" do notify \"x\" } }",
};

pub(in crate::check) static OUT_OF_DOMAIN: Code = Code {
    id: "E308",
    title: "value that the fact cannot have",
    why: "Compared with a value that a fact can never have, a test is always or never true.",
    wrong: "edition 2026\npolicy p { rule r { when context.ratio >= 180% do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when context.ratio >= 80% do notify \"x\" } }",
};

pub(in crate::check) static NO_CONSTANT: Code = Code {
    id: "E309",
    title: "not a constant",
    why: "A let, a default and the right side of a test are constants: numbers, texts, true and false, lists of them, or a share of another constant.",
    wrong: "edition 2026\nlet a = failures\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\nlet a = 3\npolicy p { rule r { do notify \"x\" } }",
};

/// How a bare number would read with a unit: `0.8` and `80` are both `80%`.
fn with_unit(number: Decimal, unit: Unit) -> (String, bool) {
    match unit {
        Unit::Share if number > Decimal::ONE => (Quantity::new(number / Decimal::ONE_HUNDRED, unit).to_string(), true),
        Unit::Share => (Quantity::new(number, unit).to_string(), number != Decimal::ONE),
        unit => (Quantity::new(number, unit).to_string(), unit != Unit::Tokens || number >= Decimal::from(500)),
    }
}

pub(in crate::check) fn no_unit(span: Span, number: Decimal, unit: Unit, fact: Option<(&str, Span)>) -> Diagnostic {
    let (text, safe) = with_unit(number, unit);
    let number = number.normalize();
    let reason = match (fact, unit) {
        (Some((fact, _)), Unit::Share) => {
            let percent = number * Decimal::ONE_HUNDRED;
            format!("`{fact}` is a share; a bare `{number}` could mean {number}% or {}%", percent.normalize())
        }
        (Some((fact, _)), unit) => format!("`{fact}` is in {}; a bare `{number}` does not say of what", unit.noun()),
        (None, unit) => format!("`{number}` has no unit; {} is wanted here", unit.noun()),
    };
    let one = Diagnostic::error(&NO_UNIT, span, reason, "no unit");
    let one = match fact {
        Some((fact, place)) => one.label(place, format!("`{fact}` is {}", unit.noun())),
        None => one,
    };
    one.help(format!("write `{text}`")).fix(format!("write `{text}`"), safe && unit == Unit::Share, span, text)
}

pub(in crate::check) fn wrong_type(span: Span, found: &str, wanted: Type, fact: &str, place: Span) -> Diagnostic {
    let sample = match wanted {
        Type::Number(unit) => format!(", such as `{}`", unit.sample()),
        Type::Text | Type::Name => ", such as `\"bash\"`".to_owned(),
        Type::Bool => ": `true` or `false`".to_owned(),
        Type::Names => String::new(),
    };
    Diagnostic::error(&WRONG_TYPE, span, format!("`{fact}` is {wanted}, not {found}"), found)
        .label(place, format!("{wanted}"))
        .help(format!("compare it with {wanted}{sample}"))
}

pub(in crate::check) fn unknown_unit(span: Span, word: &str, near: Option<&str>) -> Diagnostic {
    let one = Diagnostic::error(&WRONG_TYPE, span, format!("there is no unit `{word}`"), "unknown unit");
    match near {
        Some(near) => one.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), false, span, near),
        None => one.help("units are %, $, s, m, h, tokens, chars, messages, results, calls, interactions, iterations"),
    }
}

pub(in crate::check) fn chain(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(&CHAIN, span, "a comparison has two sides, this one has more", "a chain of comparisons")
        .help(format!("write `{text}`"))
        .fix("part the chain", true, span, text)
}

pub(in crate::check) fn no_comparison(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&NO_COMPARISON, span, format!("this holds {what}"), what)
        .help("hold a fact against a constant, such as `failures >= 2`")
}

pub(in crate::check) fn no_condition(span: Span, found: &str, example: Option<String>) -> Diagnostic {
    let help =
        example.map_or_else(|| "compare it with something".to_owned(), |text| format!("write, for instance, `{text}`"));
    Diagnostic::error(&NO_CONDITION, span, format!("{found} is neither true nor false"), "not a condition").help(help)
}

pub(in crate::check) fn optional(span: Span, fact: &str, fallback: &str) -> Diagnostic {
    Diagnostic::error(&OPTIONAL, span, format!("`{fact}` may be unknown"), "what holds when it is unknown?")
        .help(format!("give a value for that case, `({fact} ?? {fallback})`, or ask `known({fact}) and …` first"))
}

pub(in crate::check) fn not_optional(span: Span, fact: &str) -> Diagnostic {
    Diagnostic::error(&OPTIONAL, span, format!("`{fact}` is always known"), "always known")
        .help("leave out `known(…)` or `??`")
}

pub(in crate::check) fn wrong_sign(span: Span, sign: &str, fact: &str, ty: Type, fitting: &str) -> Diagnostic {
    Diagnostic::error(&WRONG_SIGN, span, format!("`{sign}` does not fit `{fact}`, which is {ty}"), "does not fit")
        .help(format!("use {fitting}"))
}

pub(in crate::check) fn out_of_domain(span: Span, value: &str, fact: &str, domain: &str) -> Diagnostic {
    Diagnostic::error(&OUT_OF_DOMAIN, span, format!("`{fact}` is never {value}"), format!("outside {domain}"))
        .help(format!("its values are {domain}"))
}

pub(in crate::check) fn no_constant(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(&NO_CONSTANT, span, format!("a constant is wanted here, not {found}"), found)
        .help("write a number with its unit, a text, true or false, a list, or the name of a let")
}
