//! The axes on which combinations are compared. Less is better on all of them.

use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{Call, ErrorAmounts, Trace};

/// A figure of a replay, and its mean over transcripts.
#[derive(Debug)]
pub struct Axis {
    /// Its name on the command line and in JSON.
    pub name: &'static str,
    /// What it is, as a noun phrase.
    pub summary: &'static str,
    /// Its unit.
    pub unit: AxisUnit,
    /// Its value in a replay, or `None` if it is unknown. The share is that of `calls-above`.
    pub(super) read: fn(&Trace, Decimal) -> Option<Decimal>,
    /// What the errors of its value are shares of, or `None` for what is counted.
    pub(super) errors: Option<fn(&Trace) -> ErrorAmounts>,
}

/// The unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// US dollars.
    Dollars,
    /// Tokens.
    Tokens,
    /// A share of the context window, where 1 is all of it.
    Share,
    /// A count.
    Count,
}

/// The axes that count what stops prevent.
pub(super) const STOP_AXES: [&str; 2] = [SESSIONS_STOPPED, "calls-not-made"];
pub(super) const SESSIONS_STOPPED: &str = "sessions-stopped";
pub(super) const TOKENS_SENT: &str = "tokens-sent";

/// The axes of the Pareto front beside the objective, unless others are wanted.
pub const DEFAULT_AXES: [&str; 3] = ["peak", "regret", SESSIONS_STOPPED];

/// The share of the window above which `calls-above` counts a call, unless another is wanted.
pub const DEFAULT_ABOVE: Decimal = Decimal::from_parts(8, 0, 0, false, 1);

/// All axes, in the order of the help; the first is the objective, unless another is wanted.
pub static AXES: &[&Axis] = &[
    &Axis {
        name: "cost",
        summary: "the cost of calls and summaries",
        unit: AxisUnit::Dollars,
        read: |trace, _| trace.money.priced.is_known().then(|| trace.money.before.cost - trace.money.saved()),
        errors: Some(ErrorAmounts::for_cost),
    },
    &Axis {
        name: TOKENS_SENT,
        summary: "the tokens of all contexts sent",
        unit: AxisUnit::Tokens,
        read: |trace, _| {
            let sent = i128::try_from(trace.before().sum).ok()? - trace.saved();
            Decimal::try_from_i128_with_scale(sent, 0).ok()
        },
        errors: Some(ErrorAmounts::for_tokens),
    },
    &Axis {
        name: "peak",
        summary: "the largest context as a share of the window",
        unit: AxisUnit::Share,
        read: |trace, _| {
            let mut ratios = trace.calls.iter().map(Call::charged_ratio);
            ratios.try_fold(Decimal::ZERO, |peak, ratio| Some(peak.max(ratio?)))
        },
        errors: None,
    },
    &Axis {
        name: "calls-above",
        summary: "the calls whose context is above the share of --above",
        unit: AxisUnit::Count,
        read: calls_above,
        errors: None,
    },
    &Axis {
        name: "summaries",
        summary: "the inserted summaries",
        unit: AxisUnit::Count,
        read: |trace, _| Some(trace.summaries.into()),
        errors: None,
    },
    &Axis {
        name: "reasoning-lost",
        summary: "the tokens of reasoning that edits make invalid",
        unit: AxisUnit::Tokens,
        read: |trace, _| Some(trace.rules.iter().map(|rule| Decimal::from(rule.money.reasoning_lost)).sum()),
        errors: None,
    },
    &Axis {
        name: "regret",
        summary: "the tool calls that need what rules removed: repeated calls and quotes",
        unit: AxisUnit::Count,
        read: |trace, _| Some((trace.regret.repeated.len() + trace.regret.quotes.len()).into()),
        errors: None,
    },
    &Axis {
        name: SESSIONS_STOPPED,
        summary: "the transcripts in which a stop would have prevented calls",
        unit: AxisUnit::Count,
        read: |trace, _| Some(usize::from(trace.after_stop > 0).into()),
        errors: None,
    },
    &Axis {
        name: "calls-not-made",
        summary: "the calls that stops would have prevented",
        unit: AxisUnit::Count,
        read: |trace, _| Some(trace.after_stop.into()),
        errors: None,
    },
];

impl Axis {
    /// Its position in [`AXES`].
    pub(super) fn position(&self) -> usize {
        AXES.iter().position(|axis| axis.name == self.name).unwrap_or(0)
    }
}

fn calls_above(trace: &Trace, share: Decimal) -> Option<Decimal> {
    let mut above = 0;
    for call in &trace.calls {
        let limit = Decimal::from(call.window?).checked_mul(share)?;
        above += usize::from(Decimal::from(call.charged()) > limit);
    }
    Some(above.into())
}
