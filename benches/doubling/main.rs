//! Each input at one size and at twice that size, which must take about twice as long.

use std::cell::OnceCell;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use trimtab::fact::FACTS;
use trimtab::hook_client::{Arrival, SessionSource, change_result, hook_plan};
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::recording::{RedactedText, redact};
use trimtab::simulate::{Extract, Options, replay};
use trimtab::transcript::{Transcript, read};

mod observers;
mod policies;
mod readings;
mod sessions;

use self::policies::lint_and_draw;
use self::sessions::{compactions, edits, pictures, quoting, session, talk, thoughts, tools};

fn policy(rule: &str) -> String {
    format!("edition 2026\nagent {{ window 200k tokens }}\npolicy p {{ rule r {{ {rule} }} }}\n")
}

fn plan(rule: &str) -> Plan {
    let checked = pipeline::compile("bench.trim", &policy(rule)).checked.expect("the policy has no errors");
    lower(&checked, None).expect("one policy")
}

/// The name of a case, its smaller size, and a function that prepares the work for a size.
type Case = (&'static str, usize, fn(usize) -> Work);

/// The work of one measurement.
type Work = Box<dyn Fn() -> usize>;

fn replaying(rule: &str, calls: usize) -> Work {
    replaying_plan(plan(rule), session(calls))
}

fn replaying_quotes(rule: &str, calls: usize) -> Work {
    replaying_plan(plan(rule), quoting(calls))
}

fn replaying_edits(rule: &str, calls: usize) -> Work {
    replaying_plan(plan(rule), edits(calls))
}

fn replaying_talk(rule: &str, requests: usize) -> Work {
    replaying_plan(plan(rule), talk(requests))
}

fn replaying_thoughts(rule: &str, requests: usize) -> Work {
    replaying_plan(plan(rule), thoughts(requests))
}

/// A rule for each example of each fact, so that a new fact is measured too.
fn replaying_facts(calls: usize) -> Work {
    let mut text =
        "edition 2026\nagent { fact mode text }\npolicy p {\n  rule example { do notify \"x\" once }\n".to_owned();
    for (at, example) in FACTS.iter().flat_map(|fact| fact.examples).enumerate() {
        text += &format!("  rule r{at} {{ when {example} do notify \"x\" }}\n");
    }
    let checked = pipeline::compile("bench.trim", &(text + "}\n")).checked.expect("the policy has no errors");
    replaying_plan(lower(&checked, None).expect("one policy"), session(calls))
}

fn replaying_plan(plan: Plan, transcript: Transcript) -> Work {
    Box::new(move || replay(&plan, &transcript, &Options::default(), &mut Extract, &mut |_| {}).calls.len())
}

/// A new result of a session, as a hook gets it.
fn hooking(rule: &str, calls: usize) -> Work {
    let (plan, transcript) = (Arc::new(hook_plan(&plan(rule))), session(calls));
    let arrival = Arrival {
        session: String::new(),
        agent: None,
        source: SessionSource::Event(String::new()),
        call: Some("new".into()),
        tool: "bash".into(),
        arguments: serde_json::Value::Null,
        text: "a line of a log\n".repeat(1_000),
        is_error: false,
    };
    Box::new(move || change_result(&plan, &transcript, &arrival, &[], None).map_or(0, |text| text.len()))
}

fn linting(condition: &str) -> Work {
    let text = policy(&format!("when {condition} do notify \"x\""));
    Box::new(move || lint_and_draw(&text, "human"))
}

fn reading(text: String) -> Work {
    Box::new(move || read(text.as_bytes(), None).map_or(0, |reading| reading.transcripts.len()))
}

/// Redacts a text of this many bytes in which a part is repeated, after the name of a user.
fn redacting(part: &str, bytes: usize) -> Box<dyn Fn() -> usize> {
    let text = format!("/home/marla/ {}", part.repeat(bytes / part.len()));
    let line = serde_json::json!({ "role": "user", "content": text }).to_string();
    Box::new(move || redact(&line, RedactedText::Secrets).len())
}

/// A condition of this many parts joined by `or`.
fn any(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(" or ")
}

const CASES: &[Case] = &[
    // What could begin a secret, a name or the end of either, and does not.
    ("redact_prose", 400_000, |bytes| redacting("the quick brown fox jumps over 13 lazy dogs. ", bytes)),
    ("redact_beginnings", 400_000, |bytes| redacting("ghp_", bytes)),
    ("redact_names", 400_000, |bytes| redacting("key:", bytes)),
    ("redact_homes", 400_000, |bytes| redacting("-Users-", bytes)),
    ("redact_escapes", 400_000, |bytes| redacting("a%40", bytes)),
    ("redact_private_keys", 400_000, |bytes| redacting("-----BEGIN PRIVATE KEY-----", bytes)),
    ("redact_elements", 400_000, |bytes| redacting("<password><![CDATA[", bytes)),
    ("redact_lines", 400_000, |bytes| redacting("password: |\\n  x", bytes)),
    ("redact_users", 10_000, |users| {
        let line = |at| format!("{{\"role\":\"user\",\"content\":\"/home/user.{at}x/a by user.{at}x\"}}\n");
        let text: String = (0..users).map(line).collect();
        Box::new(move || redact(&text, RedactedText::Secrets).len())
    }),
    ("failures_steps", 2_000, |calls| replaying("when failures.steps >= 100000 do notify \"x\"", calls)),
    ("repeats", 2_000, |calls| replaying("when repeats(within: 100000 calls) >= 90000 do notify \"x\"", calls)),
    ("facts", 1_000, replaying_facts),
    ("failures_tools", 10_000, |calls| replaying("when failures.tools >= 100000 do notify \"x\"", calls)),
    ("failures_same", 10_000, |calls| replaying("when failures.same >= 100000 do notify \"x\"", calls)),
    ("context_largest", 10_000, |calls| replaying("when context.largest >= 900M tokens do notify \"x\"", calls)),
    ("agent", 10_000, |calls| {
        replaying("when (agent.name ?? \"\") == \"x\" or agent.depth > 3 do notify \"x\"", calls)
    }),
    ("since_compaction", 10_000, |calls| {
        replaying_plan(plan("when compactions < 3 and known(since_compaction) do notify \"x\""), compactions(calls))
    }),
    ("since_user_message", 1_000, |requests| {
        replaying_talk("when since_user_message > 0 and since_user_message < 2 do notify \"x\"", requests)
    }),
    ("cache_warm", 10_000, |calls| replaying_edits("when known(cache.warm) and not cache.warm do notify \"x\"", calls)),
    ("cost_within", 10_000, |calls| replaying_edits("when (cost(within: 1h) ?? $0) >= $9000 do notify \"x\"", calls)),
    ("tokens_within", 10_000, |calls| replaying_edits("when tokens(within: 1h) >= 900M tokens do notify \"x\"", calls)),
    ("calls_within_time", 10_000, |calls| {
        replaying_edits("when calls(of: [bash, edit*], within: 1h, in: session) >= 100000 do notify \"x\"", calls)
    }),
    ("calls_within_calls", 10_000, |calls| {
        replaying_edits("when calls(of: edit_file, within: 100000 calls) >= 99999 do notify \"x\"", calls)
    }),
    ("calls_of_many_tools", 10_000, |calls| {
        replaying_plan(
            plan("when calls(of: [tool_1, tool_2*], within: 900 iterations) >= 9999 do notify \"x\""),
            tools(calls),
        )
    }),
    ("edits_within", 10_000, |calls| {
        replaying_edits("when edits(within: 5000 calls, in: session) >= 4999 do notify \"x\"", calls)
    }),
    ("edits_after", 10_000, |calls| {
        replaying_edits(
            "when edits(within: 5000 calls, after: [run_tests, check_*], in: session) >= 4999 do notify \"x\"",
            calls,
        )
    }),
    ("edits_path", 10_000, |calls| {
        replaying_edits("when (edits.path(within: 5000 calls) ?? \"\") == \"x\" do notify \"x\"", calls)
    }),
    ("files_changed", 10_000, |calls| {
        replaying_edits("do emit state [files.changed] then notify \"{files.changed}\"", calls)
    }),
    ("placeholder", 2_000, |calls| {
        replaying("do mask results keep 3 results including errors placeholder \"[{tool} at {iteration}]\"", calls)
    }),
    ("at_least", 2_000, |calls| replaying("do mask results keep 3 results including errors at_least 9M tokens", calls)),
    ("keep_results_of", 2_000, |calls| {
        replaying("do mask results keep 8 results except [memory__*] including errors at_least 9M tokens", calls)
    }),
    ("keep_results_of_others", 2_000, |calls| {
        replaying("do mask results keep 8 results only [other] including errors", calls)
    }),
    ("keep_latest", 2_000, |calls| {
        replaying("do mask results keep 3 results keep_latest [bash, todo_*] including errors", calls)
    }),
    ("keep_latest_of_many", 1_000, |requests| {
        replaying_talk("do mask results keep 3 results keep_latest [bash] at_least 9M tokens", requests)
    }),
    ("pin_users", 1_000, |requests| replaying_talk("do drop older keep 40 messages pin newest 5 users", requests)),
    ("pin_users_within", 1_000, |requests| {
        replaying_talk("do drop older keep 40 messages pin users within 1k tokens", requests)
    }),
    ("pin_first_messages", 1_000, |requests| {
        replaying_talk("do retain last 3 interactions pin first 4 messages", requests)
    }),
    ("pin_all_users", 1_000, |requests| replaying_talk("do drop older keep 40 messages pin users", requests)),
    ("pin_all_users_down_to", 1_000, |requests| {
        replaying_talk("do drop older keep 40 messages pin users down_to 1%", requests)
    }),
    ("summarise_pin_users", 1_000, |requests| {
        replaying_talk("do summarise older keep 40 messages at_most 100 tokens pin users", requests)
    }),
    ("slide_pin_users", 1_000, |requests| {
        replaying_talk(
            "do slide recent 10 messages medium 10 messages trim 50 chars at_most 100 tokens pin users",
            requests,
        )
    }),
    ("retain_pin_users", 1_000, |requests| replaying_talk("do retain last 3 interactions pin users", requests)),
    ("retain_keep_latest", 1_000, |requests| {
        replaying_talk("do retain last 3 interactions keep_latest [read_*, bash]", requests)
    }),
    ("keep_images", 2_000, |calls| replaying("do mask images keep 2 images", calls)),
    ("keep_images_of_results", 2_000, |calls| replaying_plan(plan("do drop images keep 2 images"), pictures(calls))),
    ("keep_images_too_little", 2_000, |calls| {
        replaying_plan(plan("do mask images keep 2 images at_least 900M tokens"), pictures(calls))
    }),
    ("keep_tokens", 2_000, |calls| replaying("do mask results keep 5k tokens including errors", calls)),
    ("keep_tokens_of_all", 2_000, |calls| replaying("do mask results keep 900M tokens including errors", calls)),
    ("user_messages", 1_000, |requests| {
        replaying_talk("do mask user_messages keep 4 messages preview 1 chars", requests)
    }),
    ("replies", 1_000, |requests| replaying_talk("do trim replies to 5 chars keep 4 messages", requests)),
    ("replies_kept", 1_000, |requests| {
        replaying_talk("do trim replies to 5 chars keep 4 messages at_least 9M tokens", requests)
    }),
    ("summarise_results", 2_000, |calls| {
        replaying("do summarise results over 1 chars at_most 5 tokens keep 4 results on_failure keep", calls)
    }),
    ("keep_a_share", 2_000, |calls| replaying("do drop older keep 10%", calls)),
    ("duplicates", 2_000, |calls| replaying("do mask duplicates keep 0 messages including errors", calls)),
    ("superseded_reads", 2_000, |calls| {
        replaying("do mask superseded_reads keep 0 messages reads [bash] including errors at_least 9M tokens", calls)
    }),
    ("drop_older", 2_000, |calls| replaying("do drop older keep 40 messages", calls)),
    ("drop_older_too_little", 2_000, |calls| replaying("do drop older keep 40 messages at_least 900M tokens", calls)),
    ("drop_duplicates", 2_000, |calls| replaying_talk("do drop duplicates", calls)),
    ("thoughts", 1_000, |requests| replaying_thoughts("do notify \"x\" once", requests)),
    ("thoughts_mask", 1_000, |requests| replaying_thoughts("do mask results keep 3 results", requests)),
    ("thoughts_drop", 1_000, |requests| replaying_thoughts("do drop older keep 40 messages", requests)),
    ("thoughts_retain", 1_000, |requests| replaying_thoughts("do retain last 3 interactions", requests)),
    ("thoughts_pin_users", 1_000, |requests| {
        replaying_thoughts("do retain last 3 interactions pin users keep_latest [bash]", requests)
    }),
    ("thoughts_set", 1_000, |requests| replaying_thoughts("do set mode \"{run} {iteration}\" for step", requests)),
    ("thoughts_hide", 1_000, |requests| {
        replaying_thoughts("when iteration == 1 do tools hide [bash] for step", requests)
    }),
    ("thoughts_remind", 1_000, |requests| replaying_thoughts("do remind [bash]", requests)),
    ("offload", 2_000, |calls| replaying("do offload results over 50 chars keep 3 results including errors", calls)),
    ("offload_at_least", 2_000, |calls| {
        replaying("do offload results over 50 chars keep 3 results including errors at_least 9M tokens", calls)
    }),
    ("restore", 2_000, |calls| {
        let rule = "do mask results keep 3 results including errors }\n rule s { on compaction_miss do restore result";
        replaying(rule, calls)
    }),
    ("restore_and_mask_again", 2_000, |calls| {
        let restore = "rule s { on compaction_miss do restore result for 2 iterations";
        replaying(&format!("do mask results keep 3 results including errors }}\n {restore}"), calls)
    }),
    ("retain", 1_000, |requests| replaying_talk("do retain last 5 interactions", requests)),
    ("retain_down_to", 1_000, |requests| replaying_talk("do retain last 40 interactions min 2 down_to 1%", requests)),
    ("tools", 1_000, |requests| replaying_talk("do tools hide [bash]", requests)),
    ("tools_for_run", 2_000, |calls| replaying("do tools hide [bash] for run", calls)),
    ("systems", 1_000, |requests| replaying_talk("do systems hide [style]", requests)),
    ("set", 1_000, |requests| replaying_talk("do set progress \"{context.tokens}\"", requests)),
    ("set_for_session", 4_000, |calls| {
        replaying("do set progress \"{context.tokens} {iteration}\" for session", calls)
    }),
    ("remind", 1_000, |requests| replaying_talk("do remind [notes, bash]", requests)),
    ("playbook", 1_000, |requests| replaying_talk("do playbook at_most 30 strategies", requests)),
    ("inject_for_step", 2_000, |calls| replaying("do inject \"{context.tokens}\" for step", calls)),
    ("emit", 2_000, |calls| replaying("do emit state [context.tokens, share.tools, misses]", calls)),
    ("hook", 2_000, |calls| hooking("when context.results > 3 do trim arrivals over 1k chars", calls)),
    ("running_summary", 2_000, |calls| {
        replaying("do slide recent 10 messages medium 10 messages trim 50 chars", calls)
    }),
    ("extract", 2_000, |calls| replaying(&format!("when context.messages > {calls} do summarise all once"), calls)),
    ("quotes", 2_000, |calls| replaying_quotes("do mask results keep 3 results", calls)),
    ("quotes_of_removed", 2_000, |calls| replaying_quotes("do drop older keep 40 messages", calls)),
    ("quotes_of_left_out", 2_000, |calls| replaying_quotes("do retain last 2 interactions", calls)),
    // Every comparison is a finding, so the number of findings doubles too.
    ("equalities", 6_000, |count| linting(&any(count, |at| format!("context.tokens == {at} tokens")))),
    ("pairs", 400, |count| {
        linting(&any(count, |at| format!("(context.ratio == {}% and context.tokens == {at} tokens)", at % 150)))
    }),
    ("long_text", 10_000_000, |bytes| {
        let text = format!(
            "edition 2026\nlet a = \"{}\"\npolicy p {{ rule r {{ do notify a }} }}\n",
            "x y ".repeat(bytes / 4)
        );
        Box::new(move || lint_and_draw(&text, "human"))
    }),
    ("nesting", 200_000, |levels| {
        let deep = format!("{}0{}", "[{\"type\":\"tool_result\",\"content\":".repeat(levels), "}]".repeat(levels));
        reading(format!(
            "{{\"trimtab\":1}}\n{{\"role\":\"user\",\"content\":\"a\"}}\n{{\"role\":\"tool\",\"content\":{deep}}}\n"
        ))
    }),
];

fn doubling(criterion: &mut Criterion) {
    for (name, size, prepare) in [CASES, observers::CASES, policies::CASES, readings::CASES].concat() {
        let mut group = criterion.benchmark_group(name);
        for size in [size, 2 * size] {
            // Prepared only when the case is selected.
            let work = OnceCell::new();
            group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                let work = work.get_or_init(|| prepare(size));
                bencher.iter(|| black_box(work()));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = doubling
}
criterion_main!(benches);
