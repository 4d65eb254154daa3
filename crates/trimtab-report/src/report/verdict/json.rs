//! The figures of a verdict, as programs read them.

use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;

use super::figures::VerdictFigures;
use super::outcome::Outcome;
use crate::report::amount::Amount;

impl VerdictFigures {
    /// The JSON form.
    pub(in super::super) fn json(&self) -> Json {
        let Self { over_window, stopped, tokens, cost, priced, changes, caveats, .. } = self;
        json!({
            "outcome": Outcome::of(self).name(),
            "calls": self.calls,
            "over_window": { "recorded": over_window.recorded, "policy": over_window.policy },
            "stopped": { "sessions": stopped.sessions, "calls": stopped.calls, "cost": stopped.cost.json() },
            "tokens": {
                "recorded": tokens.recorded, "policy": tokens.policy, "low": tokens.low, "high": tokens.high,
            },
            "cost": {
                "recorded": cost.recorded.json(), "policy": cost.policy.json(),
                "low": cost.low.json(), "high": cost.high.json(),
            },
            "priced": {
                "sessions": priced.sessions, "all_sessions": priced.all_sessions,
                "calls": priced.calls, "all_calls": priced.all_calls,
                "tokens": priced.tokens, "all_tokens": priced.all_tokens,
            },
            "changes": {
                "sessions": changes.sessions, "cheaper": changes.cheaper, "dearer": changes.dearer,
                "unpriced": changes.unpriced, "stopped": changes.stopped,
            },
            "reasoning_lost": self.reasoning_lost,
            "wanted_again": self.wanted_again,
            "repeated": self.repeated,
            "caveats": {
                "window_unknown": caveats.window_unknown, "tools_assumed": caveats.tools_assumed,
                "history_missing": caveats.history_missing, "measured": caveats.measured,
                "content_error": caveats.content_error.json(),
            },
            "hurts_most": self.hurts_most.as_ref().map(named_cost),
            "saves_most": self.saves_most.as_ref().map(named_cost),
        })
    }
}

/// A recording and by how much its cost changes.
fn named_cost((id, amount): &(String, Decimal)) -> Json {
    json!({ "id": id, "cost": Amount(Some(*amount)).json() })
}
