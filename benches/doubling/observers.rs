//! Replays that somebody looks at: explanations, expectations, events, the page of a report, and what recordings hold.

use smol_str::SmolStr;
use trimtab::check::{Agent, Expectation, assertion};
use trimtab::model::Models;
use trimtab::recording::{History, HistoryOptions, TranscriptStatistics, problems};
use trimtab::simulate::{Accuracy, Extract, Options, replay};
use trimtab::source::SourceMap;
use trimtab::test::{Observer, Recordings};
use trimtab::transcript::Transcript;

use crate::sessions::{calls, clearings, compactions, long_prompt, parallel, system_messages, talk, tools, usage};
use crate::{Case, Plan, Work, pipeline, plan, policy};

pub(crate) const CASES: &[Case] = &[
    // Rules that are due at every call and have nothing to do, while each of their conditions is explained.
    ("explain_mask", 5_000, |count| explained("do mask results keep 3 results", calls(count))),
    ("explain_over", 5_000, |count| explained("do trim results over 9k chars keep 3 results", calls(count))),
    ("explain_goal", 5_000, |count| explained("do mask results keep 3 results down_to 1 tokens", calls(count))),
    ("explain_at_least", 5_000, |count| explained("do mask results keep 3 results at_least 900M tokens", calls(count))),
    ("explain_calls", 5_000, |count| explained("do mask calls keep 3 messages", calls(count))),
    ("explain_offload", 5_000, |count| explained("do offload results over 9k chars keep 3 results", calls(count))),
    ("explain_duplicates", 5_000, |count| explained("do mask duplicates keep 3 messages", calls(count))),
    ("explain_reads", 5_000, |count| explained("do mask superseded_reads keep 3 messages reads [bash]", calls(count))),
    ("explain_drop", 5_000, |count| explained("do drop older keep 9 messages at_least 900M tokens", calls(count))),
    ("explain_drop_to", 5_000, |count| {
        explained("do drop older keep 9 messages pin first_user down_to 1 tokens at_least 900M tokens", calls(count))
    }),
    ("explain_drop_duplicates", 5_000, |count| explained("do drop duplicates", calls(count))),
    ("explain_slide", 5_000, |count| explained("do slide recent 900000 messages", calls(count))),
    ("explain_summarise", 5_000, |count| explained("do summarise older keep 900000 messages", calls(count))),
    ("explain_retain", 5_000, |count| explained("do retain last 5 interactions", calls(count))),
    ("explain_remind", 5_000, |count| explained("do remind [nothing]", calls(count))),
    ("explain_tools", 5_000, |count| explained("do tools hide [nothing]", calls(count))),
    ("assert_never", 5_000, |count| asserted("r never fires", calls(count))),
    ("assert_first", 5_000, |count| asserted("r first fires at 3", calls(count))),
    ("assert_peak", 5_000, |count| asserted("peak context.tokens > 1 tokens", calls(count))),
    ("assert_every_context", 5_000, |count| asserted("every context contains \"go\"", calls(count))),
    ("assert_any_context", 5_000, |count| asserted("any context contains \"a\" before \"nothing\"", calls(count))),
    ("assert_final_context", 5_000, |count| asserted("final context contains \"Done.\"", calls(count))),
    ("test", 5_000, tested),
    ("calibrate", 5_000, |count| calibrated(usage(count))),
    ("events", 5_000, |count| {
        replayed("do notify \"x\"", Options { events: true, ..Options::default() }, calls(count))
    }),
    ("quotes_shown", 5_000, |count| {
        replayed("do mask results keep 3 results", Options { quotes: true, ..Options::default() }, calls(count))
    }),
    ("report", 5_000, |count| {
        replayed(
            "do mask results keep 3 results",
            Options { timeline: Some(200), per_call: true, quotes: true, ..Options::default() },
            calls(count),
        )
    }),
    ("statistics", 5_000, |count| {
        looked_at(calls(count), |one| {
            let of = |one| TranscriptStatistics::of(one, &Models::default());
            usize::from(of(one) == of(one))
        })
    }),
    ("problems", 5_000, |count| looked_at(calls(count), |one| problems(one, None).len())),
    ("problems_parallel", 5_000, |count| looked_at(parallel(count), |one| problems(one, None).len())),
    ("history", 5_000, |count| looked_at(calls(count), histories)),
    ("history_parallel", 5_000, |count| looked_at(parallel(count), histories)),
    ("history_talk", 2_000, |count| looked_at(talk(count), histories)),
    ("history_clearings", 5_000, |count| looked_at(clearings(count), histories)),
    ("history_compactions", 5_000, |count| looked_at(compactions(count), histories)),
    // Sessions with much of one thing, with a rule that looks for something to do, and explained.
    ("system_prompt", 5_000, |count| explained("do mask results keep 3 results", long_prompt(count))),
    ("system_prompt_drop", 5_000, |count| explained("do drop older keep 9 messages", long_prompt(count))),
    ("system_prompt_retain", 5_000, |count| explained("do retain last 5 interactions", long_prompt(count))),
    ("system_prompt_set", 5_000, |count| explained("do set progress \"{iteration}\"", long_prompt(count))),
    ("system_messages", 5_000, |count| explained("do mask results keep 3 results", system_messages(count))),
    ("system_messages_slide", 5_000, |count| explained("do slide recent 900000 messages", system_messages(count))),
    ("parallel_calls", 5_000, |count| explained("do mask results keep 3 results", parallel(count))),
    ("parallel_duplicates", 5_000, |count| explained("do mask duplicates keep 0 messages", parallel(count))),
    ("parallel_drop", 5_000, |count| explained("do drop older keep 3 messages at_least 900M tokens", parallel(count))),
    ("clearings", 5_000, |count| explained("do mask results keep 3 results", clearings(count))),
    ("clearings_and_drop", 5_000, |count| explained("do drop older keep 40 messages", clearings(count))),
    ("compactions", 5_000, |count| explained("do mask results keep 3 results", compactions(count))),
    ("many_tools", 5_000, |count| explained("do mask results keep 3 results", tools(count))),
    ("many_tools_hidden", 5_000, |count| explained("do tools hide [tool_7]", tools(count))),
];

