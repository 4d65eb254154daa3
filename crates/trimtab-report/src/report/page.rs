//! A report on replays as one self-contained page.
//!
//! The page holds its data as JSON, which its script draws. It loads nothing and permits no other script: its content
//! security policy names the hashes of its own. One row is kept of each session, and details of some of them only, so that
//! the page on many sessions stays small.

mod detail;
mod document;
mod overview;
mod timeline;

use serde::Serialize;
use serde_json::{Value as Json, json};
use trimtab_language::plan::Plan;

pub use self::detail::SessionDetail;
pub(super) use self::document::PageKind;
pub use self::overview::{Overview, SessionOutcome};
use super::encoding::{Encoding, Rendered};
use super::replay_result::ReplayError;
use super::result::TotalResult;
use super::simulation::OPEN_LOOP_NOTICE;
use super::verdict::{Subject, VerdictBlock};

/// A report on replays.
const KIND: PageKind = PageKind {
    title: "Simulation report",
    scripts: &[
        include_str!("page/script/figure.js"),
        include_str!("page/script/data.js"),
        include_str!("page/script/element.js"),
        include_str!("page/script/table.js"),
        include_str!("page/script/geometry.js"),
        include_str!("page/script/plot.js"),
        include_str!("page/script/chart.js"),
        include_str!("page/script/verdict.js"),
        include_str!("page/script/changes.js"),
        include_str!("page/script/summary.js"),
        include_str!("page/script/address.js"),
        include_str!("page/script/replayed.js"),
        include_str!("page/script/loss.js"),
        include_str!("page/script/strip.js"),
        include_str!("page/script/inspector.js"),
        include_str!("page/script/session_chart.js"),
        include_str!("page/script/session.js"),
        include_str!("page/script/main.js"),
    ],
    style: include_str!("page/session.css"),
};

/// What a page says of all transcripts.
#[derive(Clone, Debug)]
pub struct PageHead<'a> {
    /// The version of the program.
    pub version: &'static str,
    /// The policies, with their files as the user gave them.
    pub policies: &'a [(String, Plan)],
    /// Whether the page contains text from the recordings.
    pub has_texts: bool,
    /// A sentence on the choice of the transcripts, if it is a sample.
    pub sample: Option<String>,
}

/// A page on some transcripts. `details` are those of some of them.
pub fn page(head: &PageHead<'_>, overview: &Overview, details: &[SessionDetail], errors: &[ReplayError]) -> Rendered {
    #[derive(Serialize)]
    struct Data<'a> {
        version: &'static str,
        notice: &'static str,
        sample: &'a Option<String>,
        has_texts: bool,
        policies: Vec<Json>,
        #[serde(flatten)]
        overview: &'a Overview,
        details: &'a [SessionDetail],
        errors: &'a [ReplayError],
    }
    let policy = |((file, plan), total): (&(String, Plan), &TotalResult)| {
        let subject = Subject { recording: overview.only(), unread: errors.len(), ..Subject::of(plan) };
        json!({
            "file": file,
            "name": plan.policy,
            "title": plan.title,
            "hash": plan.hash,
            "rules": plan.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(),
            "verdict": VerdictBlock::of(subject, total.verdict()),
            "total": total,
        })
    };
    let data = Data {
        version: head.version,
        notice: OPEN_LOOP_NOTICE,
        sample: &head.sample,
        has_texts: head.has_texts,
        policies: head.policies.iter().zip(overview.totals()).map(policy).collect(),
        overview,
        details,
        errors,
    };
    Encoding::Data.finish(KIND.document(&serde_json::to_string(&data).unwrap_or_default()))
}
