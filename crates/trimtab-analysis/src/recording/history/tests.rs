use trimtab_recordings::transcript;

use super::*;

/// A compaction after two calls, and a cleared result.
const RECORDING: &str = r#"{"trimtab":1,"window":9000}
{"role":"system","content":"Be brief."}
{"role":"user","content":"Look at both files."}
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":{"path":"a"}},{"type":"tool_call","id":"2","name":"read","arguments":{"path":"b"}}]}
{"role":"tool","content":[{"type":"tool_result","id":"1","content":"LONG"}]}
{"role":"tool","content":[{"type":"tool_result","id":"2","content":"missing","is_error":true}]}
{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"list","arguments":{}}],"cleared":{"results":["1"]}}
{"role":"tool","content":[{"type":"tool_result","id":"3","content":"a"}]}
{"role":"user","content":"A summary.","resets":true,"compaction":{"automatic":true}}
{"role":"assistant","content":"Done."}
"#;

fn history(options: &HistoryOptions) -> History {
    let text = RECORDING.replace("LONG", &"a long text ".repeat(50));
    History::of(&transcript::read(text.as_bytes(), None).expect("a recording").transcripts[0], options)
}

#[test]
fn each_call_has_what_was_added_and_the_tools_of_its_reply() {
    let history = history(&HistoryOptions::default());
    let calls: Vec<_> =
        history.calls.iter().map(|call| (call.added.clone(), call.errors, call.tools.clone())).collect();
    let tools = |name: &str, times: usize| vec![(SmolStr::new(name), times)];
    assert_eq!(calls.len(), history.trace.calls.len());
    assert_eq!(calls[0], ([("system", 1), ("user", 1)].into(), 0, tools("read", 2)));
    assert_eq!(calls[1], ([("assistant", 1), ("tool", 2)].into(), 1, tools("list", 1)));
    assert_eq!(calls[2], ([("user", 1)].into(), 0, Vec::new()));
    assert!(history.calls[2].counted < history.calls[1].counted, "the context was reset");
    assert_eq!((history.trace.resets.len(), history.trace.clearings.len()), (1, 1));
}

#[test]
fn tools_have_the_tokens_of_all_their_results_and_of_those_that_are_left() {
    let history = history(&HistoryOptions::default());
    let tools: Vec<_> = history.tools.iter().map(|tool| (tool.name.as_str(), tool.calls, tool.errors)).collect();
    assert_eq!(tools, [("read", 2, 1), ("list", 1, 0)]);
    assert!(history.tools[0].tokens > 100);
    assert_eq!(history.tools[0].final_tokens, 0, "the last context contains no result");
}

#[test]
fn the_largest_parts_are_listed_with_the_calls_that_held_them() {
    let history = history(&HistoryOptions { largest: 2, ..HistoryOptions::default() });
    let [first, second] = <[HeldPart; 2]>::try_from(history.largest).expect("two parts");
    assert_eq!((first.message, first.kind, first.tool.as_deref()), (3, "tool result", Some("read")));
    assert_eq!(first.calls, Some(0), "it was cleared before the next call");
    assert!(first.tokens > second.tokens);
    assert!(first.preview.starts_with("a long text a long text") && first.preview.ends_with('…'));
}

#[test]
fn the_content_of_a_call_is_what_was_sent() {
    let history = history(&HistoryOptions { call: Some(1), ..HistoryOptions::default() });
    let content = history.content.expect("the call");
    let roles: Vec<_> = content.roles.iter().map(|group| (group.name.as_str(), group.messages)).collect();
    assert_eq!(roles, [("system", 1), ("user", 1), ("assistant", 1), ("tool", 2)]);
    assert_eq!(content.tools.iter().map(|group| group.messages).collect::<Vec<_>>(), [2]);
    let cleared = content.largest.iter().find(|part| part.message == 3).expect("the cleared result");
    assert!(cleared.preview.contains("cleared"), "{}", cleared.preview);
    assert_eq!(self::history(&HistoryOptions { call: Some(9), ..HistoryOptions::default() }).content, None);
}
