//! The money of a replay: laws over generated policies and conversations, and a naive model of the prompt cache that
//! compares whole requests.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Body, Counter, Message, Part, Role, Usage};
use trimtab::diff::ReplayDifference;
use trimtab::model;
use trimtab::quantity::Decimal;
use trimtab::simulate::{ConstantSummariser, ErrorAmounts, Options, ReplayInputs, RuleSaving, Trace, Verdict, replay};
use trimtab::transcript::{self, Transcript};

use crate::generated::{self, irregular};
use crate::laws;

/// A policy that changes nothing.
const IDLE: &str = "edition 2026\npolicy p { rule n { do notify \"\" } }";

/// A call and the messages of its request.
type Request = (usize, Vec<Arc<Message>>);

/// A replay, and its requests.
fn requests(policy: &str, transcript: &Transcript, options: &Options) -> (Trace, Vec<Request>) {
    let mut sent = Vec::new();
    let mut summariser = ConstantSummariser("short {n}".to_owned());
    let plan = laws::plan(policy);
    let trace = replay(&plan, transcript, options, &mut summariser, &mut |request| {
        sent.push((request.call, request.messages()));
    });
    (trace, sent)
}

/// The conversation without usage, so that every call is billed by the model of the cache alone.
fn without_usage(mut transcript: Transcript, model: &str) -> Transcript {
    for message in &mut transcript.messages {
        *message = Arc::new(Message { usage: None, at: None, ..message.as_ref().clone() });
    }
    Transcript { model: Some(model.into()), window: Some(1_000_000), ..transcript }
}

/// The conversation with a time at every message, each so many seconds after the one before, and with a priced model.
fn with_pauses(mut transcript: Transcript, pauses: &[u64]) -> Transcript {
    let mut now = 0;
    for (message, pause) in transcript.messages.iter_mut().zip(pauses.iter().cycle()) {
        now += pause;
        let at = format!("2026-03-01T{:02}:{:02}:{:02}Z", now / 3600 % 24, now / 60 % 60, now % 60);
        *message = Arc::new(Message { at: Some(at.into()), model: None, ..message.as_ref().clone() });
    }
    Transcript { model: Some("claude-sonnet-4-5".into()), ..transcript }
}

/// How many messages two requests have in common at the start.
fn common(one: &[Arc<Message>], other: &[Arc<Message>]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| (a.role, &a.parts, &a.name()) == (b.role, &b.parts, &b.name())).count()
}

/// The tokens of the common beginning of two messages of the system prompt.
fn common_start(one: Option<&Arc<Message>>, other: Option<&Arc<Message>>, counter: &dyn Counter) -> u64 {
    let (Some(one), Some(other)) = (one, other) else { return 0 };
    if one.role != Role::System || other.role != Role::System {
        return 0;
    }
    let (one, other) = (one.plain_text(), other.plain_text());
    let common: String = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    counter.text(&common)
}

trait Name {
    fn name(&self) -> Option<&serde_json::Value>;
}

impl Name for Message {
    fn name(&self) -> Option<&serde_json::Value> {
        self.extra.get("name")
    }
}

fn sum(usages: impl Iterator<Item = Usage>) -> [u64; 4] {
    usages.fold([0; 4], |[a, b, c, d], usage| {
        [a + usage.input, b + usage.cache_read, c + usage.cache_write, d + usage.output]
    })
}

