//! Numbers and their units.

use super::{Wanted, value};
use crate::check::constant::Constant;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest};
use crate::fact::Fact;
use crate::quantity::{Decimal, MAX_THRESHOLD, Quantity, Type, Unit, abbreviated};
use crate::source::Span;
use crate::syntax::tree::Name;

pub(crate) static MISSING: Code = Code {
    id: "E301",
    severity: Severity::Error,
    title: "number without a unit",
    why: "Shares, tokens, characters, times and money need their unit, because one tool's 0.8 is another's 80. Only a \
          number that is held against something counted may stand alone, and only where one thing can be counted.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
};

pub(crate) static WRONG: Code = Code {
    id: "E302",
    severity: Severity::Error,
    title: "wrong unit",
    why: "Every number has the unit of what it is held against. The one conversion is between a share of the window and \
          tokens.",
    wrong: "edition 2026\npolicy p {\n  rule a { do trim results to 5 iterations keep 4 results }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do trim results to 500 chars keep 4 results }\n}\n",
};

pub(crate) static OUTSIDE: Code = Code {
    id: "E303",
    severity: Severity::Error,
    title: "number out of range",
    why: "The number can never be reached, or makes the rule never or always due: a share of the window above 150 %, a \
          guard of 0 iterations, a goal above the whole window.",
    wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 180% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
};

pub(crate) static UNKNOWN: Code = Code {
    id: "E304",
    severity: Severity::Error,
    title: "unknown unit",
    why: "The word behind the number is no unit. Units are `tokens`, `chars`, `messages`, `results`, `calls`, \
          `interactions`, `iterations` and `strategies`; shares have `%`, money `$`, times are written like `8m30s`.",
    wrong: "edition 2026\nlet cap = 20k tokns\n",
    right: "edition 2026\nlet cap = 20k tokens\n",
};

pub(crate) static FRACTION: Code = Code {
    id: "E305",
    severity: Severity::Error,
    title: "fraction of something whole",
    why: "Tokens, characters and what is counted come in whole numbers.",
    wrong: "edition 2026\npolicy p {\n  rule a { when failures >= 2.5 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when failures >= 3 do notify \"x\" }\n}\n",
};

/// Whether a unit comes in whole numbers.
pub(crate) const fn is_whole(unit: Unit) -> bool {
    matches!(unit, Unit::Tokens | Unit::Chars | Unit::Counted(_))
}

/// A constant as a number in one of several units; `place` is where its value stands, when it is a let's.
pub(crate) fn fit(
    constant: Constant<'_>,
    units: &[Unit],
    wanted: &Wanted<'_>,
    span: Span,
    place: Option<Span>,
) -> Result<Quantity, Box<Diagnostic>> {
    let finding = match (constant, units) {
        (Constant::Number(amount, None), [unit]) if unit.is_counted() => {
            return whole(Quantity::new(amount, *unit), span, wanted);
        }
        (Constant::Number(amount, Some(unit)), _) if units.contains(&unit) => {
            return whole(Quantity::new(amount, unit), span, wanted);
        }
        (Constant::Number(amount, None), _) => missing(span, place, amount, units, wanted),
        (Constant::Number(amount, Some(unit)), _) => wrong(span, place, Quantity::new(amount, unit), units, wanted),
        (other, _) => value::no_number(span, other.noun(), &samples(units), wanted),
    };
    Err(Box::new(match place {
        Some(place) => finding.label(place, "its value"),
        None => finding,
    }))
}

fn whole(quantity: Quantity, span: Span, wanted: &Wanted<'_>) -> Result<Quantity, Box<Diagnostic>> {
    if !is_whole(quantity.unit) || quantity.amount.fract().is_zero() {
        return Ok(quantity);
    }
    let up = Quantity { amount: quantity.amount.ceil(), ..quantity };
    Err(Box::new(
        Diagnostic::new(&FRACTION, span, format!("{} comes in whole numbers", wanted.who), "not a whole number")
            .help(format!("write a whole number, such as `{up}`")),
    ))
}

/// How numbers of these units are written: `` `500 chars` or `2k tokens` ``.
pub(crate) fn samples(units: &[Unit]) -> String {
    let samples: Vec<&str> = units.iter().map(|unit| unit.sample()).collect();
    crate::diagnostic::alternatives(&samples)
}

fn missing(span: Span, place: Option<Span>, amount: Decimal, units: &[Unit], wanted: &Wanted<'_>) -> Diagnostic {
    let written = abbreviated(amount);
    let message = match (units, wanted.fact) {
        ([Unit::Share], Some(fact)) if fact.share_of().is_some() => {
            format!("{} is a share of the window; `{written}` has no unit", wanted.who)
        }
        ([unit], _) => format!("{} is in {}; `{written}` has no unit", wanted.who, plain(*unit)),
        _ => format!("`{written}` has no unit, and {} takes several", wanted.who),
    };
    let finding = Diagnostic::new(&MISSING, span, message, "no unit");
    let (at, safe) = (place.unwrap_or(span), place.is_none());
    match units {
        [Unit::Share] => {
            let share = percentage(amount);
            // Between 1 and the greatest share, the number may be meant as either.
            let is_clear = amount < Decimal::ONE || amount > Decimal::TWO;
            finding.help(format!("write a percentage: `{share}`")).fix(
                format!("write `{share}`"),
                safe && is_clear,
                at,
                share,
            )
        }
        [Unit::Money] => finding.help(format!("write `${written}`")).fix("add `$`", false, at, format!("${written}")),
        [unit] if unit.word().is_some() => {
            let word = unit.word().unwrap_or_default();
            finding.help(format!("write `{written} {word}`")).fix(
                format!("add `{word}`"),
                false,
                at.after(),
                format!(" {word}"),
            )
        }
        [Unit::Duration] => {
            let seconds = Quantity::new(amount, Unit::Duration).to_string();
            finding.help(format!("write `{seconds}`, if these are seconds")).fix(
                format!("write `{seconds}`"),
                false,
                at,
                seconds,
            )
        }
        [unit] => finding.help(format!("write it like `{}`", unit.sample())),
        several => {
            let meant = |unit: &Unit| match unit {
                Unit::Share => percentage(amount),
                unit => Quantity::new(amount, *unit).to_string(),
            };
            let all: Vec<String> = several.iter().map(meant).collect();
            finding.help(format!("write {}", crate::diagnostic::alternatives(&all)))
        }
    }
}

