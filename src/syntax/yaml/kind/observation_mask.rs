//! `observation_mask`: old tool results give way to placeholders.

use super::{Kind, Measure, Param, full};
use crate::syntax::tree::ClauseKind;

pub(crate) static KIND: Kind = Kind {
    name: "observation_mask",
    rank: 0,
    params: &[
        Param { name: "threshold", measure: Measure::Share(60) },
        Param { name: "recent_window", measure: Measure::Whole(10) },
    ],
    clauses: |effect| {
        let at = effect.at();
        let mut terms = vec![at.word("results")];
        terms.extend(effect.number("recent_window").label("keep", "messages"));
        terms.extend(at.number(80).label("preview", "chars"));
        vec![at.on("request"), at.clause(ClauseKind::When(full(effect))), at.action("mask", terms)]
    },
};