#[test]
fn each_call_has_the_prices_of_the_model_that_wrote_its_reply() {
    let usage = Usage { input: 1_000_000, ..Usage::default() };
    let reply =
        |model: &str| Message { usage: Some(usage), model: Some(model.into()), ..Message::text(Role::Assistant, "a") };
    let messages = [Message::text(Role::User, "a"), reply("claude-haiku-4-5"), reply("gpt-5.4")];
    let messages = messages.into_iter().map(Arc::new).collect();
    let transcript = Transcript { model: Some("claude-haiku-4-5".into()), messages, ..Transcript::default() };
    let (trace, _) = requests(IDLE, &transcript, &Options::default());
    // The second model has a surcharge for contexts of this size.
    assert_eq!(trace.money.before.cost, Decimal::from(1 + 5));
    let chosen = Options { model: Some("claude-haiku-4-5".to_owned()), ..Options::default() };
    let declared = "edition 2026\nagent { model \"claude-haiku-4-5\" }\npolicy p { rule n { do notify \"\" } }";
    let unlike = Transcript { model: Some("gpt-5.4".into()), ..transcript.clone() };
    assert_eq!(requests(IDLE, &unlike, &chosen).0.money.before.cost, Decimal::from(2));
    assert_eq!(requests(declared, &unlike, &Options::default()).0.money.before.cost, Decimal::from(2));
}

#[test]
fn what_a_compaction_has_removed_is_not_missing_from_a_cached_prefix() {
    // The system prompt is a little larger than the smallest prefix that is cached.
    let (prompt, thoughts) =
        ("fn main() { println!(\"{}\", 1); }\n".repeat(24), "the same lines\nin two results\n".repeat(8));
    let reply = |parts: Vec<Part>| Message::new(Role::Assistant, parts);
    let thinking = || reply(vec![Part::new(Body::Thinking { text: thoughts.as_str().into(), signature: None })]);
    let user = || Message::text(Role::User, "");
    let messages = vec![
        Message::text(Role::System, "You are a test."),
        Message::text(Role::System, prompt.as_str()),
        reply(vec![]),
        reply(vec![]),
        thinking(),
        user(),
        user(),
        reply(vec![]),
        reply(vec![]),
        Message { harness: true, resets: true, ..user() },
        thinking(),
        user(),
        reply(vec![]),
    ];
    let transcript = Transcript { messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() };
    let transcript = without_usage(transcript, "claude-fable-5-1");
    let stop = "rule s { when budget.calls >= 1 do stop \"enough\" }";
    let [one, other] = [String::new(), "rule a { do inject \"a\" once }".to_owned()].map(|rule| {
        let policy = format!("edition 2026\npolicy p {{ {rule} {stop} }}");
        requests(&policy, &transcript, &Options::default()).0.money.compared.cost
    });
    assert!(one > Decimal::ZERO && (one - other).abs() <= one * Decimal::new(1, 2), "{one} {other}");
}

#[test]
fn recordings_cost_what_a_script_adds_up_from_the_raw_records() {
    let is_there = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !is_there {
        std::io::stderr()
            .write_all(b"\n*** SKIPPED: python3 is needed to add up costs in another way ***\n\n")
            .unwrap();
        return;
    }
    let mut files = inputs("tests/transcript".as_ref());
    files.retain(|file| file.extension().is_some_and(|extension| extension != "snap"));
    let counted = check_costs(&files);
    // Each format that records usage for each call.
    for format in model_call_formats() {
        assert!(counted.lines().any(|line| line.starts_with(&format!("{format}\t1\t"))), "no {format} in {counted}");
    }
    if let Ok(folder) = std::env::var("TRIMTAB_SAMPLES") {
        check_costs(&inputs(folder.as_ref()));
    }
}

/// The formats whose recordings hold usage for each call.
fn model_call_formats() -> impl Iterator<Item = &'static str> {
    let all = transcript::FORMATS.iter().map(|format| format.name);
    all.filter(|format| !["agentdojo", "droid", "hermes", "swe_agent"].contains(format))
}

/// The files of a folder and its folders, sorted.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(inputs(&path)),
            path => files.push(path),
        }
    }
    files.sort();
    files
}

/// Runs the script over files and returns what it prints.
fn check_costs(files: &[PathBuf]) -> String {
    let output = std::process::Command::new("python3")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["tests/cost/recorded_cost.py", env!("CARGO_BIN_EXE_trimtab"), "policies/budget.trim"])
        .args(files)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A rule that stops the first run without firing also causes what the next run costs more or less.
