//! A transcript in detail: its contexts and costs call by call, what each rule did, and what each call would have sent.

use rust_decimal::prelude::ToPrimitive;
use serde::Serialize;
use serde_json::{Value as Json, json};
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{Composition, Trace};

use super::timeline;
use crate::report::chart::limits;
use crate::report::replay_result::ReplayResult;
use crate::report::result::{CallResult, RuleFigures, TranscriptRule};
use crate::report::simulation::verdict;

/// The keys of the JSON form of a replay that a page shows. None of them holds text from the recording unless quotes are
/// requested.
const KEYS: [&str; 8] = ["before", "after", "tokens_saved", "summaries", "injections", "money", "regret", "reasoning"];

/// What a page shows of a rule.
#[derive(Serialize)]
struct ShownRule<'a> {
    name: &'a str,
    #[serde(flatten)]
    figures: &'a RuleFigures,
    pays_after: Option<u64>,
}

/// A transcript in detail.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct SessionDetail(Json);

impl SessionDetail {
    /// The transcript with this index in the overview. `recorded` is the replay without rules, and `replays` has one for each
    /// plan, all with timelines and the price of each call.
    pub fn of<'a>(
        session: usize,
        recorded: &ReplayResult,
        replays: impl IntoIterator<Item = (&'a Plan, &'a ReplayResult)>,
    ) -> Self {
        let policies = replays.into_iter().map(|(plan, replay)| policy(plan, replay));
        let trace = &recorded.trace;
        let harness = trace.resets.iter().map(|reset| reset.call).chain(trace.clearings.iter().map(|one| one.call));
        Self(json!({
            "session": session,
            "runs": trace.calls.iter().map(|call| call.run).collect::<Vec<_>>(),
            "harness_calls": harness.collect::<Vec<_>>(),
            "messages": trace.timeline.as_ref().map(timeline::messages),
            "recorded": series(trace),
            "policies": policies.collect::<Vec<_>>(),
        }))
    }
}

/// What is shown of a replay without and with rules.
fn series(trace: &Trace) -> Json {
    let calls = CallResult::all(trace).unwrap_or_default();
    let mut costs: Vec<Option<f64>> = calls.iter().map(|call| call.usage_after?.cost.dollars()).collect();
    for (call, summary) in &trace.money.summary_calls {
        if let Some(Some(cost)) = costs.get_mut(*call) {
            *cost += summary.to_f64().unwrap_or_default();
        }
    }
    let requests = trace.timeline.iter().flat_map(|timeline| &timeline.requests);
    json!({
        "sizes": trace.calls.iter().map(|call| call.made.then_some(call.after)).collect::<Vec<_>>(),
        "costs": costs,
        "composition": requests.map(|request| parts(request.composition)).collect::<Vec<_>>(),
        "timeline": trace.timeline.as_ref().map(timeline::json),
    })
}

fn parts(all: Composition) -> [u64; 6] {
    let Composition { system, messages, results, reasoning, summaries, unrecorded } = all;
    [system, messages, results, reasoning, summaries, unrecorded]
}

fn policy(plan: &Plan, replay: &ReplayResult) -> Json {
    let trace = &replay.trace;
    let mut json = series(trace);
    let result = replay.result();
    let whole = json!(result);
    for key in KEYS {
        json[key] = whole[key].clone();
    }
    let shown = |rule: &TranscriptRule| {
        json!(ShownRule { name: &rule.name, figures: &rule.figures, pays_after: rule.pays_after })
    };
    json["rules"] = result.rules.iter().map(shown).collect();
    let limits = limits(plan, true, trace);
    json["limits"] = limits.iter().map(|limit| json!([limit.kind.word(), limit.level, limit.name])).collect();
    json["fired"] = trace.calls.iter().map(|call| json!(call.fired)).collect();
    json["stops"] = trace.stops().map(|(call, rule, _)| json!([call, rule])).collect();
    json["verdict"] = verdict(plan, std::slice::from_ref(replay), 0).sentence().into();
    json
}
