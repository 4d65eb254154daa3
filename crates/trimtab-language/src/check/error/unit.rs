//! Errors about numbers and their units.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, nearest};
use trimtab_base::quantity::{Counted, Decimal, MAX_THRESHOLD, Quantity, Type, Unit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::{Wanted, value};
use crate::check::policy::Reading;
use crate::fact::Fact;

pub(crate) static MISSING: Code = Code::new("E301", Severity::Error, include_str!("unit/E301.md"));
pub(crate) static WRONG: Code = Code::new("E302", Severity::Error, include_str!("unit/E302.md"));
pub(crate) static OUTSIDE: Code = Code::new("E303", Severity::Error, include_str!("unit/E303.md"));
pub(crate) static UNKNOWN: Code = Code::new("E304", Severity::Error, include_str!("unit/E304.md"));
pub(crate) static FRACTION: Code = Code::new("E305", Severity::Error, include_str!("unit/E305.md"));

/// A fraction of something that is counted.
pub(crate) fn fraction(span: Span, quantity: Quantity, wanted: &Wanted<'_>) -> Diagnostic {
    let up = Quantity { amount: quantity.amount.ceil(), ..quantity };
    Diagnostic::new(&FRACTION, span, format!("{} takes whole numbers", wanted.who), "not a whole number")
        .help(format!("write a whole number, such as `{up}`"))
}

/// A value of another type where a number is expected.
pub(crate) fn not_a_number(span: Span, noun: &str, units: &[Unit], wanted: &Wanted<'_>) -> Diagnostic {
    value::no_number(span, noun, &samples(units), wanted)
}

/// Sample numbers in these units: `` `500 chars` or `2k tokens` ``.
pub(crate) fn samples(units: &[Unit]) -> String {
    let samples: Vec<&str> = units.iter().map(|unit| unit.sample()).collect();
    trimtab_base::diagnostic::alternatives(&samples)
}

/// A number without a unit.
pub(crate) fn missing(
    span: Span,
    place: Option<Span>,
    amount: Decimal,
    units: &[Unit],
    wanted: &Wanted<'_>,
) -> Diagnostic {
    let written = amount.normalize().to_string();
    let message = match (units, wanted.fact) {
        ([Unit::Share], Some(fact)) if fact.share_of().is_some() => {
            format!("`{written}` has no unit, but {} is a share of the window", wanted.who)
        }
        ([unit], _) => format!("`{written}` has no unit, but {} is measured in {}", wanted.who, plain(*unit)),
        _ => format!("`{written}` has no unit, and {} accepts several", wanted.who),
    };
    let finding = Diagnostic::new(&MISSING, span, message, "missing unit");
    let (at, safe) = (place.unwrap_or(span), place.is_none());
    match units {
        [Unit::Share] => {
            let share = percentage(amount);
            // From 1 on the number may be a fraction, and below 50 the share that is left.
            let is_clear = amount < Decimal::ONE || amount >= Decimal::from(50);
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
            finding.help(format!("if this is a number of seconds, write `{seconds}`")).fix(
                format!("write `{seconds}`"),
                false,
                at,
                seconds,
            )
        }
        [unit] => finding.help(format!("write a number such as `{}`", unit.sample())),
        several => {
            let suggestion = |unit: &Unit| match unit {
                Unit::Share => percentage(amount),
                unit => Quantity::new(amount, *unit).to_string(),
            };
            let all: Vec<String> = several.iter().map(suggestion).collect();
            finding.help(format!("write {}", trimtab_base::diagnostic::alternatives(&all)))
        }
    }
}

/// A number without a unit as a percentage: 0.8 and 80 both become `80%`.
fn percentage(amount: Decimal) -> String {
    let is_fraction = amount <= Decimal::ONE && !amount.is_zero();
    let share = if is_fraction { amount * Decimal::ONE_HUNDRED } else { amount };
    format!("{}%", share.normalize())
}

/// The unit after "measured in".
fn plain(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "percent",
        Unit::Duration => "hours, minutes and seconds",
        Unit::Money => "dollars",
        _ => unit.noun(),
    }
}

