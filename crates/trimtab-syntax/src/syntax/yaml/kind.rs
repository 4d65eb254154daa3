//! The effects of YAML policies: their parameters with defaults, and the rules they are translated to.
//!
//! In clauses, `@{…}` contains the name of a parameter, or `rule` for the name of the first rule, with the words that belong
//! to its value; see the `template` module.

use trimtab_base::quantity::Decimal;

/// A kind of effect.
#[derive(Debug)]
pub struct Kind {
    /// Its name, which is also the name of its rule.
    pub name: &'static str,
    /// The order of its rule: lower ranks run first, equal ranks in source order.
    pub rank: u8,
    /// Its parameters.
    pub params: &'static [Param],
    /// The clauses of its rule.
    pub(super) clauses: &'static str,
    /// A second rule, which is tried after the first: the end of its name, and its clauses.
    pub(super) second: Option<(&'static str, &'static str)>,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it measures.
    pub measure: Measure,
}

/// What a parameter measures, with its default.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// A whole number; 0 or less selects the default.
    Whole(u32),
    /// A share of the window in percent; 0 or less selects the default.
    Share(u32),
    /// A share of the window in percent; 0 or less turns the effect off.
    OptionalWindowShare(u32),
    /// A share of something else in percent; 0 or less, or more than 100%, selects the default.
    OtherShare(u32),
    /// A share of a budget in percent; 0 or less, or 100% or more, selects the default.
    BudgetShare(u32),
    /// A budget of tokens. Without it, or with 0 or less, the effect is off.
    Tokens,
    /// A list of names. Without any, the effect is off.
    Names,
    /// A budget of time, written as a text such as `8m30s`. Without it, or with 0 or less, the effect is off.
    Duration,
}

impl Measure {
    /// Whether the effect is off without it.
    pub(super) const fn is_required(self) -> bool {
        matches!(self, Self::Names | Self::Tokens | Self::Duration)
    }

    /// Returns the default, as written in YAML, that is used for a value such as 0; `None` if such a value, or an empty list,
    /// turns the effect off.
    pub(super) fn written_default(self) -> Option<String> {
        match self {
            Self::Whole(number) => Some(number.to_string()),
            Self::Share(percent) | Self::OtherShare(percent) | Self::BudgetShare(percent) => {
                Some((Decimal::from(percent) / Decimal::ONE_HUNDRED).normalize().to_string())
            }
            Self::OptionalWindowShare(_) | Self::Tokens | Self::Names | Self::Duration => None,
        }
    }
}

impl Kind {
    /// Whether it stands for a single rule.
    pub const fn is_one_rule(&self) -> bool {
        self.second.is_none()
    }

    /// Whether it has a threshold that is a share of the window.
    pub(super) fn needs_window(&self) -> bool {
        self.params.iter().any(|param| matches!(param.measure, Measure::Share(_) | Measure::OptionalWindowShare(_)))
    }
}

