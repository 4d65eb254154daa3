//! hermes-agent: `compression` in `config.yaml`.

use trimtab_base::quantity::{Quantity, Unit};

use super::descriptor::System;
use super::draft::{Draft, counted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{Section, Setting, Standard};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "hermes",
    title: "hermes-agent",
    file: "~/.hermes/config.yaml",
    syntax: Syntax::Yaml,
    version: "0.9",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[".hermes/config.yaml"],
    schemas: &[],
    marks: &["compression", "terminal.backend", "auxiliary.compression"],
    sections: &[Section {
        path: "compression",
        others: Some(&["summary_model", "summary_provider", "model_overrides"]),
        has_strings: false,
    }],
    settings: &[&ENABLED, &THRESHOLD, &TARGET, &FIRST, &LAST, &ABORT],
    policy,
};

static ENABLED: Setting = Setting {
    key: "compression.enabled",
    kind: Kind::Flag,
    standard: Standard::Flag(true),
    others: &[],
    about: "Whether the conversation is compressed.",
};

static THRESHOLD: Setting = Setting {
    key: "compression.threshold",
    kind: Kind::Share,
    standard: Standard::Share("0.5"),
    others: &[],
    about: "The share of the window at which it is compressed.",
};

static TARGET: Setting = Setting {
    key: "compression.target_ratio",
    kind: Kind::Share,
    standard: Standard::Share("0.2"),
    others: &[],
    about: "The share of the threshold that the newest messages may have.",
};

static FIRST: Setting = Setting {
    key: "compression.protect_first_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    standard: Standard::Whole(3),
    others: &[],
    about: "The first messages, which always stay.",
};

static LAST: Setting = Setting {
    key: "compression.protect_last_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    standard: Standard::Whole(20),
    others: &[],
    about: "The newest messages, which always stay.",
};

static ABORT: Setting = Setting {
    key: "compression.abort_on_summary_failure",
    kind: Kind::Flag,
    standard: Standard::Flag(false),
    others: &[],
    about: "Whether the run ends when no summary can be written; otherwise the messages are dropped.",
};

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&ENABLED) == Some(false) {
        draft.nothing(&ENABLED, "no rule compresses");
        return [&THRESHOLD, &TARGET, &FIRST, &LAST, &ABORT]
            .into_iter()
            .for_each(|setting| draft.nothing(setting, "compression is off"));
    }
    let share = draft.hole(&THRESHOLD, Quantity::new(values.number(&THRESHOLD).unwrap_or_default(), Unit::Share));
    let last = values.whole(&LAST).unwrap_or_default();
    let last = draft.hole(&LAST, counted(last, "message"));
    let pin = match values.whole(&FIRST) {
        Some(0) => String::new(),
        _ => format!(" {}", draft.hole(&FIRST, "pin first_user")),
    };
    let ends = values.flag(&ABORT) == Some(true);
    let failure = if ends { "stop".to_owned() } else { format!("then drop older keep {last}{pin}") };
    let failure = draft.hole(&ABORT, failure);
    draft.rule(
        "compress",
        "Summarises the middle of the conversation.",
        &[
            format!("when context.ratio >= {share}"),
            format!("do summarise older keep {last}{pin}"),
            format!("on_failure {failure}"),
        ],
    );
    rows(values, draft);
}

fn rows(values: &Values<'_>, draft: &mut Draft<'_>) {
    draft.exact(&ENABLED, "rule `compress`");
    draft.exact(&THRESHOLD, "`when` of rule `compress`");
    draft.exact(&LAST, "`keep` of rule `compress`");
    draft.exact(&ABORT, "`on_failure` of rule `compress`");
    draft.impossible(
        &TARGET,
        "a tail in tokens is not written: the rule keeps the newest messages, however long they are",
    );
    match values.whole(&FIRST) {
        Some(0) => draft.approximate(&FIRST, "", "the request of the person stays here by default"),
        Some(1) => draft.exact(&FIRST, "`pin` of rule `compress`"),
        _ => draft.approximate(
            &FIRST,
            "`pin` of rule `compress`",
            "only the first message of a person is kept: the rule keeps less",
        ),
    }
    draft.built_in(
        "two compressions without effect",
        "",
        Fidelity::Impossible,
        "after them it stops to compress, the rule goes on",
    );
}