fn replayed(rule: &str, options: Options, transcript: Transcript) -> Work {
    let plan = plan(rule);
    Box::new(move || {
        let trace = replay(&plan, &transcript, &options, &mut Extract, &mut |_| {});
        trace.calls.len() + trace.all_explained.len() + trace.events.len()
    })
}

fn explained(rule: &str, transcript: Transcript) -> Work {
    replayed(rule, Options { explain_all: true, ..Options::default() }, transcript)
}

fn expectation(text: &str, plan: &Plan) -> Expectation {
    let mut sources = SourceMap::default();
    let id = sources.add("bench", format!("expect {text}"));
    let rules: Vec<SmolStr> = plan.rules.iter().map(|rule| rule.name.clone()).collect();
    assertion(sources.get(id).expect("a source"), &rules, &plan.agent).expect("an expectation")
}

/// A replay with an expectation.
fn asserted(text: &str, transcript: Transcript) -> Work {
    let plan = plan("when context.tokens > 1 tokens do mask results keep 3 results");
    let expected = [expectation(text, &plan)];
    Box::new(move || {
        let mut observer = Observer::new(&expected);
        let options = observer.options(Options::default());
        let trace = replay(&plan, &transcript, &options, &mut Extract, &mut |sent| observer.record(sent));
        observer.judge(&trace).len()
    })
}

/// One recording for each path.
struct Recorded(Transcript);

impl Recordings for Recorded {
    fn find(&self, _: &str) -> Result<Vec<Transcript>, String> {
        Ok(vec![self.0.clone()])
    }
}

/// A test with a recording.
fn tested(count: usize) -> Work {
    let test = "test \"t\" {\n  given transcript \"t.jsonl\"\n  expect r never fires\n}\n";
    let text = policy("when context.tokens > 1 tokens do mask results keep 3 results") + test;
    let checked = pipeline::compile("bench.trim", &text).checked.expect("the policy has no errors");
    let recorded = Recorded(calls(count));
    Box::new(move || {
        let cases: Vec<_> = checked.tests.iter().collect();
        trimtab::test::run(&checked, &cases, &recorded).len()
    })
}

fn calibrated(transcript: Transcript) -> Work {
    Box::new(move || {
        let trace = replay(&Plan::without_rules(), &transcript, &Options::default(), &mut Extract, &mut |_| {});
        let _ = Accuracy::of(&trace);
        trace.predictions.len()
    })
}

fn looked_at(transcript: Transcript, look: fn(&Transcript) -> usize) -> Work {
    Box::new(move || look(&transcript))
}

fn histories(transcript: &Transcript) -> usize {
    let options = HistoryOptions { agent: Agent::default(), window: None, model: None, call: Some(9), largest: 10 };
    History::of(transcript, &options).calls.len()
}
