//! The values that a parameter is given, as the command line writes them.

use trimtab_base::quantity::{Decimal, Quantity, Unit, abbreviated};
use trimtab_syntax::syntax::parse_amount;

/// The most values of one parameter.
const MAX_VALUES: usize = 1_000;

/// A parameter by its name, and its values as a policy would write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The name of the parameter.
    pub name: String,
    /// The values, all different.
    pub values: Vec<String>,
}

impl Variation {
    /// Parses `NAME=VALUE,VALUE,…` and `NAME=FROM..TO by STEP`, such as `busy=50%..80% by 5%`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .filter(|(name, values)| !name.trim().is_empty() && !values.trim().is_empty())
            .ok_or("expected NAME=VALUES, such as `busy=50%..80% by 5%` or `mask_old_results.keep=5,10,20`")?;
        let values = match values.split_once("..") {
            Some((from, rest)) if !values.contains('"') => range(from, rest)?,
            _ => list(values)?,
        };
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return Err(format!("the value `{}` is given twice", twice.1));
        }
        Ok(Self { name: name.trim().to_owned(), values })
    }
}

/// Values between commas, but not between those in a text or a list.
fn list(text: &str) -> Result<Vec<String>, String> {
    let (mut values, mut value, mut is_text, mut depth) = (Vec::new(), String::new(), false, 0_usize);
    for character in text.chars() {
        match character {
            '"' => is_text = !is_text,
            '[' if !is_text => depth += 1,
            ']' if !is_text => depth = depth.saturating_sub(1),
            ',' if !is_text && depth == 0 => {
                values.push(std::mem::take(&mut value));
                continue;
            }
            _ => {}
        }
        value.push(character);
    }
    values.push(value);
    if is_text || depth > 0 {
        return Err("a text or a list is not closed".to_owned());
    }
    let values: Vec<String> = values.iter().map(|value| value.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err("a value is missing before or after a comma".to_owned());
    }
    Ok(values)
}

/// `FROM..TO by STEP`, both ends included where a step hits them. A unit that is a word applies to all three numbers.
fn range(from: &str, rest: &str) -> Result<Vec<String>, String> {
    let (to, step) =
        rest.split_once(" by ").ok_or("a range needs a step: write `FROM..TO by STEP`, such as `50%..80% by 5%`")?;
    let parts = [from, to, step];
    let mut amounts = [Decimal::ZERO; 3];
    let mut units = [None; 3];
    for ((part, amount), unit) in parts.iter().zip(&mut amounts).zip(&mut units) {
        (*amount, *unit) =
            parse_amount(part).ok_or_else(|| format!("`{}` is not a number of a policy", part.trim()))?;
    }
    let [from, to, step] = amounts;
    let unit = common_unit(units)?;
    if step.is_zero() {
        return Err("the step of a range must not be 0".to_owned());
    }
    if from > to {
        return Err("a range must not end below its start".to_owned());
    }
    let numbers = std::iter::successors(Some(from), |number| number.checked_add(step).filter(|next| *next <= to));
    let written = |number: Decimal| unit.map_or_else(|| abbreviated(number), |unit| written(number, unit));
    let values: Vec<String> = numbers.take(MAX_VALUES + 1).map(written).collect();
    if values.len() > MAX_VALUES {
        return Err(format!("a range has at most {MAX_VALUES} values; write a larger step"));
    }
    Ok(values)
}

/// A number as a policy writes it.
fn written(amount: Decimal, unit: Unit) -> String {
    Quantity::new(amount, unit).to_string()
}

/// The unit of the numbers of a range. Some of them may have none, if that unit is a word.
fn common_unit(units: [Option<Unit>; 3]) -> Result<Option<Unit>, String> {
    let first = units.into_iter().flatten().next();
    let agrees = |unit: Option<Unit>| unit == first || unit.is_none() && first.and_then(Unit::word).is_some();
    if units.into_iter().all(agrees) {
        Ok(first)
    } else {
        Err("the numbers of a range must have the same unit".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn values(text: &str) -> Vec<String> {
        Variation::parse(&format!("x = {text}")).expect("values").values
    }

    #[test]
    fn ranges_include_their_ends_and_are_written_as_in_a_policy() {
        assert_eq!(values("50%..60% by 5%"), ["50%", "55%", "60%"]);
        assert_eq!(values("1..6 by 2"), ["1", "3", "5"]);
        assert_eq!(values("1k..3k by 1k tokens"), ["1k tokens", "2k tokens", "3k tokens"]);
        assert_eq!(values("30s..2m by 45s"), ["30s", "1m15s", "2m"]);
        assert_eq!(values("$0.50..$1 by $0.25"), ["$0.50", "$0.75", "$1.00"]);
    }

    #[test]
    fn lists_keep_texts_and_lists_whole() {
        assert_eq!(values("5, 10 ,20"), ["5", "10", "20"]);
        assert_eq!(values(r#""a, b..c",handover"#), [r#""a, b..c""#, "handover"]);
        assert_eq!(values("[bash, read],[bash]"), ["[bash, read]", "[bash]"]);
    }

    #[test]
    fn malformed_values_are_rejected_with_a_way_out() {
        for (text, reason) in [
            ("busy", "expected NAME=VALUES"),
            ("busy=", "expected NAME=VALUES"),
            ("x=1..5", "needs a step"),
            ("x=1..5 by 0", "must not be 0"),
            ("x=5..1 by 1", "must not end below"),
            ("x=50%..80 by 5%", "same unit"),
            ("x=1 results..3 calls by 1", "same unit"),
            ("x=1..1000000 by 1", "larger step"),
            ("x=a..b by c", "`a` is not a number"),
            ("x=5,,6", "missing"),
            ("x=5,6,5", "`5` is given twice"),
            ("x=\"a", "not closed"),
        ] {
            let error = Variation::parse(text).expect_err("malformed");
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
