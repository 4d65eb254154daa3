use super::*;
use crate::quantity::Decimal;
use crate::simulate::ErrorAmounts;

fn taken(amount: i64) -> ErrorAmounts {
    ErrorAmounts { taken: Decimal::from(amount), ..ErrorAmounts::default() }
}

fn simulated(cost_saved: i64, missed: usize, is_priced: bool) -> SimulatedPolicy {
    let rule = SimulatedRule { missed, ..SimulatedRule::default() };
    SimulatedPolicy {
        calls: 10,
        recorded_tokens: 1_000,
        tokens_saved: 300,
        recorded_cost: Decimal::from(20),
        cost_saved: Decimal::from(cost_saved),
        token_errors: taken(300),
        cost_errors: taken(cost_saved),
        is_priced,
        rules: vec![rule],
    }
}

#[test]
fn a_missed_call_costs_as_much_as_the_mean_call() {
    let nets = [(5, 0, true), (5, 3, true), (5, 0, false), (5, 4, false)];
    let nets = nets.map(|(saved, missed, is_priced)| simulated(saved, missed, is_priced).net_saving());
    assert_eq!(nets, [5, -1, 300, -100].map(Decimal::from));
}

#[test]
fn a_sum_with_an_unpriced_replay_is_unpriced() {
    let mut sum = SimulatedPolicy::default();
    assert!(sum.is_priced && sum.net_saving().is_zero());
    sum.add(simulated(5, 1, true));
    sum.add(simulated(7, 2, false));
    assert_eq!((sum.calls, sum.tokens_saved, sum.cost_saved), (20, 600, Decimal::from(12)));
    assert_eq!((sum.is_priced, sum.rules[0].missed), (false, 3));
}

#[test]
fn only_what_is_taken_beyond_another_policy_may_be_saved_less() {
    let [small, large] = [10, 20].map(|saved| simulated(saved, 0, true));
    let errors = [large.error(None), large.error(Some(&small)), small.error(Some(&large))];
    assert_eq!(errors, [340, 170, 100].map(|cents| Decimal::new(cents, 2)));
    assert_eq!(large.intervals(), [[2490, 3300], [166, 220]].map(|ends| ends.map(|tenths| Decimal::new(tenths, 1))));
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
