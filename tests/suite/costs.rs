//! `docs/costs.md`: what its examples claim holds, and all of its files are on the page.

use std::fs;

use trimtab::quantity::Decimal;
use trimtab::simulate::{Extract, Options, Trace, replay};
use trimtab::transcript;

use crate::laws;

const FOLDER: &str = "docs/costs";

fn simulated(policy: &str, recording: &str, without_cache: bool) -> Trace {
    let plan = laws::plan(&fs::read_to_string(format!("{FOLDER}/{policy}.trim")).unwrap());
    let bytes = fs::read(recording).unwrap();
    let transcript = transcript::read(&bytes, None).unwrap().transcripts.remove(0);
    let options = Options { without_cache, ..Options::default() };
    let trace = replay(&plan, &transcript, &options, &mut Extract, &mut |_| {});
    assert!(trace.money.priced.is_complete() && trace.rules[0].fired > 0);
    trace
}

/// The costs as recorded and with the policy.
fn costs(policy: &str, without_cache: bool) -> (Decimal, Decimal) {
    let money = simulated(policy, "policies/cache_friendly.jsonl", without_cache).money;
    (money.before.cost, money.total())
}

#[test]
fn edits_at_each_call_lower_the_uncached_cost_and_raise_the_cached_one() {
    let (before, after) = costs("every_call", true);
    assert!(after < before / Decimal::TWO, "{before} {after}");
    let (before, after) = costs("every_call", false);
    assert!(after > before, "{before} {after}");
}

#[test]
fn a_low_watermark_lowers_both() {
    for without_cache in [true, false] {
        let (before, after) = costs("watermark", without_cache);
        assert!(after < before, "{before} {after}");
    }
}

#[test]
fn trims_of_old_results_lose_reasoning_and_those_of_arrivals_none() {
    let of = |policy| simulated(policy, "docs/costs/migration.jsonl", false);
    let (old, arrivals) = (of("trim_old"), of("trim_arrivals"));
    assert!(old.rules[0].money.reasoning_lost > 1_000 && old.money.total() > old.money.before.cost);
    assert_eq!((arrivals.rules[0].money.reasoning_lost, arrivals.rules[0].money.breaks), (0, 0));
    assert!(arrivals.money.total() < arrivals.money.before.cost);
}

#[test]
fn every_file_is_on_the_page() {
    let page = fs::read_to_string("docs/costs.md").unwrap();
    for file in fs::read_dir(FOLDER).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(page.contains(&format!("(costs/{name})")), "{name}");
    }
}
