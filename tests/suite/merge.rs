//! The law of merging: the results of parts of the recordings, merged, are the result of all of them, byte for byte.

use std::fs;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::SizeRange;
use serde_json::{Value as Json, json};
use trimtab::check;
use trimtab::plan::{Plan, lower};
use trimtab::report::{
    self, PolicyReplays, REPLAY_FORMATS, ReplayError, ReplayHead, ReplayResult, SORTS, Sort, SummedAssertion,
};
use trimtab::simulate::{Extract, Options, replay};
use trimtab::source::{Source, SourceId};
use trimtab::test::SummedExpectation;
use trimtab::{pipeline, transcript};

use crate::generated::cases;

const POLICY: &str = "edition 2026\nagent { window 4k tokens }\npolicy p {
  rule shorten { do trim results to 40 chars keep 0 results including errors }
  rule forget { when context.messages >= 4 do drop older keep 2 messages }
  rule recap { when context.messages >= 3 do summarise older keep 1 messages once }
}\n";

/// The replays of all recordings of the formats, and errors as of files that cannot be read.
struct Replayed {
    plan: Plan,
    replays: Vec<ReplayResult>,
    errors: Vec<ReplayError>,
}

static REPLAYED: LazyLock<Replayed> = LazyLock::new(|| {
    let checked = pipeline::compile("p.trim", POLICY).checked.unwrap();
    let plan = lower(&checked, None).unwrap();
    let mut files: Vec<_> = fs::read_dir("tests/transcript").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end != "snap"));
    files.sort();
    let mut replays = Vec::new();
    for path in files {
        let file = path.display().to_string();
        for transcript in transcript::read(&fs::read(&path).unwrap(), None).unwrap().transcripts {
            let trace = replay(&plan, &transcript, &Options::default(), &mut Extract, &mut |_| {});
            let id = format!("{file}#{}", transcript.id);
            replays.push(ReplayResult { file: file.clone(), id, trace, assertions: Vec::new() });
        }
    }
    let error = |number: usize| ReplayError { file: format!("e{number}"), message: "broken".to_owned(), line: Some(1) };
    Replayed { plan, replays, errors: (0..4).map(error).collect() }
});

fn sort(name: &str) -> &'static Sort {
    SORTS.iter().find(|sort| sort.name == name).unwrap()
}

/// The JSON text of a simulation of some of the recordings, for one policy or for two alike.
fn result(policies: usize, replays: &[ReplayResult], errors: &[ReplayError]) -> String {
    let json = REPLAY_FORMATS.iter().find(|format| format.name == "json").unwrap();
    let options = json!({ "window": null, "facts": ["load=1.10"] }).as_object().cloned().unwrap();
    let mut stream = json.stream.unwrap()(ReplayHead { policies, version: "0.0.0", options });
    let policy = PolicyReplays { file: "p.trim", plan: &REPLAYED.plan, replays: &[], summed: &[] };
    let mut text = String::new();
    for _ in 0..policies {
        let mut summed = summed();
        text += &stream.begin(&policy);
        for replay in replays {
            for assertion in &mut summed {
                assertion.sum.add(&replay.trace);
            }
            text += &stream.replay(&policy, replay);
        }
        text += &stream.end(errors, &summed);
    }
    text + &stream.finish()
}

/// Assertions on totals, before any recording.
fn summed() -> Vec<SummedAssertion> {
    let texts = ["total tokens_saved > 20k tokens", "total edits < 3", "total calls >= 1", "total cost_saved > $0"];
    let parse = |text: &str| {
        let source = Source::new(SourceId(0), "total", format!("expect {text}"));
        let expectation = check::assertion(&source, &[], &REPLAYED.plan.agent).unwrap();
        SummedAssertion { text: text.to_owned(), sum: SummedExpectation::of(&expectation.claim).unwrap() }
    };
    texts.into_iter().map(parse).collect()
}

/// Some of the recordings and errors.
type Part = (Vec<ReplayResult>, Vec<ReplayError>);

fn merged(parts: &[String], sort: Option<&Sort>) -> String {
    let named: Vec<_> = parts.iter().enumerate().map(|(at, text)| (format!("{at}.json"), text.clone())).collect();
    report::merge(&named, sort).unwrap().text
}

