//! A comparison as one JSON object.

use serde_json::{Value as Json, json};
use smol_str::SmolStr;
use trimtab_analysis::diff::{Change, Fires, ReplayDifference, RuleDifference};
use trimtab_language::phase::Phase;

use super::{ComparedPolicy, Comparison, ComparisonFormat, effects};
use crate::report::Encoding;
use crate::report::amount::dollars_number;

pub(super) static FORMAT: ComparisonFormat = ComparisonFormat {
    name: "json",
    summary: "One JSON object",
    encoding: Encoding::Json,
    render: |all| format!("{:#}\n", json(all)),
};

fn json(comparison: &Comparison<'_>) -> Json {
    let host =
        |(word, before, after): &(SmolStr, String, String)| json!({ "what": word, "before": before, "after": after });
    let unread = |(file, message): &(String, String)| json!({ "file": file, "message": message });
    json!({
        "schema_version": 1,
        "same": comparison.is_same(),
        "before": side(comparison.before),
        "after": side(comparison.after),
        "rules": comparison.difference.rules.iter().map(|difference| rule(comparison, difference)).collect::<Vec<_>>(),
        "host": comparison.difference.host.iter().map(host).collect::<Vec<_>>(),
        "replays": comparison.replays.map(|all| json!({
            "transcripts": all.len(),
            "changed": all.iter().filter(|replay| !replay.is_same()).map(replay).collect::<Vec<_>>(),
        })),
        "errors": comparison.unread.iter().map(unread).collect::<Vec<_>>(),
    })
}

fn side(side: ComparedPolicy<'_>) -> Json {
    json!({ "file": side.file, "policy": side.plan.policy, "hash": side.plan.hash })
}

fn rule(comparison: &Comparison<'_>, rule: &RuleDifference) -> Json {
    let (did, does) = (effects(comparison.before.plan, &rule.name), effects(comparison.after.plan, &rule.name));
    let mut json = json!({
        "name": rule.name, "phase": rule.phase.word(), "change": "added",
        "phase_before": null, "fires": null, "now": null, "no_longer": null, "reason": null, "tried_before": null,
        "effects_differ": true, "effects_before": did, "effects_after": does,
    });
    match &rule.change {
        Change::Added => {}
        Change::Removed => json["change"] = json!("removed"),
        Change::Kept { phase, fires, effects, order } => {
            let (now, no_longer, reason) = match fires {
                Fires::Same => (None, None, None),
                Fires::More(here) | Fires::Earlier(here, _) => (Some(here), None, None),
                Fires::Less(here) | Fires::Later(here, _) => (None, Some(here), None),
                Fires::Incomparable(new, no_longer) => (Some(new), Some(no_longer), None),
                Fires::Undecided(why) => (None, None, Some(why)),
            };
            json["change"] = json!(if rule.change.is_none() { "none" } else { "changed" });
            json["phase_before"] = json!(phase.map(Phase::word));
            json["fires"] = json!(fires.word());
            json["now"] = json!(now);
            json["no_longer"] = json!(no_longer);
            json["reason"] = json!(reason);
            json["tried_before"] = json!(order);
            json["effects_differ"] = json!(effects);
        }
    }
    json
}

fn replay(replay: &ReplayDifference) -> Json {
    let firing =
        |(rule, lost, won): &(SmolStr, Vec<usize>, Vec<usize>)| json!({ "rule": rule, "no_longer": lost, "now": won });
    let narrow = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
    json!({
        "id": replay.id,
        "calls": replay.calls,
        "firings": replay.firings.iter().map(firing).collect::<Vec<_>>(),
        "contexts": replay.contexts,
        "tokens": { "before": narrow(replay.tokens.0), "after": narrow(replay.tokens.1) },
        "peak": { "before": replay.peak.0, "after": replay.peak.1 },
        "cost": { "before": replay.cost.map(|cost| dollars_number(cost.0)), "after": replay.cost.map(|cost| dollars_number(cost.1)) },
        "stop": { "before": replay.stop.0, "after": replay.stop.1 },
    })
}
