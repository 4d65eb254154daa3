use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Compaction, Part, Usage};

use crate::transcript::{self, Transcript};

fn read_file(json: &Json) -> Vec<Transcript> {
    let file = transcript::read(json.to_string().as_bytes(), None).expect("reads");
    assert_eq!(file.format, "atif");
    file.transcripts
}

/// A trajectory with these steps.
fn trajectory(steps: &Json) -> Json {
    json!({"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1", "model_name": "m"}, "steps": steps})
}

fn read(steps: &Json) -> Transcript {
    read_file(&trajectory(steps)).remove(0)
}

fn roles(transcript: &Transcript) -> String {
    let letter = |harness| if harness { "h" } else { "u" };
    let roles = transcript.messages.iter().map(|message| match message.role.word() {
        "user" => letter(message.harness),
        word => word.get(..1).unwrap_or_default(),
    });
    roles.collect()
}

#[test]
fn a_step_of_the_agent_is_a_reply_with_its_results() {
    let call = |id: &str| json!({"tool_call_id": id, "function_name": "ls", "arguments": {"p": 1}});
    let metrics = json!({"prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 60, "extra": {"cache_creation_input_tokens": 30}});
    let read = read(&json!([
        {"step_id": 1, "source": "system", "message": "Be brief."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "go"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
        {"step_id": 3, "source": "agent", "message": "ok", "reasoning_content": "hm", "model_name": "n", "metrics": metrics,
         "tool_calls": [call("a"), call("b")], "observation": {"results": [{"source_call_id": "a", "content": "x"}, {"content": "y"}]}},
    ]));
    assert_eq!(roles(&read), "suatt");
    assert!(matches!(&read.messages[1].parts[1].body, Body::Image { media_type, .. } if media_type == "image/png"));
    assert_eq!(
        read.messages[2].usage,
        Some(Usage { input: 10, cache_read: 60, cache_write: 30, output: 5, ..Usage::default() })
    );
    assert_eq!(read.messages[2].parts.len(), 4);
    assert_eq!(read.messages[4].parts, [Part::result("", "y", false)], "a result without an id");
    assert_eq!((read.model.as_deref(), read.messages[2].model.as_deref()), (Some("m"), Some("n")));
}

#[test]
fn an_observation_of_a_reply_without_calls_is_a_message_of_the_harness() {
    let read =
        read(&json!([{"source": "agent", "message": "{}", "observation": {"results": [{"content": "screen"}]}}]));
    assert_eq!(roles(&read), "ah");
}

#[test]
fn usage_of_several_calls_together_is_not_the_usage_of_a_reply() {
    let metrics = json!({"prompt_tokens": 100, "completion_tokens": 5});
    let read = read(&json!([{"source": "agent", "message": "x", "llm_call_count": 3, "metrics": metrics}]));
    assert_eq!(read.messages[0].usage, None);
}

#[test]
fn copied_steps_are_context_where_they_begin_one_and_repeats_elsewhere() {
    let metrics = json!({"prompt_tokens": 100, "completion_tokens": 5});
    let read = read(&json!([
        {"source": "user", "message": "before", "is_copied_context": true},
        {"source": "user", "message": "handoff", "is_copied_context": true},
        {"source": "agent", "message": "copied", "is_copied_context": true, "metrics": metrics},
        {"source": "agent", "message": "new", "metrics": metrics},
        {"source": "user", "message": "before", "is_copied_context": true},
    ]));
    assert_eq!(roles(&read), "uhaa");
    assert!(read.messages[2].usage.is_none() && read.messages[3].usage.is_some());
    assert_eq!(read.skipped.get("copied step"), Some(&1));
}

#[test]
fn a_compaction_resets_the_context_before_the_next_message() {
    let marker = json!({"context_management": {"type": "compaction", "boundary": "replace"}});
    let read = read(&json!([
        {"source": "agent", "message": "x"},
        {"source": "system", "message": "Performed context summarization.", "extra": marker},
        {"source": "user", "message": "the summary"},
    ]));
    assert_eq!(roles(&read), "au");
    assert!(read.messages[1].resets);
    assert_eq!(read.messages[1].compaction(), Some(Compaction { automatic: true, ..Compaction::default() }));
}

#[test]
fn embedded_trajectories_of_sub_agents_are_transcripts() {
    let mut sub = trajectory(&json!([{"source": "user", "message": "look"}]));
    sub["trajectory_id"] = "t-2".into();
    let mut main = trajectory(&json!([
        {"source": "agent", "message": "x", "tool_calls": [{"tool_call_id": "a", "function_name": "task"}],
         "observation": {"results": [{"source_call_id": "a", "subagent_trajectory_ref": [{"trajectory_id": "t-2"}]}]}},
    ]));
    main["subagent_trajectories"] = json!([sub]);
    main["continued_trajectory_ref"] = "cont-1.json".into();
    let read = read_file(&main);
    let ids: Vec<_> = read.iter().map(|read| (read.id.as_str(), read.agent.as_deref())).collect();
    assert_eq!(ids, [("s", None), ("t-2", Some("t-2"))]);
    assert_eq!(json!(read[0].skipped), json!({"continuation in another file": 1, "reference to a sub-agent": 1}));
}

#[test]
fn a_step_has_a_reasoning_effort_which_may_be_a_number() {
    let step =
        |id: u64, effort: Json| json!({"step_id": id, "source": "agent", "message": "ok", "reasoning_effort": effort});
    let read = read(&json!([step(1, "high".into()), step(2, 0.5.into()), step(3, Json::Null), step(4, json!([]))]));
    let efforts: Vec<_> = read.messages.iter().map(|message| message.effort.as_deref()).collect();
    assert_eq!(efforts, [Some("high"), Some("0.5"), None, None]);
}
