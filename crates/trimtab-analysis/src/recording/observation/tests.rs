use trimtab_recordings::transcript;

use super::*;

/// A file that is read twice, a command that fails three times in a row with the same arguments, a pause and a compaction.
const RECORDING: &str = r#"{"trimtab":1,"model":"claude-sonnet-4-5"}
{"role":"system","content":"Be brief."}
{"role":"user","content":"Fix the build.","at":"2026-01-01T10:00:00Z"}
{"role":"assistant","at":"2026-01-01T10:00:01Z","content":[{"type":"tool_call","id":"1","name":"read_file","arguments":{"path":"a"}}]}
{"role":"tool","at":"2026-01-01T10:10:00Z","content":[{"type":"tool_result","id":"1","content":"LONG"}]}
{"role":"assistant","at":"2026-01-01T10:10:01Z","content":[{"type":"tool_call","id":"2","name":"read_file","arguments":{"path":"a"}}]}
{"role":"tool","at":"2026-01-01T10:10:02Z","content":[{"type":"tool_result","id":"2","content":"LONG"}]}
{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"make","arguments":{}}]}
{"role":"tool","content":[{"type":"tool_result","id":"3","content":"no rule","is_error":true}]}
{"role":"assistant","content":[{"type":"tool_call","id":"4","name":"make","arguments":{}}]}
{"role":"tool","content":[{"type":"tool_result","id":"4","content":"no rule","is_error":true}]}
{"role":"assistant","content":[{"type":"tool_call","id":"5","name":"make","arguments":{}}]}
{"role":"tool","content":[{"type":"tool_result","id":"5","content":"no rule","is_error":true}]}
{"role":"user","content":"A summary.","resets":true,"compaction":{"automatic":true,"tokens":9000}}
{"role":"assistant","content":"Done."}
"#;

fn observed() -> Observations {
    let text = RECORDING.replace("LONG", &"a long text ".repeat(1_000));
    let read = transcript::read(text.as_bytes(), None).expect("a recording");
    Observations::of(&Plan::without_rules(), &read.transcripts[0], &Options::default())
}

#[test]
fn the_content_of_all_calls_sums_up_to_the_tokens_sent() {
    let observed = observed();
    assert_eq!((observed.transcripts, observed.calls), (1, 6));
    assert_eq!(observed.content.values().sum::<u128>(), observed.sent);
    let result = |tool: &str| observed.content.get(&ContentKind::Result(Some(tool.into()))).copied();
    assert!(result("read_file") > Some(observed.sent / 2), "{:?}", observed.content);
    assert!(result("make").is_some() && observed.content.contains_key(&ContentKind::Summary), "{:?}", observed.content);
}

#[test]
fn large_duplicate_and_superseded_results_are_counted_once() {
    let observed = observed();
    assert_eq!((observed.results.count, observed.results.large, observed.results.largest_chars), (5, 2, 12_000));
    // No request had the third failure of `make` beside the second.
    assert_eq!((observed.superseded.count, observed.duplicates.count), (1, 2), "one read, one failure of `make`");
    assert!(observed.superseded.tokens > 1_000 && observed.duplicates.tokens > observed.superseded.tokens);
}

#[test]
fn rows_of_calls_and_failures_have_their_length() {
    let observed = observed();
    assert_eq!(observed.repeats, Streaks { count: 1, longest: 3, tool: Some("make".into()) });
    assert_eq!((observed.failures.count, observed.failures.longest), (1, 3));
}

#[test]
fn compactions_and_pauses_have_their_sizes() {
    let observed = observed();
    let Compactions { count, freed, smallest, .. } = observed.compactions;
    assert_eq!((count, smallest), (1, Some(9_000)));
    assert!(freed > 8_000 && freed < 9_000, "{freed}");
    let Pauses { count, longest, tokens } = observed.pauses;
    assert_eq!((count, longest), (1, 600));
    assert!(tokens > 1_000);
}

#[test]
fn observations_of_several_transcripts_are_added_up() {
    let (one, mut sum) = (observed(), observed());
    sum += one.clone();
    assert_eq!((sum.transcripts, sum.calls, sum.sent), (2, 12, 2 * one.sent));
    assert_eq!(sum.content.values().sum::<u128>(), sum.sent);
    assert_eq!((sum.repeats.count, sum.repeats.longest, sum.peak), (2, 3, one.peak));
    let mut with_nothing = one.clone();
    with_nothing += Observations::default();
    assert_eq!(with_nothing, one);
}
