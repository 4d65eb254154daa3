//! Guards: clauses that prevent a rule from firing although its condition is true.
//!
//! This module has their names and descriptions. Their behaviour is implemented in `run`.

/// The descriptor of a guard.
#[derive(Debug)]
pub struct Guard {
    /// The keywords with which it begins.
    pub name: &'static str,
    /// Its syntax.
    pub form: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// A use of it, which tests check.
    pub example: &'static str,
}

/// All guards. A rule fires only if all of its guards allow it.
pub static GUARDS: &[Guard] = &[
    Guard {
        name: "once",
        form: "once [in session]",
        summary: "The rule fires at most once per run, or once in the session.",
        example: "once in session",
    },
    Guard {
        name: "once per",
        form: "once per FACT [in session]",
        summary: "The rule fires again only when the fact is above its value at the last firing. That value is reset when \
                  the condition is false, and when a run begins unless the guard is `in session`. A fact at its limit rises no more: `once per repeats` is due for up to 10 \
                  identical calls, `once per repeats(within: 30 calls)` for up to 30.",
        example: "once per failures",
    },
    Guard {
        name: "once until",
        form: "once until CONDITION [in session]",
        summary: "The rule fires once, and again only after this condition has been true.",
        example: "once until context.ratio < 50%",
    },
    Guard {
        name: "until",
        form: "until CONDITION [in session]",
        summary: "Once the rule's condition has been true, the rule stays triggered until this condition is true, which is \
                  evaluated first. `unless` still prevents it from firing. `until` and `once until` of one rule keep \
                  separate state.",
        example: "until context.ratio < 50%",
    },
    Guard {
        name: "every",
        form: "every N iterations [in session]",
        summary: "The rule fires only at iterations that are multiples of N, not at 0. If it does not fire at one of them, it \
                  waits for the next one. With `in session`, iterations count over all runs.",
        example: "every 5 iterations",
    },
    Guard {
        name: "cooldown",
        form: "cooldown N iterations [in session]",
        summary: "After a firing, a failed summary or a declined question at iteration i, the rule can fire again at i + N. With \
                  `in session`, iterations count over all runs.",
        example: "cooldown 3 iterations",
    },
    Guard {
        name: "limit",
        form: "limit N [in session]",
        summary: "The rule fires at most N times per run, or N times in the session. Failed summaries and declined questions count too.",
        example: "limit 2",
    },
];
