//! `compact`: a summary takes the place of the whole conversation.

use super::{Kind, Measure, Param, full};
use crate::syntax::tree::ClauseKind;

pub(crate) static KIND: Kind = Kind {
    name: "compact",
    rank: 1,
    params: &[Param { name: "threshold", measure: Measure::Switch(80) }],
    clauses: |effect| {
        let at = effect.at();
        vec![
            at.on("request"),
            at.clause(ClauseKind::When(full(effect))),
            at.action("summarise", vec![at.word("all")]),
            at.on_failure("ask"),
        ]
    },
};
