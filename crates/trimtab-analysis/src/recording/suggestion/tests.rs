use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{ErrorAmounts, PricedShare};

use super::*;

fn taken(amount: i64) -> ErrorAmounts {
    ErrorAmounts { taken: Decimal::from(amount), ..ErrorAmounts::default() }
}

fn simulated(cost_saved: i64, needed_later: usize, is_priced: bool) -> SimulatedPolicy {
    let rule = SimulatedRule { needed_later, ..SimulatedRule::default() };
    let (priced_calls, priced_tokens) = if is_priced { (10, 1_000) } else { (0, 0) };
    SimulatedPolicy {
        calls: 10,
        recorded_tokens: 1_000,
        tokens_saved: 300,
        recorded_cost: Decimal::from(20),
        cost_saved: Decimal::from(cost_saved),
        token_errors: taken(300),
        cost_errors: taken(cost_saved),
        priced: PricedShare { calls: 10, priced_calls, tokens: 1_000, priced_tokens },
        rules: vec![rule],
    }
}

#[test]
fn a_missed_call_costs_as_much_as_the_mean_call() {
    let nets = [(5, 0, true), (5, 3, true), (5, 0, false), (5, 4, false)];
    let nets = nets.map(|(saved, needed_later, is_priced)| simulated(saved, needed_later, is_priced).net_saving());
    assert_eq!(nets, [5, -1, 300, -100].map(Decimal::from));
}

#[test]
fn a_sum_decides_by_cost_while_half_of_its_tokens_are_priced() {
    let mut sum = SimulatedPolicy::default();
    assert!(sum.decides_by_cost() && sum.net_saving().is_zero());
    sum.add(simulated(5, 1, true));
    sum.add(SimulatedPolicy { recorded_cost: Decimal::ZERO, ..simulated(0, 2, false) });
    assert_eq!((sum.calls, sum.tokens_saved, sum.cost_saved), (20, 600, Decimal::from(5)));
    // Each missed call costs as much as the mean call of those with a price.
    assert_eq!((sum.decides_by_cost(), sum.net_saving()), (true, Decimal::from(5 - 3 * 2)));
    sum.add(simulated(0, 0, false));
    assert_eq!((sum.decides_by_cost(), sum.saving()), (false, Decimal::from(900)));
}

#[test]
fn only_what_is_taken_beyond_another_policy_may_be_saved_less() {
    let [small, large] = [10, 20].map(|saved| simulated(saved, 0, true));
    let errors = [large.error(None), large.error(Some(&small)), small.error(Some(&large))];
    assert_eq!(errors, [340, 170, 100].map(|cents| Decimal::new(cents, 2)));
    assert_eq!(large.intervals(), [[2490, 3300], [166, 220]].map(|ends| ends.map(|tenths| Decimal::new(tenths, 1))));
}

#[test]
fn a_policy_beyond_another_one_has_the_differences() {
    let beyond = simulated(20, 3, true).beyond(&simulated(5, 1, true));
    assert_eq!((beyond.tokens_saved, beyond.cost_saved, beyond.needed_later()), (0, Decimal::from(15), 2));
    assert_eq!((beyond.net_saving(), beyond.recorded_cost), (Decimal::from(15 - 2 * 2), Decimal::from(20)));
}

#[test]
fn nothing_is_suggested_for_empty_recordings() {
    let found = SUGGESTIONS.iter().filter_map(|one| (one.find)(&Observations::default()));
    assert_eq!(found.collect::<Vec<_>>(), []);
}

#[test]
fn each_rule_has_a_name_of_its_own_and_a_sentence() {
    for suggestion in SUGGESTIONS {
        assert!(suggestion.summary.ends_with('.'), "{}", suggestion.rule);
        let same = SUGGESTIONS.iter().filter(|other| other.rule == suggestion.rule);
        assert_eq!(same.count(), 1, "{}", suggestion.rule);
    }
}

#[test]
fn a_rule_for_some_calls_is_left_out_after_the_same_rule_for_all() {
    let rule = |name, clauses| SuggestedRule { suggestion: SUGGESTIONS[0], name, observed: "Seen.", clauses };
    let rules = [
        rule("all", "when context.ratio >= 90%\ndo mask results"),
        rule("some", "when (model ?? \"\") == \"m\" and context.ratio >= 90%\ndo mask results"),
        rule("lower", "when (model ?? \"\") == \"m\" and context.ratio >= 80%\ndo mask results"),
        rule("always", "do mask duplicates"),
        rule("sometimes", "when (model ?? \"\") == \"m\"\ndo mask duplicates"),
    ];
    let text = policy_text("suggested", &[], &rules);
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("rule "));
    assert_eq!(names.collect::<Vec<_>>(), ["all {", "lower {", "always {"]);
}
