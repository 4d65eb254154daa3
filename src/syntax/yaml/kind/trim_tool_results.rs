//! `trim_tool_results`: long old tool results are cut after every reply.

use super::{Kind, Measure, Param};

pub(crate) static KIND: Kind = Kind {
    name: "trim_tool_results",
    rank: 2,
    params: &[
        Param { name: "max_result_length", measure: Measure::Whole(500) },
        Param { name: "preserve_recent", measure: Measure::Whole(4) },
    ],
    clauses: |effect| {
        let at = effect.at();
        let mut terms = vec![at.word("results")];
        terms.extend(effect.number("max_result_length").label("to", "chars"));
        terms.extend(effect.number("preserve_recent").label("keep", "results"));
        vec![at.on("reply"), at.action("trim", terms)]
    },
};