/// All kinds.
pub static KINDS: [Kind; 12] = [
    // Replaces old tool results with placeholders.
    Kind {
        name: "observation_mask",
        rank: 0,
        params: &[
            Param { name: "threshold", measure: Measure::Share(60) },
            Param { name: "recent_window", measure: Measure::Whole(10) },
        ],
        clauses: "on request
when known(reported.ratio) and reported.ratio >= @{threshold} and iteration > 0
do mask results @{keep recent_window messages} preview 80 chars",
        second: None,
    },
    // Replaces the whole conversation with a summary.
    Kind {
        name: "compact",
        rank: 1,
        params: &[Param { name: "threshold", measure: Measure::OptionalWindowShare(80) }],
        clauses: "on request
when known(reported.ratio) and reported.ratio >= @{threshold} and iteration > 0
do summarise all pin none
on_failure ask",
        second: None,
    },
    // Keeps recent messages, trims the ones before them, and folds old ones into a running summary.
    Kind {
        name: "sliding_window",
        rank: 1,
        params: &[
            Param { name: "threshold", measure: Measure::OptionalWindowShare(70) },
            Param { name: "recent_zone", measure: Measure::Whole(10) },
            Param { name: "medium_zone", measure: Measure::Whole(10) },
            Param { name: "trim_length", measure: Measure::Whole(200) },
        ],
        clauses: "on request
when known(reported.ratio) and reported.ratio >= @{threshold} and iteration > 0
do slide @{recent recent_zone messages} @{medium medium_zone messages} @{trim trim_length chars} pin none
on_failure keep",
        second: None,
    },
    // Trims long old tool results after every reply.
    Kind {
        name: "trim_tool_results",
        rank: 2,
        params: &[
            Param { name: "max_result_length", measure: Measure::Whole(500) },
            Param { name: "preserve_recent", measure: Measure::Whole(4) },
        ],
        clauses: "on reply
do trim results @{to max_result_length chars} @{keep preserve_recent results}",
        second: None,
    },
    // Moves large old tool results to a store after a reply.
    Kind {
        name: "offload",
        rank: 2,
        params: &[
            Param { name: "threshold", measure: Measure::Share(50) },
            Param { name: "min_result_len", measure: Measure::Whole(2000) },
            Param { name: "recent_window", measure: Measure::Whole(6) },
        ],
        clauses: "on reply
when known(reported.ratio) and reported.ratio >= @{threshold}
do offload results @{over min_result_len chars} @{keep recent_window results} preview 200 chars",
        second: None,
    },
    // Sends a message to an agent that repeats a call.
    Kind {
        name: "loop_detect",
        rank: 2,
        params: &[
            Param { name: "threshold", measure: Measure::Whole(3) },
            Param { name: "window_size", measure: Measure::Whole(10) },
        ],
        // The message and the guard count in the same window as the condition.
        clauses: "on request
when iteration > 0 and repeats(within: @{window_size calls}) >= @{threshold calls}
do inject \"The last calls repeat: {call.name ?? \"a tool\"} with the same arguments, \
{repeats(within: @{window_size calls})} times in a row. Its answer will not change. \
Take a different approach or another tool.\" as user
once per repeats(within: @{window_size calls})",
        second: None,
    },
    // Asks the agent for the root cause after consecutive failures.
    Kind {
        name: "reflection",
        rank: 2,
        params: &[Param { name: "failure_threshold", measure: Measure::Whole(2) }],
        clauses: "on request
when iteration > 0 and failures >= @{failure_threshold results}
do inject \"{failures} consecutive tool failures. Before the next call, say what went wrong each time, \
name the root cause, and choose a strategy that avoids it.\" as user
once per failures",
        second: None,
    },
    // Requests a progress note every few iterations.
    Kind {
        name: "progress",
        rank: 2,
        params: &[Param { name: "interval", measure: Measure::Whole(5) }],
        clauses: "on request
when iteration > 0 and has_tool(\"write_note\")
do inject \"You have worked for {iteration} iterations. Write a note with write_note: \
what is done, what is left, what stands in the way.\" as user
every @{interval iterations}",
        second: None,
    },
    // Sends a message when the newest results are alike, and stops the run if they still are at least `window`
    // iterations later.
    Kind {
        name: "stall_detect",
        rank: 2,
        params: &[
            Param { name: "window", measure: Measure::Whole(6) },
            Param { name: "similarity_threshold", measure: Measure::OtherShare(80) },
        ],
        clauses: "on request
when iteration > 0 and stall(last: @{window results}) >= @{similarity_threshold}
do inject \"You seem to have stalled: the last @{window} tool results are much the same. \
Say what keeps you from going on, and try something else.\" as user
once",
        second: Some((
            "_stop",
            "on request
when iteration > 0 and (since(@{rule}) ?? 0 iterations) >= @{window iterations} \
and stall(last: @{window results}) >= @{similarity_threshold}
do stop \"stall detected: the last @{window} tool results are still much the same\"",
        )),
    },
    // Leaves tools out of every request.
    Kind {
        name: "tool_scope",
        rank: 2,
        params: &[Param { name: "exclude", measure: Measure::Names }],
        clauses: "on request
do tools hide @{exclude}",
        second: None,
    },
    // Sends a message when most of a number of tokens is used, and stops the run when all of it is.
    Kind {
        name: "token_budget",
        rank: 2,
        params: &[
            Param { name: "max_tokens", measure: Measure::Tokens },
            Param { name: "warn_threshold", measure: Measure::BudgetShare(80) },
        ],
        clauses: "on reply
when budget.tokens >= @{max_tokens}
do stop \"token budget exhausted: {budget.tokens} of @{max_tokens}\"",
        second: Some((
            "_warning",
            "on reply
when budget.tokens >= @{warn_threshold} of @{max_tokens}
do inject \"At least @{warn_threshold} of the token budget is used ({budget.tokens} of @{max_tokens}). \
Finish the most important work first.\" as user
once",
        )),
    },
    // Sends a message when most of a duration has passed, and stops the run when all of it has.
    Kind {
        name: "time_budget",
        rank: 2,
        params: &[
            Param { name: "max_duration", measure: Measure::Duration },
            Param { name: "warn_threshold", measure: Measure::BudgetShare(80) },
        ],
        clauses: "on reply
when (budget.time ?? 0s) >= @{max_duration}
do stop \"time budget exhausted: {budget.time ?? 0s} of @{max_duration}\"",
        second: Some((
            "_warning",
            "on reply
when (budget.time ?? 0s) >= @{warn_threshold} of @{max_duration}
do inject \"At least @{warn_threshold} of the time budget is used ({budget.time ?? 0s} of @{max_duration}). \
Finish the most important work first.\" as user
once",
        )),
    },
];

/// The kind with this name.
pub(super) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// Whether some kind has a parameter with this name.
pub(super) fn is_param(name: &str) -> bool {
    KINDS.iter().any(|kind| kind.params.iter().any(|param| param.name == name))
}
