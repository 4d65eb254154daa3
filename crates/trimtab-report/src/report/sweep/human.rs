//! A sweep for a terminal: the conclusion, a table for each set, and the differences.

use trimtab_analysis::sweep::{Half, Sweep};
use trimtab_base::diagnostic::Severity;

use super::{SweepFormat, SweepReport, wording};
use crate::report::Encoding;
use crate::report::number::whole;
use crate::report::table::Table;
use crate::report::wrap::fold_lines;

pub(super) static FORMAT: SweepFormat = SweepFormat {
    name: "human",
    summary: "The conclusion, and the Pareto front on both sets",
    encoding: Encoding::Text,
    is_page: false,
    render,
};

fn render(report: &SweepReport<'_>) -> String {
    let style = report.style;
    let mut out = report.read_count.heading(style);
    out += &style.emphasis(style.wrap(&wording::heading(report), 0).trim_end());
    out += "\n\n";
    let (text, is_good) = wording::conclusion(report);
    let text = if is_good { text } else { format!("warning: {text}") };
    let text = style.wrap(&text, 0);
    let painted =
        if is_good { style.success(text.trim_end()) } else { style.severity(Severity::Warning, text.trim_end()) };
    out += &format!("{painted}\n");
    for half in Half::ALL {
        out += &format!("\n{}\n", style.wrap(&wording::caption(report, half), 0).trim_end());
        for line in table(report, half).fitted(2, style.width) {
            out += &format!("{line}\n");
        }
    }
    out += &legend(report);
    let leads = wording::leads(report);
    if !leads.is_empty() {
        out += "\nDifferences, with 95% intervals by a bootstrap over transcripts:\n";
        out.extend(leads.iter().map(|lead| style.wrap(lead, 2)));
    }
    fold_lines(&out, style.width)
}

fn table(report: &SweepReport<'_>, half: Half) -> Table {
    let columns = wording::columns(report);
    let head: Vec<&str> = std::iter::once("").chain(columns).collect();
    let mut table = Table::new(&head);
    for (at, candidate) in wording::listed(report).0 {
        let name = format!("{}{}", mark(report.sweep, at), wording::settings(report, candidate));
        table.row(std::iter::once(name).chain(wording::cells(report, candidate, half)));
    }
    table
}

/// The mark before a combination: `*` for the winner, `=` for the file as written.
fn mark(sweep: &Sweep, at: usize) -> &'static str {
    match (sweep.winner == Some(at), at == 0) {
        (true, true) => "*=",
        (true, false) => "* ",
        (false, true) => "= ",
        (false, false) => "  ",
    }
}

/// What the marks and columns mean, and how many combinations are not listed.
fn legend(report: &SweepReport<'_>) -> String {
    let mut text = "`*` is the winner, `=` the file as written.".to_owned();
    if let left_out @ 1.. = wording::listed(report).1 {
        text += &format!(" {} more combinations are on the front; --format json lists them.", whole(left_out));
    }
    let notes = wording::notes(report);
    let sentences = std::iter::once(text).chain(notes).collect::<Vec<_>>().join(" ");
    format!("\n{}", report.style.wrap(&sentences, 0))
}
