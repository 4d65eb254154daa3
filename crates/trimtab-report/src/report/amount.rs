//! Amounts of US dollars, as every form writes them.

use trimtab_base::quantity::{Decimal, grouped};

/// An amount: `$12.40`, `$0.598`, `under $0.001`. One below zero is written as [`signed_dollars`] does.
pub fn dollars(amount: Decimal) -> String {
    if amount < Decimal::ZERO {
        return signed_dollars(amount);
    }
    // As programs read it, so that all forms round the same number.
    let amount = amount.round_dp(6);
    let places = if amount.abs() >= Decimal::ONE { 2 } else { 3 };
    let rounded = amount.round_dp(places);
    if rounded.is_zero() && !amount.is_zero() {
        return "under $0.001".to_owned();
    }
    let text = format!("{rounded:.*}", places as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse::<Decimal>().map_or_else(|_| whole.to_owned(), grouped);
    format!("${whole}.{fraction}")
}

/// An amount with its sign if it is negative and not zero as it is shown.
pub fn signed_dollars(amount: Decimal) -> String {
    let is_shown_as_zero = amount.round_dp(6).round_dp(3).is_zero();
    with_sign(amount, "", |amount| dollars(if is_shown_as_zero { Decimal::ZERO } else { amount }))
}

/// An amount as it is shown without its sign, with a minus or this plus before it unless it is zero as it is shown.
pub(super) fn with_sign(amount: Decimal, plus: &str, show: impl Fn(Decimal) -> String) -> String {
    let text = show(amount.abs());
    let sign = if amount.is_sign_negative() { "-" } else { plus };
    if is_shown_as_more_than_zero(&text) { format!("{sign}{text}") } else { text }
}

/// Whether an amount as it is shown is not zero.
pub(super) fn is_shown_as_more_than_zero(text: &str) -> bool {
    text.contains(|digit| matches!(digit, '1'..='9'))
}

/// An amount with six places, for programs.
pub(super) fn exact_dollars(amount: Decimal) -> String {
    amount.round_dp(6).normalize().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_is_written_before_an_amount_that_is_shown_as_zero() {
        let amounts = ["-0.0004", "-0.0006", "0.0006", "-12", "0"].map(|text| text.parse().expect("a number"));
        assert_eq!(amounts.map(signed_dollars), ["$0.000", "-$0.001", "$0.001", "-$12.00", "$0.000"]);
        let tokens = |amount: Decimal| format!("{} tokens", grouped(amount.round()));
        let differences = amounts.map(|amount| with_sign(amount, "+", tokens));
        assert_eq!(differences, ["0 tokens", "0 tokens", "0 tokens", "-12 tokens", "0 tokens"]);
        assert_eq!(with_sign(Decimal::TEN, "+", tokens), "+10 tokens");
    }

    #[test]
    fn amounts_have_as_many_places_as_matter() {
        let texts = ["-12.3", "-0.0004", "0", "0.0004", "0.0123", "0.99951", "1.005", "12345.6"]
            .map(|text| dollars(text.parse::<Decimal>().expect("a number")));
        let expected = ["-$12.30", "$0.000", "$0.000", "under $0.001", "$0.012", "$1.000", "$1.00", "$12,345.60"];
        assert_eq!(texts, expected);
    }
}
