//! `reflection`: a pause for thought after failures in a row.

use super::{Kind, Measure, Param, later};
use crate::syntax::tree::{ClauseKind, Operator};
use crate::syntax::yaml::at::Part;

pub(crate) static KIND: Kind = Kind {
    name: "reflection",
    rank: 2,
    params: &[Param { name: "failure_threshold", measure: Measure::Whole(2) }],
    clauses: |effect| {
        let at = effect.at();
        let failures = || at.name("failures");
        let reached = at.compare(failures(), Operator::AtLeast, effect.number("failure_threshold").counted("results"));
        let text = at.text(vec![
            Part::Hole("failures".to_owned(), failures()),
            Part::Literal(
                " consecutive tool failures. Before the next call, say what went wrong each time, name the root cause, \
                 and choose a strategy that avoids it.",
            ),
        ]);
        vec![
            at.on("request"),
            at.clause(ClauseKind::When(at.all(vec![later(at), reached]))),
            at.inject(text),
            at.clause(ClauseKind::OncePer(failures())),
        ]
    },
};