/// Distributes everything to parts.
fn split(of: &[usize], parts: usize) -> Vec<Part> {
    let mut split: Vec<Part> = vec![Part::default(); parts];
    for (one, part) in REPLAYED.replays.iter().zip(of) {
        split[*part].0.push(one.clone());
    }
    for (one, part) in REPLAYED.errors.iter().zip(&of[REPLAYED.replays.len()..]) {
        split[*part].1.push(one.clone());
    }
    split
}

/// The part of each recording and error.
fn distribution(parts: usize) -> impl Strategy<Value = Vec<usize>> {
    vec(0..parts, SizeRange::from(REPLAYED.replays.len() + REPLAYED.errors.len()))
}

const PARTS: usize = 5;

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn parts_in_the_order_of_the_input_merge_to_the_result_of_all(
        mut of in distribution(PARTS),
        several in any::<bool>(),
        nested in 0..PARTS,
    ) {
        of[..REPLAYED.replays.len()].sort_unstable();
        of[REPLAYED.replays.len()..].sort_unstable();
        let policies = 1 + usize::from(several);
        let whole = result(policies, &REPLAYED.replays, &REPLAYED.errors);
        let parts: Vec<String> = split(&of, PARTS).iter().map(|(replays, errors)| result(policies, replays, errors)).collect();
        prop_assert_eq!(&merged(&parts, None), &whole);
        let (first, rest) = parts.split_at(nested);
        let halves: Vec<String> =
            [first, rest].iter().filter(|half| !half.is_empty()).map(|half| merged(half, None)).collect();
        prop_assert_eq!(&merged(&halves, None), &whole);
    }

    #[test]
    fn parts_of_any_choice_merge_to_the_result_of_all_in_an_order(
        of in distribution(PARTS),
        order in any::<prop::sample::Index>(),
    ) {
        let by_name = sort("name");
        let (mut replays, mut errors) = (REPLAYED.replays.clone(), REPLAYED.errors.clone());
        by_name.replays(&mut replays);
        by_name.errors(&mut errors);
        let whole = result(1, &replays, &errors);
        let parts: Vec<String> = split(&of, PARTS).iter().map(|(replays, errors)| result(1, replays, errors)).collect();
        prop_assert_eq!(&merged(&parts, Some(by_name)), &whole);
        let other = order.get(SORTS);
        other.replays(&mut replays);
        other.errors(&mut errors);
        prop_assert_eq!(merged(&[whole], Some(other)), result(1, &replays, &errors));
    }
}

#[test]
fn the_recordings_have_all_that_totals_sum_up() {
    let text = result(1, &REPLAYED.replays, &REPLAYED.errors);
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(text, format!("{json:#}\n"), "the text is what the JSON library prints");
    let priced = REPLAYED.replays.iter().filter(|one| one.trace.money.priced.is_known()).count();
    assert!(priced > 5 && priced < REPLAYED.replays.len());
    let total = &json["total"];
    let number = |json: &Json| json.as_f64().unwrap_or(0.0) > 0.0;
    for path in
        ["/calls", "/runs", "/before/mean_tokens", "/tokens_saved", "/money/before/cost", "/money/before/cache_read"]
    {
        assert!(total.pointer(path).is_some_and(number), "{path}: {total:#}");
    }
    let sum = |path: &str| -> f64 {
        // What is unknown adds nothing.
        let all = json["transcripts"].as_array().unwrap().iter();
        all.filter_map(|one| one.pointer(path).and_then(Json::as_f64)).sum()
    };
    for path in ["/money/before/cost", "/money/after/cost", "/money/summaries_cost", "/money/after/uncached_input"] {
        assert!((sum(path) - total.pointer(path).unwrap().as_f64().unwrap()).abs() < 1e-9, "{path}");
    }
    let known = json["transcripts"].as_array().unwrap().iter().filter(|one| !one["money"]["before"]["cost"].is_null());
    assert_eq!(known.count(), priced);
    assert_eq!(total["verdict"]["priced"]["all_sessions"], REPLAYED.replays.len());
}
