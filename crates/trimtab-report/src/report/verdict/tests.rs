use serde_json::json;

use trimtab_base::quantity::Decimal;

use super::*;
use crate::report::style::TerminalStyle;

/// The figures of a verdict on ten transcripts.
fn figures(cost: [Option<f64>; 4], tokens: [u64; 4], change: impl FnOnce(&mut serde_json::Value)) -> VerdictFigures {
    let [recorded, policy, low, high] = cost;
    let [sent, with, least, most] = tokens;
    let mut json = json!({
        "calls": 100,
        "over_window": { "recorded": 4, "policy": 0 },
        "stopped": { "sessions": 0, "calls": 0, "cost": null },
        "tokens": { "recorded": sent, "policy": with, "low": least, "high": most },
        "cost": { "recorded": recorded, "policy": policy, "low": low, "high": high },
        "priced": {
            "sessions": 10, "all_sessions": 10, "calls": 100, "all_calls": 100, "tokens": 1_000, "all_tokens": 1_000,
        },
        "changes": { "sessions": 6, "cheaper": 4, "more_expensive": 1, "unpriced": 0, "stopped": 0 },
        "reasoning_lost": 0,
        "needed_later": 3,
        "repeated_calls": 2,
        "caveats": {
            "window_unknown": 2, "tools_assumed": 1, "history_missing": 0, "measured": 2, "content_error": 0.12,
        },
    });
    change(&mut json);
    serde_json::from_value(json).expect("figures")
}

const SUBJECT: Subject<'static> =
    Subject { policy: "tidy", recording: None, unread: 2, has_reserve: true, reads_tools: true };

const FEWER: [u64; 4] = [1_000_000, 800_000, 780_000, 850_000];
const SAME: [u64; 4] = [1_000_000, 999_000, 998_000, 999_500];

fn known(cost: [f64; 4]) -> [Option<f64>; 4] {
    cost.map(Some)
}

fn heading(cost: [Option<f64>; 4], tokens: [u64; 4], change: impl FnOnce(&mut serde_json::Value)) -> String {
    VerdictBlock::of(SUBJECT, &figures(cost, tokens, change)).heading
}

#[test]
fn each_outcome_has_its_words() {
    let nothing = |_: &mut serde_json::Value| ();
    let saves = known([10.0, 8.0, 7.5, 9.0]);
    assert_eq!(heading(saves, FEWER, nothing), "saves money overall, costs more in 1 transcript");
    assert_eq!(heading(saves, FEWER, |json| json["changes"]["more_expensive"] = 0.into()), "saves money");
    assert_eq!(
        heading(known([10.0, 9.9, 9.7, 10.3]), FEWER, nothing),
        "may save money overall, costs more in 1 transcript"
    );
    assert_eq!(heading(known([10.0, 12.0, 11.0, 13.0]), FEWER, nothing), "saves context, costs money");
    assert_eq!(heading(known([10.0, 12.0, 11.0, 13.0]), SAME, nothing), "costs money");
    // Less than half of a percent.
    assert_eq!(heading(known([10.0, 9.96, 9.9, 9.98]), FEWER, nothing), "saves context, costs the same");
    assert_eq!(heading(known([10.0, 9.96, 9.9, 9.98]), SAME, nothing), "hardly changes anything");
    assert_eq!(heading([None; 4], FEWER, nothing), "saves context, cannot be priced");
    assert_eq!(heading([None; 4], SAME, nothing), "cannot be priced");
    // The transcripts with a price are not those that change.
    let unpriced = |json: &mut serde_json::Value| {
        json["changes"] = json!({ "sessions": 6, "cheaper": 0, "more_expensive": 0, "unpriced": 4, "stopped": 0 });
    };
    assert_eq!(heading(saves, FEWER, unpriced), "saves context, cannot be priced");
    assert_eq!(heading(saves, FEWER, |json| json["changes"]["sessions"] = 0.into()), "no rule fired");
    assert_eq!(heading(saves, FEWER, |json| json["calls"] = 0.into()), "no model calls to replay");
    let stopped = |json: &mut serde_json::Value| json["stopped"] = json!({ "sessions": 3, "calls": 20, "cost": 1.5 });
    assert_eq!(heading(saves, FEWER, stopped), "stops 3 transcripts, saves money overall, costs more in 1 transcript");
    assert_eq!(heading(known([0.1; 4]), SAME, stopped), "stops 3 transcripts");
}

#[test]
fn the_block_says_what_matters_in_every_width() {
    let mut figures = figures(known([10.0, 8.0, 7.5, 9.0]), FEWER, |json| {
        json["priced"]["sessions"] = 9.into();
        json["priced"]["calls"] = 90.into();
    });
    let cost = "0.4".parse::<Decimal>().expect("a number").into();
    figures.hurts_most = Some(NamedCost { id: "recordings/long/name.jsonl".to_owned(), cost });
    let block = VerdictBlock::of(SUBJECT, &figures);
    for width in [60, 100] {
        let style = TerminalStyle { width, color: false, unicode: true };
        insta::assert_snapshot!(format!("verdict_{width}"), block.text(style));
    }
    let ascii = block.text(TerminalStyle { width: 60, color: false, unicode: false });
    assert!(ascii.is_ascii(), "{ascii}");
    insta::assert_snapshot!("verdict_markdown", block.markdown());
    insta::assert_snapshot!("verdict_sentence", block.sentence());
}

#[test]
fn the_only_changed_transcript_saves_the_whole() {
    let changed = |cheaper: u64| {
        figures(known([1.0, 1.0, 1.0, 2.0]), SAME, |json| {
            json["changes"] =
                json!({ "sessions": cheaper, "cheaper": cheaper, "more_expensive": 0, "unpriced": 0, "stopped": 0 });
        })
    };
    let mut one = changed(1);
    // Rounded to six places, the saving is smaller than it is.
    one.cost.recorded = Decimal::new(1_234_564, 7).into();
    one.cost.policy = Decimal::new(1_000_006, 7).into();
    let mut sum = VerdictFigures::default();
    sum.add(&one, "a");
    sum.add(&changed(0), "b");
    let text = VerdictBlock::of(SUBJECT, &sum).markdown();
    assert!(text.contains("a -$0.023, 100% of the saving"), "{text}");
}

#[test]
fn sums_are_those_of_all_transcripts_and_name_the_dearest() {
    let one = |added: f64, more_expensive: u64| {
        let cost = known([1.0, 1.0 + added, 1.0, 2.0]);
        figures(cost, SAME, |json| {
            json["changes"] =
                json!({ "sessions": 1, "cheaper": 0, "more_expensive": more_expensive, "unpriced": 0, "stopped": 0 });
        })
    };
    let mut sum = VerdictFigures::default();
    for (id, added, more_expensive) in [("a", 0.2, 1), ("b", 0.5, 1), ("c", 0.9, 0)] {
        sum.add(&one(added, more_expensive), id);
    }
    sum.add(&figures([None; 4], SAME, |json| json["priced"]["sessions"] = 0.into()), "d");
    let json = json!(sum);
    assert_eq!(json["hurts_most"], json!({ "id": "b", "cost": 0.5 }));
    assert_eq!(json["cost"]["recorded"], 3.0);
    assert_eq!((&json["priced"]["sessions"], &json["priced"]["all_sessions"]), (&json!(30), &json!(40)));
}
