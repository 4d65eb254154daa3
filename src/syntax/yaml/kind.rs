//! The kinds of effects: their parameters with defaults, and the rules that they stand for.

/// A kind of effect.
#[derive(Debug)]
pub struct Kind {
    /// Its name, which is also the name of its rule.
    pub name: &'static str,
    /// The order of its rule: lower ranks run first, equal ranks in source order.
    pub rank: u8,
    /// Its parameters.
    pub params: &'static [Param],
    /// The clauses of its rule, with `@{…}` around parameters; see the `template` module.
    pub(super) clauses: &'static str,
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
    /// A whole number; 0 and less select the default.
    Whole(u32),
    /// A share of the window in percent; 0 and less select the default.
    Share(u32),
    /// A share of the window in percent; 0 and less turn the effect off.
    Switch(u32),
}

impl Kind {
    /// Whether it has a threshold that is a share of the window.
    pub(super) fn needs_window(&self) -> bool {
        self.params.iter().any(|param| !matches!(param.measure, Measure::Whole(_)))
    }
}

/// All kinds.
pub static KINDS: [Kind; 7] = [
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
    },
    // Replaces the whole conversation with a summary.
    Kind {
        name: "compact",
        rank: 1,
        params: &[Param { name: "threshold", measure: Measure::Switch(80) }],
        clauses: "on request
when known(reported.ratio) and reported.ratio >= @{threshold} and iteration > 0
do summarise all
on_failure ask",
    },
    // Keeps recent messages, trims the ones before them, and folds old ones into a running summary.
    Kind {
        name: "sliding_window",
        rank: 1,
        params: &[
            Param { name: "threshold", measure: Measure::Switch(70) },
            Param { name: "recent_zone", measure: Measure::Whole(10) },
            Param { name: "medium_zone", measure: Measure::Whole(10) },
            Param { name: "trim_length", measure: Measure::Whole(200) },
        ],
        clauses: "on request
when known(reported.ratio) and reported.ratio >= @{threshold} and iteration > 0
do slide @{recent recent_zone messages} @{medium medium_zone messages} @{trim trim_length chars}
on_failure keep",
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
