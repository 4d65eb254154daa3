//! A sweep as Markdown: the conclusion, a table for each set, and the differences.

use trimtab_analysis::sweep::Half;

use super::{SweepFormat, SweepReport, wording};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, code, escape};
use crate::report::number::whole;

pub(super) static FORMAT: SweepFormat = SweepFormat {
    name: "markdown",
    summary: "The conclusion and tables, for a comment or a page",
    encoding: Encoding::Text,
    is_page: false,
    render,
};

fn render(report: &SweepReport<'_>) -> String {
    let (text, is_good) = wording::conclusion(report);
    let partial = report.read_count.partial().map(|partial| format!("{partial} read.\n\n")).unwrap_or_default();
    let warning = if is_good { "" } else { "**Warning:** " };
    let mut out = format!("### {}\n\n{partial}{warning}{}\n", escape(&wording::heading(report)), escape(&text));
    for half in Half::ALL {
        let columns = wording::columns(report).into_iter().map(|name| (name, Align::Right));
        let mut table = Table::new([("settings", Align::Left), ("", Align::Left)].into_iter().chain(columns));
        for (at, candidate) in wording::listed(report).0 {
            let mark = match (report.sweep.winner == Some(at), at == 0) {
                (true, true) => "winner, as written",
                (true, false) => "winner",
                (false, true) => "as written",
                (false, false) => "",
            };
            let settings = code(&wording::settings(report, candidate));
            table.row([settings, mark.to_owned()].into_iter().chain(wording::cells(report, candidate, half)));
        }
        out += &format!("\n{}:\n\n{}", wording::caption(report, half), table.text());
    }
    if let left_out @ 1.. = wording::listed(report).1 {
        out += &format!("\n{} more combinations are on the front.\n", whole(left_out));
    }
    out.extend(wording::notes(report).iter().map(|note| format!("\n{}\n", escape(note))));
    let leads = wording::leads(report);
    if !leads.is_empty() {
        out += "\nDifferences, with 95% intervals by a bootstrap over transcripts:\n\n";
        out.extend(leads.iter().map(|lead| format!("- {}\n", escape(lead))));
    }
    out
}