#[test]
fn the_difference_after_a_stop_belongs_to_the_rule_that_stopped_the_run() {
    let reply = |id: usize, model: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"c{id}","name":"ls","arguments":{{}}}}],"model":"claude-{model}-4-5"}}"#
        )
    };
    let result =
        |id: usize| format!(r#"{{"role":"tool","content":[{{"type":"tool_result","id":"c{id}","content":"files"}}]}}"#);
    let usage = r#","usage":{"input":100,"cache_read":572,"cache_write":572,"output":12}}"#;
    let text = [
        r#"{"trimtab":1,"model":"claude-sonnet-4-5","window":3000}"#.to_owned(),
        reply(0, "sonnet"),
        result(0),
        reply(1, "sonnet"),
        result(1),
        reply(2, "sonnet").trim_end_matches('}').to_owned() + usage,
        result(2),
        reply(3, "haiku"),
        result(3),
        reply(4, "sonnet"),
        result(4),
        r#"{"role":"assistant","content":"Done."}"#.to_owned(),
        r#"{"role":"user","content":"More."}"#.to_owned(),
        reply(5, "sonnet"),
        r#"{"role":"user","content":"Continue.","harness":true,"resets":true}"#.to_owned(),
        reply(6, "haiku"),
    ];
    let transcript = transcript::read(text.join("\n").as_bytes(), None).unwrap().transcripts.remove(0);
    let policy = "edition 2026\npolicy p { rule r { on reply do summarise all on_failure stop every 2 iterations } }";
    let (trace, _) = requests(policy, &transcript, &Options::default());
    let made: Vec<_> = trace.calls.iter().map(|call| call.made).collect();
    assert_eq!(made, [true, true, true, false, false, false, true, true]);
    assert!(trace.money.calls[6..].iter().any(|(before, after)| Some(*before) != *after));
    let money = trace.rules[0].money;
    assert_eq!(money.saved - money.cost_caused, trace.money.saved());
}

/// Whether a result comes after a reply that is newer than its call.
fn has_late_results(transcript: &Transcript) -> bool {
    let (mut older, mut newest, mut is_late) = (Vec::new(), Vec::new(), false);
    for message in &transcript.messages {
        if message.is_reply() {
            older.append(&mut newest);
            newest = message.calls().map(|(id, ..)| id.clone()).collect();
        }
        is_late |= message.results().any(|result| older.contains(&result.id) && !newest.contains(&result.id));
    }
    is_late
}