/// A number in the wrong unit.
pub(crate) fn wrong(
    span: Span,
    place: Option<Span>,
    given: Quantity,
    units: &[Unit],
    wanted: &Wanted<'_>,
) -> Diagnostic {
    let here = match given.unit {
        Unit::Share => "a share".to_owned(),
        unit => format!("a number in {}", plain(unit)),
    };
    let message = format!("`{given}` has the wrong unit for {}", wanted.who);
    let finding = Diagnostic::new(&WRONG, span, message, here);
    let [calls, results] = [Counted::Calls, Counted::Results].map(Unit::Counted);
    if given.unit == calls && units.contains(&results) {
        let right = Quantity::new(given.amount, results).to_string();
        return finding.help(format!("write `{right}`: results count, and only those that the effect can change")).fix(
            format!("write `{right}`"),
            false,
            place.unwrap_or(span),
            right,
        );
    }
    let finding = match units {
        [Unit::Counted(_)] if given.unit.is_counted() => {
            let right = Quantity::new(given.amount, units[0]).to_string();
            finding.fix(format!("write `{right}`"), false, place.unwrap_or(span), right)
        }
        _ => finding,
    };
    finding.help(format!("write a number such as {}", samples(units)))
}

/// A threshold above what a context can reach.
pub(crate) fn threshold_too_large(span: Span, share: Decimal, fact: &Fact) -> Diagnostic {
    let [share, most] = [share, MAX_THRESHOLD].map(|share| Quantity::new(share, Unit::Share));
    let message = format!("`{}` never reaches {share} of the window", fact.name);
    let help = format!("write a share from 0% to {most}; providers reject requests that exceed the window");
    Diagnostic::new(&OUTSIDE, span, message, "out of range").help(help)
}

/// A value outside the range of a fact.
pub(crate) fn outside(span: Span, amount: Decimal, reading: &Reading) -> Diagnostic {
    let fact = reading.fact;
    let shown = |amount: Decimal| match fact.ty {
        Type::Number(unit) => Quantity::new(amount, unit).to_string(),
        _ => amount.normalize().to_string(),
    };
    let message = format!("`{}` is never {}", reading.name(), shown(amount));
    let help = match (fact.domain.least(), fact.domain.largest()) {
        (_, Some(largest)) if amount > largest => format!("write {} or less", shown(largest)),
        (least, _) => format!("write {} or more", shown(least.unwrap_or(amount))),
    };
    Diagnostic::new(&OUTSIDE, span, message, "out of range").help(help)
}

/// A number below 1 where at least 1 is required.
pub(crate) fn too_small(span: Span, who: &str, unit: Unit) -> Diagnostic {
    Diagnostic::new(&OUTSIDE, span, format!("{who} must be at least 1"), "less than 1")
        .help(format!("write 1 or more, such as `{}`", unit.sample()))
}

/// A number above a maximum.
pub(crate) fn too_large(span: Span, who: &str, most: &str) -> Diagnostic {
    Diagnostic::new(&OUTSIDE, span, format!("{who} must be at most {most}"), format!("more than {most}"))
        .help(format!("write {most} or less"))
}

/// A number below a minimum.
pub(crate) fn below_minimum(span: Span, who: &str, least: &str) -> Diagnostic {
    Diagnostic::new(&OUTSIDE, span, format!("{who} must be at least {least}"), format!("less than {least}"))
        .help(format!("write {least} or more"))
}

/// A word after a number that is not a unit; `meant` is the number that the two clearly mean.
pub(crate) fn unknown(word: &Name, whole: Span, suggestion: Option<Quantity>) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN, word.span, format!("unknown unit `{}`", word.node), "not a unit");
    if let Some(suggestion) = suggestion {
        let title = format!("write `{suggestion}`");
        let finding = finding.help(title.clone());
        // The blanks between number and word are kept unless the two are joined.
        let right = suggestion.unit.word_for(suggestion.amount);
        let digits = suggestion.amount.normalize().to_string().len();
        return match right {
            Some(right) => finding.fix(title, true, word.span, right),
            None if (word.span.start - whole.start) as usize <= digits + 1 => {
                finding.fix(title, true, whole, suggestion.to_string())
            }
            None => finding,
        };
    }
    let words: Vec<&str> = Unit::words().collect();
    let suggestion = nearest(&word.node, words.iter().copied());
    super::suggest(finding, word.span, suggestion, || {
        format!("the units are {}; write shares as `80%`, durations as `8m30s`, money as `$1.50`", words.join(", "))
    })
}

/// A second unit after a number.
pub(crate) fn second(word: &Name, number: Span, unit: Unit) -> Diagnostic {
    let message = format!("this number already has a unit: {}", unit.noun());
    let end = Span { start: number.start, end: word.span.start, ..number };
    Diagnostic::new(&WRONG, word.span, message, "second unit")
        .label(end, unit.noun())
        .help(format!("remove `{}`", word.node))
        .fix(format!("remove `{}`", word.node), false, word.span, "")
}
