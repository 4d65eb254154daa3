//! `loop_detect`: a word to an agent that makes the same call again and again.

use super::{Kind, Measure, Param, later};
use crate::syntax::tree::{ClauseKind, Operator};
use crate::syntax::yaml::at::Part;

pub(crate) static KIND: Kind = Kind {
    name: "loop_detect",
    rank: 2,
    params: &[
        Param { name: "threshold", measure: Measure::Whole(3) },
        Param { name: "window_size", measure: Measure::Whole(10) },
    ],
    clauses: |effect| {
        let at = effect.at();
        let within = effect.number("window_size");
        // The text and the guard count in the same window as the condition.
        let repeats = || at.call("repeats", Some("within"), within.counted("calls"));
        let tool = at.otherwise(at.name("call.name"), at.quoted("a tool"));
        let reached = at.compare(repeats(), Operator::AtLeast, effect.number("threshold").counted("calls"));
        let text = at.text(vec![
            Part::Literal("The last calls repeat: "),
            Part::Hole("call.name ?? \"a tool\"".to_owned(), tool),
            Part::Literal(" with the same arguments, "),
            Part::Hole(format!("repeats(within: {} calls)", within.amount()), repeats()),
            Part::Literal(" times in a row. Its answer will not change. Take a different approach or another tool."),
        ]);
        vec![
            at.on("request"),
            at.clause(ClauseKind::When(at.all(vec![later(at), reached]))),
            at.inject(text),
            at.clause(ClauseKind::OncePer(repeats())),
        ]
    },
};