proptest! {
    #![proptest_config(generated::cases(150))]

    #[test]
    fn a_policy_that_changes_nothing_costs_nothing_and_saves_nothing(transcript in irregular::varied()) {
        let (trace, _) = requests(IDLE, &transcript, &Options::default());
        prop_assert_eq!(&trace.money.before, &trace.money.after);
        for (call, (before, after)) in trace.money.calls.iter().enumerate() {
            prop_assert_eq!(Some(*before), *after, "call {}", call);
        }
        prop_assert!(trace.money.breaks.iter().all(|broken| broken.rule.is_none()), "{:?}", trace.money.breaks);
        prop_assert_eq!(trace.rules[0].money, trimtab::simulate::RuleMoney::default());
    }

    #[test]
    fn what_is_recorded_costs_the_sum_of_its_usage(transcript in irregular::varied()) {
        let (trace, _) = requests(IDLE, &transcript, &Options::default());
        let replies: Vec<_> = transcript.messages.iter().filter(|message| message.is_reply()).collect();
        let known = replies.iter().zip(&trace.money.calls).filter_map(|(reply, (before, _))| {
            let usage = reply.usage.filter(|usage| usage.context() > 0)?;
            Some((usage, *before))
        });
        for (usage, before) in known {
            prop_assert_eq!(usage, before);
        }
        let harness = transcript.harness_calls.iter().map(|call| call.usage).filter(|usage| usage.context() > 0);
        prop_assert_eq!(trace.money.harness.calls + trace.money.branches.calls, harness.clone().count());
        // In the order of the recording; a reply of a model names that of the replies after it.
        let mut model = transcript.model.clone();
        let (mut harness, mut calls) = (transcript.harness_calls.iter().peekable(), trace.money.calls.iter());
        let (mut costs, mut time) = (Vec::new(), None);
        for (at, message) in transcript.messages.iter().map(Some).chain([None]).enumerate() {
            let price = |model: &Option<_>, usage: Usage| {
                model::find(model.as_deref()?)?.prices?.of_call(time.as_deref(), usage.service)?.cost(usage)
            };
            while let Some(call) = harness.next_if(|call| call.messages <= at || message.is_none()) {
                costs.extend((call.usage.context() > 0).then(|| price(&call.model.clone().or(model.clone()), call.usage)));
            }
            let Some(reply) = message.filter(|message| message.is_reply()) else { continue };
            model = reply.model.clone().or(model);
            time = reply.at.clone().or(time);
            let price = |model: &Option<_>, usage: Usage| {
                model::find(model.as_deref()?)?.prices?.of_reply(reply)?.cost(usage)
            };
            costs.push(price(&model, calls.next().unwrap().0));
        }
        let cost: Option<Decimal> = costs.into_iter().sum();
        if let Some(cost) = cost {
            prop_assert!((cost - trace.money.before.cost).abs() < Decimal::new(1, 9), "{} {}", cost, trace.money.before.cost);
        }
    }

    #[test]
    fn totals_are_the_sums_over_calls(events in generated::events(), policy in generated::policy()) {
        let (trace, _) = requests(&policy, &generated::transcript(&events), &Options::default());
        let totals = |usage: Usage| [usage.input, usage.cache_read, usage.cache_write, usage.output];
        let money = &trace.money;
        let harness = [money.harness.bill.usage];
        let all = |calls: Vec<Usage>| sum(calls.into_iter().chain(harness));
        prop_assert_eq!(all(money.calls.iter().map(|(before, _)| *before).collect()), totals(money.before.usage));
        prop_assert_eq!(all(money.calls.iter().filter_map(|(_, after)| *after).collect()), totals(money.after.usage));
        for (call, (_, after)) in trace.calls.iter().zip(&money.calls) {
            prop_assert_eq!(call.made, after.is_some());
        }
        prop_assert!(money.compared.cost <= money.before.cost);
        // A rule that stops a run breaks nothing.
        let caused: Decimal = trace.rules.iter().map(|rule| rule.money.cost_caused).sum();
        let by_rules = money.breaks.iter().filter(|broken| broken.rule.is_some());
        let breaks: Decimal = by_rules.map(|broken| broken.cost.unwrap_or_default()).sum();
        prop_assert!((caused - breaks - money.summaries).abs() < Decimal::new(1, 9));
    }

    #[test]
    fn what_rules_save_and_cause_is_the_whole_difference(
        transcript in irregular::varied(), events in generated::events(), policy in generated::policy(), plain in any::<bool>(),
        model in prop::option::of(prop::sample::select(vec!["claude-sonnet-4-5", "claude-fable-5-1", "gpt-5.4", "deepseek-chat"])),
    ) {
        let transcript = if plain { generated::transcript(&events) } else { transcript };
        let options = Options { model: model.map(str::to_owned), ..Options::default() };
        let (trace, _) = requests(&policy, &transcript, &options);
        let money = &trace.money;
        let rules: Decimal = trace.rules.iter().map(|rule| rule.money.saved - rule.money.cost_caused).sum();
        let difference = money.saved();
        prop_assert!((rules - difference).abs() < Decimal::new(1, 9), "{}\nrules {} total {}", policy, rules, difference);
        prop_assert!(trace.rules.iter().all(|rule| rule.money.cost_caused >= Decimal::ZERO));
        // Each interval holds its figure, and two equal policies do not differ at all.
        let holds = |[low, high]: [Decimal; 2], figure: Decimal| low <= figure && figure <= high;
        for rule in &trace.rules {
            let RuleSaving { tokens, cost } = RuleSaving::of(rule, &trace);
            prop_assert!(holds(tokens, Decimal::try_from_i128_with_scale(rule.saved, 0).unwrap()), "{:?}", tokens);
            prop_assert!(holds(cost, rule.money.saved - rule.money.cost_caused), "{:?}", cost);
        }
        let Verdict { tokens, .. } = Verdict::of(&trace);
        prop_assert!(tokens.low() <= tokens.figure.policy && tokens.figure.policy <= tokens.high());
        let amounts = ErrorAmounts::for_cost(&trace);
        prop_assert_eq!(amounts.minus(amounts).errors(), (Decimal::ZERO, Decimal::ZERO));
    }

    #[test]
    fn a_stop_saves_nothing(
        transcript in irregular::varied(), events in generated::events(), plain in any::<bool>(), calls in 1..5,
        model in prop::option::of(prop::sample::select(vec!["claude-sonnet-4-5", "claude-fable-5-1", "gpt-5.4"])),
    ) {
        let transcript = if plain { generated::transcript(&events) } else { transcript };
        let options = Options { model: model.map(str::to_owned), ..Options::default() };
        let policy = format!("edition 2026\npolicy p {{ rule s {{ when budget.calls >= {calls} do stop \"enough\" }} }}");
        let (trace, _) = requests(&policy, &transcript, &options);
        // Where recorded sizes drop without a record, the open turn is all that is assumed to stay; it is another one then.
        prop_assume!(trace.drops.is_empty());
        // A result that comes after a later reply does not arrive in a stopped run.
        prop_assume!(!has_late_results(&transcript));
        let made = trace.calls.iter().filter(|call| call.made).count();
        prop_assert_eq!(made + trace.after_stop, trace.calls.len());
        prop_assert_eq!(trace.saved(), 0);
        prop_assert!(trace.money.saved().abs() < Decimal::new(1, 9), "{}", trace.money.saved());
        prop_assert_eq!(trace.rules[0].saved, 0);
        prop_assert!(trace.rules[0].money.saved.abs() < Decimal::new(1, 9));
        // What other rules do changes nothing of what is recorded. Usage that does not fit the contents gives calls different overheads.
        let rules = format!("rule a {{ do inject \"a\" once }} rule s {{ when budget.calls >= {calls} do stop \"enough\" }}");
        let bare = without_usage(transcript.clone(), model.unwrap_or("claude-sonnet-4-5"));
        let (one, _) = requests(&policy, &bare, &options);
        let (other, _) = requests(&format!("edition 2026\npolicy p {{ {rules} }}"), &bare, &options);
        prop_assert_eq!((other.after_stop, other.money.prevented), (one.after_stop, one.money.prevented));
        let (one, other) = (one.money.compared.cost, other.money.compared.cost);
        // What two requests have in common is not known to the token where a stop and a compaction leave different parts of them.
        prop_assert!((one - other).abs() <= one * Decimal::new(1, 2), "{} {}", one, other);
        let not_made = trace.money.call_costs.iter().filter(|cost| cost.policy.is_none()).map(|cost| cost.recorded);
        prop_assert_eq!(not_made.sum::<Decimal>(), trace.money.prevented);
        let verdict = Verdict::of(&trace);
        prop_assert_eq!(verdict.tokens.figure.recorded, verdict.tokens.figure.policy);
        prop_assert_eq!((verdict.stopped_calls, verdict.stopped_sessions > 0), (trace.after_stop, trace.after_stop > 0));
        let difference = ReplayDifference::of(&requests(IDLE, &transcript, &options).0, &trace);
        prop_assert_eq!((difference.not_made, difference.compared), ((0, trace.after_stop), made));
        prop_assert_eq!((difference.tokens.0, &difference.contexts), (difference.tokens.1, &Vec::new()));
        let saved = difference.cost.map_or(Decimal::ZERO, |(before, after)| before - after);
        prop_assert!(saved.abs() < Decimal::new(1, 9), "{}", saved);
    }

    #[test]
    fn what_is_recorded_does_not_depend_on_the_policy(
        transcript in irregular::varied(), events in generated::events(), plain in any::<bool>(), calls in 1..5,
        pauses in prop::collection::vec(0_u64..1000, 1..8),
        policy in generated::policy(), stops in any::<bool>(),
    ) {
        let transcript = if plain { generated::transcript(&events) } else { transcript };
        let transcript = with_pauses(transcript, &pauses);
        let stop = format!("edition 2026\npolicy p {{ rule s {{ when budget.calls >= {calls} do stop \"enough\" }} }}");
        let (with_policy, _) = requests(if stops { &stop } else { &policy }, &transcript, &Options::default());
        let (without, _) = requests(IDLE, &transcript, &Options::default());
        prop_assume!(with_policy.counter.overhead == without.counter.overhead);
        prop_assert_eq!(&with_policy.money.before, &without.money.before);
        prop_assert_eq!(&with_policy.money.with_usage, &without.money.with_usage);
        prop_assert_eq!(with_policy.pricing.unpriced_calls(), without.pricing.unpriced_calls());
        let recorded = |trace: &Trace| trace.money.calls.iter().map(|(usage, _)| *usage).collect::<Vec<_>>();
        prop_assert_eq!(recorded(&with_policy), recorded(&without));
    }

    #[test]
    fn what_is_cut_before_it_is_sent_breaks_nothing(
        transcript in irregular::varied(), events in generated::events(), plain in any::<bool>()
    ) {
        let transcript = if plain { generated::transcript(&events) } else { transcript };
        let policy = "edition 2026\npolicy p { rule r { do trim arrivals to 10 chars including errors } }";
        let (trace, _) = requests(policy, &transcript, &Options::default());
        prop_assert_eq!(trace.rules[0].money.breaks, 0, "{:?}", trace.money.breaks);
        prop_assert_eq!(trace.rules[0].money.cost_caused, Decimal::ZERO);
    }

    #[test]
    fn a_cache_of_the_longest_prefix_is_that_of_a_naive_comparison(
        events in generated::events(), policy in generated::policy()
    ) {
        let transcript = without_usage(generated::transcript(&events), "deepseek-chat");
        let options = Options { model: Some("deepseek-chat".to_owned()), ..Options::default() };
        let (trace, sent) = requests(&policy, &transcript, &options);
        let replay_inputs = ReplayInputs::of(&laws::plan(&policy), &transcript, &options);
        let caching = model::find("deepseek-chat").unwrap().caching.unwrap();
        // A view may give back what it took away; the model then counts less than what is in common.
        let is_exact = !["retain", "systems", "set ", "playbook", "restore", "tools", "remind", "for step", "stop"]
            .iter().any(|word| policy.contains(word));
        let resets: Vec<usize> = trace.resets.iter().map(|reset| reset.call).collect();
        for pair in sent.windows(2) {
            let [(_, previous), (call, now)] = pair else { continue };
            let usage = trace.money.calls[*call].1.unwrap();
            let equal = common(previous, now);
            let tokens: u64 = now[..equal].iter().map(|message| replay_inputs.counter.message(message)).sum();
            let tokens = tokens + common_start(previous.get(equal), now.get(equal), &replay_inputs.counter);
            let overhead = trace.calls[*call].overhead + replay_inputs.added_overhead;
            let tokens = (tokens + overhead).min(usage.context());
            let cached = if tokens < caching.minimum { 0 } else { tokens - (tokens - caching.minimum) % caching.step };
            if is_exact && !resets.contains(call) {
                prop_assert_eq!(usage.cache_read, cached, "{}\ncall {}", policy, call);
            } else {
                prop_assert!(usage.cache_read <= cached, "{policy}\ncall {call}: {} > {cached}", usage.cache_read);
            }
        }
    }
}
