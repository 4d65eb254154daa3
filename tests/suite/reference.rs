//! A second interpreter, written only from the language documentation: what each rule does to each request of a recording. It
//! has its own conversation, conditions, guards and effects, and is slow and simple; the replay must agree with it.

mod act;
mod attempt;
mod clock;
mod compare;
mod count;
mod fact;
mod generate;
mod machine;
mod message;
mod miss;
mod participation;
mod playbook;
mod print;
mod read;
mod recording;
mod reduce;
mod redundant;
mod remove;
mod rule;
mod shrink;
mod size;
mod summary;
mod views;

use self::compare::{Case, difference};
use self::participation::Totals;
use self::recording::Recording;
use crate::rng::Rng;

/// The cases of a run, unless `TRIMTAB_CASES` says otherwise.
const CASES: u64 = 600;

fn case(seed: u64) -> Case {
    // The streams of neighbouring seeds are the same but for a few numbers.
    let rng = &mut Rng::new(seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
    Case { policy: generate::policy(rng), recording: Recording::random(rng) }
}

/// Compares both sides for these seeds.
fn compare(seeds: impl Iterator<Item = u64>) -> Totals {
    let mut totals = Totals::default();
    for seed in seeds {
        let case = case(seed);
        if std::env::var("REFDEV").is_ok() { eprintln!("seed {seed}"); }
        let Some(compared) = case.compare() else { continue };
        if difference(&compared).is_some() {
            let small = shrink::shrink(&case);
            let why = small.compare().and_then(|compared| difference(&compared)).unwrap_or_default();
            panic!("seed {seed}\n{}\n{}\n{why}", print::policy(&small.policy), small.recording.text());
        }
        totals.add(&compared.took_part, compared.reference.calls.len());
    }
    totals
}

#[test]
fn a_replay_agrees_with_the_reference() {
    let cases = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let totals = compare(0..cases);
    println!("{}", totals.table());
}
