//! `sliding_window`: new messages whole, the ones before them cut, old ones folded into a running summary.

use super::{Kind, Measure, Param, full};
use crate::syntax::tree::ClauseKind;

pub(crate) static KIND: Kind = Kind {
    name: "sliding_window",
    rank: 1,
    params: &[
        Param { name: "threshold", measure: Measure::Switch(70) },
        Param { name: "recent_zone", measure: Measure::Whole(10) },
        Param { name: "medium_zone", measure: Measure::Whole(10) },
        Param { name: "trim_length", measure: Measure::Whole(200) },
    ],
    clauses: |effect| {
        let at = effect.at();
        let mut terms = Vec::new();
        terms.extend(effect.number("recent_zone").label("recent", "messages"));
        terms.extend(effect.number("medium_zone").label("medium", "messages"));
        terms.extend(effect.number("trim_length").label("trim", "chars"));
        let when = at.clause(ClauseKind::When(full(effect)));
        vec![at.on("request"), when, at.action("slide", terms), at.on_failure("keep")]
    },
};
