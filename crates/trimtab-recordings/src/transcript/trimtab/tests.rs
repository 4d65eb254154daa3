use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use trimtab_base::conversation::{
    Arguments, Body, Cleared, Compaction, HarnessEdits, HeadChange, ImageSize, MAX_TOKENS, Message, Origin, Part,
    Recall, Role, Service, Tier, ToolResult, Usage,
};
use trimtab_base::playbook::{Delta, Playbook, Timestamp};

use crate::transcript::{
    self, HARNESS_CALL_KINDS, HarnessCall, Live, RecordedAnswer, Tool, Transcript, message_json, write,
};

fn read(text: &str) -> Vec<Transcript> {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "trimtab");
    file.transcripts
}

fn messages(text: &str) -> Vec<Message> {
    let mut transcripts = read(&format!("{{\"trimtab\":1}}\n{text}\n"));
    assert_eq!(transcripts.len(), 1);
    transcripts.remove(0).messages.iter().map(|message| message.as_ref().clone()).collect()
}

#[test]
fn the_header_and_every_kind_of_part_are_parsed() {
    let transcripts = read(concat!(
        r#"{"trimtab":1,"id":"a","model":"m","window":200000,"tools":["bash",{"name":"ls","schema":{"x":1}}],"started":"s"}"#,
        "\n",
        r#"{"role":"user","content":"hi","run":true,"at":"t"}"#,
        "\n",
        r#"{"role":"assistant","content":[{"type":"thinking","text":"hm","signature":"s"},{"type":"text","text":"ok"},"#,
        r#"{"type":"tool_call","id":"c","name":"bash","arguments":{"a":1}},{"type":"novel"}],"#,
        r#""usage":{"input":1,"cache_read":2,"cache_write":3,"output":4},"model":"m"}"#,
        "\n",
        r#"{"role":"tool","content":[{"type":"tool_result","id":"c","content":["x",{"type":"image","media_type":"image/png","bytes":9}],"is_error":true}]}"#,
    ));
    let read = &transcripts[0];
    assert_eq!((read.id.as_str(), read.model.as_deref(), read.window), ("a", Some("m"), Some(200_000)));
    assert_eq!(read.tools[1].schema.as_deref(), Some(r#"{"x":1}"#));
    let [user, reply, result] = read.messages.as_slice() else { unreachable!("three messages were written") };
    assert_eq!((user.run, user.at.as_deref(), user.plain_text().as_str()), (Some(true), Some("t"), "hi"));
    assert_eq!(reply.usage, Some(Usage { input: 1, cache_read: 2, cache_write: 3, output: 4, ..Usage::default() }));
    assert_eq!(reply.parts[2], Part::call("c", "bash", Arguments::from(json!({"a": 1}))));
    assert_eq!(reply.parts[3].body, Body::Other(Box::new(json!({"type": "novel"}))));
    let result = result.results().next().expect("a result");
    assert_eq!((result.text.as_ref(), result.is_error, result.attachments.len()), ("x", true, 1));
}

#[test]
fn unknown_keys_of_headers_and_messages_are_written_again() {
    let text = concat!(
        r#"{"trimtab":1,"id":"a","cwd":"/x","meta":{"n":[1]}}"#,
        "\n",
        r#"{"role":"user","content":"hi","note":"k"}"#,
        "\n",
    );
    assert_eq!(read(text).iter().map(write).collect::<String>(), text);
}

#[test]
fn thinking_has_its_text_under_either_name() {
    let own = messages(r#"{"role":"assistant","content":[{"type":"thinking","text":"hm","signature":"s"}]}"#);
    let anthropic = messages(r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}"#);
    assert_eq!(own, anthropic);
    assert!(matches!(&own[0].parts[0].body, Body::Thinking { text, .. } if text.as_ref() == "hm"));
}

#[test]
fn a_tool_message_with_several_results_becomes_one_message_per_result() {
    let read = messages(
        r#"{"role":"tool","at":"t","content":[{"type":"tool_result","id":"a","content":"x"},{"type":"tool_result","id":"b","content":"y"}]}"#,
    );
    let of = |id: &str, text: &str| Message {
        at: Some("t".into()),
        ..Message::new(Role::Tool, vec![Part::result(id, text, false)])
    };
    assert_eq!(read, [of("a", "x"), of("b", "y")]);
}

#[test]
fn only_the_first_message_of_a_line_has_its_harness_edits() {
    let read = messages(
        r#"{"role":"tool","run":true,"resets":true,"cleared":{"results":["z"],"tokens":9},"content":[{"type":"tool_result","id":"a","content":"x"},{"type":"tool_result","id":"b","content":"y"}]}"#,
    );
    let edits: Vec<_> = read
        .iter()
        .map(|message| (message.resets, message.run, message.cleared().map(|cleared| cleared.tokens)))
        .collect();
    assert_eq!(edits, [(true, Some(true), Some(Some(9))), (false, None, None)]);
}

#[test]
fn a_tool_message_of_plain_text_is_a_result_without_an_id() {
    let read = messages(r#"{"role":"tool","content":"out"}"#);
    assert_eq!(read, [Message::new(Role::Tool, vec![Part::result("", "out", false)])]);
}

#[test]
fn results_in_a_user_message_come_before_its_other_parts() {
    let read = messages(
        r#"{"role":"user","run":false,"content":[{"type":"text","text":"and"},{"type":"tool_result","id":"a","content":"x"}]}"#,
    );
    assert_eq!(
        read.iter().map(|message| (message.role, message.run)).collect::<Vec<_>>(),
        [(Role::Tool, None), (Role::User, Some(false))]
    );
}

#[test]
fn unknown_keys_and_invalid_values_are_kept() {
    let read = messages(r#"{"role":"user","content":"x","note":{"a":[1]},"run":"maybe"}"#);
    assert_eq!(json!(read[0].extra), json!({"note": {"a": [1]}, "run": "maybe"}));
    assert_eq!(message_json(&read[0])["note"], json!({"a": [1]}));
}

#[test]
fn each_header_starts_a_transcript_and_broken_lines_are_counted() {
    let transcripts = read(
        "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"a\"}\n{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"b\"}\n\
         {\"role\":\"elf\"}\n{\"role\":\"us",
    );
    assert_eq!(transcripts.iter().map(|read| read.id.as_str()).collect::<Vec<_>>(), ["0", "1"]);
    assert_eq!(json!(transcripts[0].skipped), json!({"broken line": 1, "record without a known role": 1}));
}

#[test]
fn a_written_line_has_a_single_text_as_a_string() {
    let message = Message::text(Role::User, "x");
    assert_eq!(message_json(&message), json!({"role": "user", "content": [{"type": "text", "text": "x"}]}));
    let transcript = Transcript { messages: vec![Arc::new(message)], ..Transcript::default() };
    assert_eq!(write(&transcript), "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"x\"}\n");
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,6}", any::<String>()]
}

fn body() -> impl Strategy<Value = Body> {
    let text = || string().prop_map(Arc::<str>::from);
    prop_oneof![
        text().prop_map(Body::Text),
        (text(), proptest::option::of(string())).prop_map(|(text, signature)| {
            Body::Thinking { text, signature: signature.map(String::into_boxed_str) }
        }),
        (string(), any::<u64>(), proptest::option::of((1u32.., 1u32..))).prop_map(|(kind, bytes, size)| {
            let size = size.map(|(width, height)| ImageSize { width, height });
            Body::Image { media_type: kind.into(), bytes, size }
        }),
        (string(), string(), string()).prop_map(|(id, name, text)| {
            Body::ToolCall { id: id.into(), name: name.into(), arguments: Arguments::Text(text.into()) }
        }),
        (string(), string(), string()).prop_map(|(id, name, text)| {
            Body::ToolCall {
                id: id.into(),
                name: name.into(),
                arguments: Arguments::from(json!({ text: [1, null, 0.5] })),
            }
        }),
        string().prop_map(|text| Body::Other(Box::new(json!({ "type": "novel", "x": text })))),
        proptest::sample::select(vec!["text", "tool_result", "tool_call", "other"])
            .prop_map(|kind| Body::Other(Box::new(json!({ "type": kind, "text": "x", "name": "y", "value": 1 })))),
        Just(Body::Other(Box::new(json!("a string")))),
    ]
}

fn is_text(body: &Body) -> bool {
    matches!(body, Body::Text(_))
}

fn parts(role: Role) -> BoxedStrategy<Vec<Part>> {
    let bodies = proptest::collection::vec(body(), 0..4);
    if role != Role::Tool {
        return bodies.prop_map(|bodies| bodies.into_iter().map(Part::new).collect()).boxed();
    }
    let result = (string(), proptest::option::of(string()), string(), bodies, any::<bool>());
    let result = result.prop_map(|(id, name, text, mut attachments, is_error)| {
        attachments.retain(|body| !is_text(body));
        let name = name.map(Into::into);
        vec![Part::new(Body::ToolResult(Box::new(ToolResult {
            id: id.into(),
            name,
            text: text.into(),
            attachments,
            is_error,
        })))]
    });
    result.boxed()
}

fn harness_edits() -> impl Strategy<Value = HarnessEdits> {
    let compaction = (any::<bool>(), tokens(), tokens());
    let cleared = (proptest::collection::vec("[a-z0-9_]{1,9}", 0..4), tokens());
    let changed = any::<[bool; 2]>().prop_map(|[tools, prompt]| HeadChange { tools, prompt });
    (compaction, proptest::option::of(cleared), changed).prop_map(|((automatic, tokens, after), cleared, changed)| {
        let cleared =
            cleared.map(|(ids, tokens)| Cleared { results: ids.into_iter().map(Into::into).collect(), tokens });
        HarnessEdits { compaction: Some(Compaction { automatic, tokens, after }), cleared, changed }
    })
}

fn message() -> impl Strategy<Value = Message> {
    let roles = [Role::System, Role::User, Role::Assistant, Role::Tool];
    let origins = [Origin::Recorded, Origin::Injected, Origin::Summary, Origin::RunningSummary];
    let role = proptest::sample::select(roles.to_vec());
    let rest = (
        proptest::sample::select(origins.to_vec()),
        proptest::option::of(any::<[u32; 4]>()),
        proptest::option::of(string()),
        proptest::option::of(any::<bool>()),
        (any::<[bool; 4]>(), proptest::option::of(harness_edits()), tokens(), service()),
    );
    (role.prop_flat_map(|role| (Just(role), parts(role))), rest).prop_map(
        |((role, parts), (origin, usage, at, run, ([harness, resets, kept, has_note], edits, sent, service)))| {
            let usage = usage.map(|[a, b, c, d]| Usage {
                input: a.into(),
                cache_read: b.into(),
                cache_write: c.into(),
                output: d.into(),
                hour_write: 0,
                service,
            });
            let (model, effort) = (at.clone().map(Into::into), at.clone().filter(|_| harness).map(Into::into));
            let mut message = Message {
                origin,
                usage,
                sent,
                at: at.map(Into::into),
                model,
                effort,
                run,
                harness,
                resets,
                kept,
                inferred_error: harness,
                harness_edits: edits.map(Box::new),
                ..Message::new(role, parts)
            };
            if has_note {
                message.extra.insert("note".to_owned(), json!([run]));
            }
            message
        },
    )
}

fn service() -> impl Strategy<Value = Service> {
    let tiers = [Tier::Standard, Tier::Priority, Tier::Flex, Tier::Batch];
    (any::<[bool; 2]>(), proptest::sample::select(tiers.to_vec())).prop_map(|([is_fast, is_us_only], tier)| Service {
        is_fast,
        is_us_only,
        tier,
    })
}

fn tokens() -> impl Strategy<Value = Option<u64>> {
    proptest::option::of(0..=MAX_TOKENS)
}

fn live() -> impl Strategy<Value = Live> {
    let answer = prop_oneof![
        string().prop_map(RecordedAnswer::Summary),
        string().prop_map(RecordedAnswer::Failed),
        Just(RecordedAnswer::Retry),
        Just(RecordedAnswer::Confirmed),
        Just(RecordedAnswer::Declined),
        Just(RecordedAnswer::Continue),
        string().prop_map(|text| RecordedAnswer::Strategies(vec![Delta::add("x", &text), Delta::Remove { id: text }])),
    ];
    let counts = (tokens(), 0..=MAX_TOKENS, any::<u64>());
    (string(), counts, proptest::collection::vec(answer, 0..3)).prop_map(
        |(plan, (window, overhead, factor), answers)| {
            let tool_tokens = [("bash".into(), overhead)].into_iter().filter(|_| factor % 2 == 0).collect();
            let host_reflects = factor % 3 == 0;
            let mut playbook = Playbook::default();
            let adds = (0..overhead % 3).map(|at| Delta::add("x", &at.to_string())).collect::<Vec<_>>();
            playbook.apply(&adds, &Timestamp::Call(overhead));
            let (plan, max_iterations) = (plan.into(), window.filter(|_| factor % 2 == 1));
            let (has_fixed_window, follows_replies) = (overhead % 2 == 0, factor % 5 < 3);
            Live {
                plan,
                window,
                has_fixed_window,
                follows_replies,
                overhead,
                factor,
                tool_tokens,
                max_iterations,
                playbook,
                host_reflects,
                recall: if factor % 7 < 3 { Recall::Command } else { Recall::Tool },
                answers,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_written_transcript_is_read_back_unchanged(messages in proptest::collection::vec(message(), 0..6), id in string(), window in tokens(), call in proptest::option::of((any::<u32>(), string(), proptest::sample::select(HARNESS_CALL_KINDS.to_vec()))), live in proptest::option::of(live())) {
        let tool = Tool { name: "t".into(), description: Some(id.as_str().into()), schema: Some("{\"a\":[]}".into()) };
        let written = Transcript {
            id,
            format: "trimtab",
            model: Some("m".into()),
            window,
            tools: vec![tool],
            started: Some("s".into()),
            directory: Some("/shop".into()),
            live,
            harness_calls: call.into_iter().map(|(tokens, model, kind)| HarnessCall {
                kind,
                messages: messages.len() / 2,
                usage: Usage { input: tokens.into(), cache_write: 8, hour_write: 4, ..Usage::default() },
                model: Some(model.into()),
            }).collect(),
            messages: messages.into_iter().map(Arc::new).collect(),
            ..Transcript::default()
        };
        prop_assert_eq!(read(&write(&written)), [written]);
    }
}
