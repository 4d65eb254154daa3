use trimtab_recordings::transcript;

use super::*;

/// A recording of two tasks on two days, the second with another model.
fn recording(second_model: &str) -> String {
    [
        r#"{"trimtab":1,"model":"claude-sonnet-4-5","directory":"/shop"}"#.to_owned(),
        r#"{"role":"user","content":"one"}"#.to_owned(),
        r#"{"role":"assistant","content":"a","at":"2026-03-02T23:00:00Z","usage":{"input":1000000}}"#.to_owned(),
        r#"{"role":"user","content":"two"}"#.to_owned(),
        format!(
            r#"{{"role":"assistant","content":"b","at":"2026-03-02T23:30:00-01:00","model":"{second_model}","usage":{{"input":1000000,"output":1}}}}"#
        ),
        r#"{"role":"user","content":"a word more"}"#.to_owned(),
    ]
    .join("\n")
}

fn costs(text: &str) -> TranscriptCosts {
    let read = transcript::read(text.as_bytes(), None).expect("a recording");
    TranscriptCosts::of(&read.transcripts[0], &Models::default())
}

/// The groups of two recordings: name, transcripts, tasks, priced of calls, priced of units.
fn groups(grouping: CostGrouping) -> Vec<(String, [usize; 6])> {
    let mut table = CostTable::new(grouping);
    table.add("a.jsonl", "logs", &costs(&recording("claude-haiku-4-5")));
    table.add("b.jsonl", "logs", &costs(&recording("own-model").replace(",\"directory\":\"/shop\"", "")));
    let row = |name: &str, group: &CostGroup| {
        let CostGroup { transcripts, tasks, costs, units, .. } = *group;
        (name.to_owned(), [transcripts, tasks, costs.priced, costs.number, group.priced_units(), units])
    };
    let groups = table.groups();
    groups.into_iter().map(|(name, group)| row(name, group)).chain([row("all", &table.total)]).collect()
}

fn named(rows: &[(&str, [usize; 6])]) -> Vec<(String, [usize; 6])> {
    rows.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect()
}

#[test]
fn calls_belong_to_their_day_in_utc() {
    let rows = [("2026-03-02", [2, 2, 2, 2, 2, 2]), ("2026-03-03", [2, 2, 1, 2, 1, 2]), ("all", [2, 4, 3, 4, 1, 2])];
    assert_eq!(groups(CostGrouping::Day), named(&rows));
}

#[test]
fn a_transcript_without_a_directory_belongs_to_the_folder_of_its_file() {
    let rows = [("/shop", [1, 2, 2, 2, 1, 1]), ("logs", [1, 2, 1, 2, 0, 1]), ("all", [2, 4, 3, 4, 1, 2])];
    assert_eq!(groups(CostGrouping::Project), named(&rows));
}

#[test]
fn the_price_of_a_model_does_not_hide_that_of_others() {
    let rows = [
        ("claude-sonnet-4-5", [2, 2, 2, 2, 2, 2]),
        ("claude-haiku-4-5", [1, 1, 1, 1, 1, 1]),
        ("own-model", [1, 1, 0, 1, 0, 1]),
        ("all", [2, 4, 3, 4, 1, 2]),
    ];
    assert_eq!(groups(CostGrouping::Model), named(&rows));
}

#[test]
fn a_task_ends_where_a_person_writes_after_a_reply_without_calls() {
    let rows = [("a.jsonl", [1, 2, 2, 2, 2, 2]), ("b.jsonl", [1, 2, 1, 2, 1, 2]), ("all", [2, 4, 3, 4, 3, 4])];
    assert_eq!(groups(CostGrouping::Task), named(&rows));
}

#[test]
fn quantiles_are_over_transcripts_with_known_prices_only_and_sums_over_all_known_prices() {
    let mut group = CostGroup::default();
    assert_eq!((group.costs.known(), group.median(), group.p90()), (Some(Decimal::ZERO), None, None));
    let call = |cost: Option<u64>| CallCosts { costs: CostSum::of(cost.map(Decimal::from)), tokens: 1 };
    for cost in 1..=10 {
        group.add(1, &[call(Some(cost))]);
    }
    group.add(1, &[call(Some(45)).with(call(None))]);
    assert_eq!((group.priced_units(), group.units, group.costs.known()), (10, 11, Some(Decimal::ONE_HUNDRED)));
    assert_eq!((group.costs.priced, group.costs.number), (11, 12));
    assert_eq!((group.median(), group.p90()), (Some(Decimal::from(5)), Some(Decimal::from(9))));
}

#[test]
fn transcripts_without_usage_belong_to_no_group_and_those_without_replies_cost_nothing() {
    let mut table = CostTable::new(CostGrouping::Day);
    let question = "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"hi\"}\n";
    table.add("a", ".", &costs(question));
    assert_eq!((table.without_usage, table.total.costs.known()), (0, Some(Decimal::ZERO)));
    table.add("b", ".", &costs(&format!("{question}{{\"role\":\"assistant\",\"content\":\"hello\"}}\n")));
    assert_eq!((table.without_usage, table.groups().len(), table.total.units), (1, 0, 0));
}
