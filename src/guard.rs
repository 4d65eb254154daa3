//! Guards: the clauses that hold a rule back although its condition holds, as words.
//!
//! In: a word. Out: its form and what it means. What a guard does at run time stands in `run`.

/// A guard as `explain` and the reference show it.
#[derive(Debug)]
pub struct Guard {
    /// The words it begins with.
    pub name: &'static str,
    /// Its form.
    pub form: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// A use of it; tests check it.
    pub example: &'static str,
}

/// All guards. Several on one rule must all let it fire.
pub static GUARDS: &[Guard] = &[
    Guard { name: "once", form: "once", summary: "Fires once a run.", example: "once" },
    Guard {
        name: "once per",
        form: "once per FACT",
        summary: "Fires again only when the fact is above its value at the last firing. That value is forgotten when \
                  the condition is false.",
        example: "once per failures",
    },
    Guard {
        name: "once until",
        form: "once until CONDITION",
        summary: "Fires once, and is silent until the second condition has held.",
        example: "once until context.ratio < 50%",
    },
    Guard {
        name: "until",
        form: "until CONDITION",
        summary: "Once the rule's condition has held, the rule stays due at every try until the second condition holds, \
                  which is read first. `unless` holds it back all the same. `until` and `once until` of one rule \
                  remember apart.",
        example: "until context.ratio < 50%",
    },
    Guard {
        name: "every",
        form: "every N iterations",
        summary: "Fires only at multiples of N iterations, not at 0; one that is missed is not made up.",
        example: "every 5 iterations",
    },
    Guard {
        name: "cooldown",
        form: "cooldown N iterations",
        summary: "After a firing, or a failed summary, at iteration i, the rule may fire again at i + N.",
        example: "cooldown 3 iterations",
    },
    Guard {
        name: "limit",
        form: "limit N",
        summary: "Fires at most N times a run; a failed summary counts.",
        example: "limit 2",
    },
];