/// What a bare number means as a share: 0.8 and 80 are both 80 %.
fn percentage(amount: Decimal) -> String {
    let is_fraction = amount <= Decimal::ONE && !amount.is_zero();
    let share = if is_fraction { amount * Decimal::ONE_HUNDRED } else { amount };
    format!("{}%", share.normalize())
}

/// The unit as a noun that follows `in`.
fn plain(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "percent",
        Unit::Duration => "hours, minutes and seconds",
        Unit::Money => "dollars",
        _ => unit.noun(),
    }
}

fn wrong(span: Span, place: Option<Span>, given: Quantity, units: &[Unit], wanted: &Wanted<'_>) -> Diagnostic {
    let here = match given.unit {
        Unit::Share => "a share".to_owned(),
        unit => format!("in {}", plain(unit)),
    };
    let message = format!("`{given}` is the wrong unit for {}", wanted.who);
    let finding = Diagnostic::new(&WRONG, span, message, here);
    let finding = match units {
        [Unit::Counted(_)] if given.unit.is_counted() => {
            let right = Quantity::new(given.amount, units[0]).to_string();
            finding.fix(format!("write `{right}`"), false, place.unwrap_or(span), right)
        }
        _ => finding,
    };
    finding.help(format!("write it like {}", samples(units)))
}

/// A share of the window that no threshold reaches.
pub(crate) fn threshold_too_large(span: Span, share: Decimal, fact: &Fact) -> Diagnostic {
    let [share, most] = [share, MAX_THRESHOLD].map(|share| Quantity::new(share, Unit::Share));
    let message = format!("{share} of the window is no threshold for `{}`", fact.name);
    let help = format!("write a share from 0% to {most}; providers refuse what is larger than the window");
    Diagnostic::new(&OUTSIDE, span, message, "out of range").help(help)
}

/// A value that a fact never has.
pub(crate) fn outside(span: Span, amount: Decimal, fact: &Fact) -> Diagnostic {
    let shown = |amount: Decimal| match fact.ty {
        Type::Number(unit) => Quantity::new(amount, unit).to_string(),
        _ => amount.normalize().to_string(),
    };
    let message = format!("`{}` is never {}", fact.name, shown(amount));
    let help = format!("write {} or more", shown(fact.domain.least().unwrap_or(amount)));
    Diagnostic::new(&OUTSIDE, span, message, "out of its range").help(help)
}

/// A number that must be one at least.
pub(crate) fn too_small(span: Span, who: &str, unit: Unit) -> Diagnostic {
    Diagnostic::new(&OUTSIDE, span, format!("{who} is at least 1"), "less than 1")
        .help(format!("write a number from 1 on, such as `{}`", unit.sample()))
}

/// A number that may not be larger than this.
pub(crate) fn too_large(span: Span, who: &str, most: &str) -> Diagnostic {
    Diagnostic::new(&OUTSIDE, span, format!("{who} is at most {most}"), format!("more than {most}"))
        .help(format!("write a number up to {most}"))
}

/// A word behind a number that is no unit; `meant` is what both plainly mean.
pub(crate) fn unknown(word: &Name, whole: Span, meant: Option<Quantity>) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN, word.span, format!("unknown unit `{}`", word.node), "not a unit");
    if let Some(meant) = meant {
        let title = format!("write `{meant}`");
        let finding = finding.help(title.clone());
        // What stands between number and word stays, unless both are joined; then it is a blank at the most.
        let right = meant.unit.word_for(meant.amount);
        let digits = meant.amount.normalize().to_string().len();
        return match right {
            Some(right) => finding.fix(title, true, word.span, right),
            None if (word.span.start - whole.start) as usize <= digits + 1 => {
                finding.fix(title, true, whole, meant.to_string())
            }
            None => finding,
        };
    }
    let words: Vec<&str> = Unit::words().collect();
    let meant = nearest(&word.node, words.iter().copied());
    super::suggest(finding, word.span, meant, || {
        format!("units are {}; shares are written `80%`, times `8m30s`, money `$1.50`", words.join(", "))
    })
}

/// A unit behind a number that has one already.
pub(crate) fn second(word: &Name, number: Span, unit: Unit) -> Diagnostic {
    let message = format!("a number has one unit; this one is already {}", unit.noun());
    let end = Span { start: number.start, end: word.span.start, ..number };
    Diagnostic::new(&WRONG, word.span, message, "a second unit")
        .label(end, unit.noun())
        .help(format!("leave `{}` out", word.node))
        .fix(format!("leave `{}` out", word.node), false, word.span, "")
}
