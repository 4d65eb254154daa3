//! `progress`: a request for a progress note every so many iterations.

use super::{Kind, Measure, Param, later};
use crate::syntax::tree::ClauseKind;
use crate::syntax::yaml::at::Part;

pub(crate) static KIND: Kind = Kind {
    name: "progress",
    rank: 2,
    params: &[Param { name: "interval", measure: Measure::Whole(5) }],
    clauses: |effect| {
        let at = effect.at();
        let notes = at.call("has_tool", None, at.quoted("write_note"));
        let text = at.text(vec![
            Part::Literal("You have worked for "),
            Part::Hole("iteration".to_owned(), at.name("iteration")),
            Part::Literal(
                " iterations. Write a note with write_note: what is done, what is left, what stands in the way.",
            ),
        ]);
        vec![
            at.on("request"),
            at.clause(ClauseKind::When(at.all(vec![later(at), notes]))),
            at.inject(text),
            at.clause(ClauseKind::Every(effect.number("interval").counted("iterations"))),
        ]
    },
};
