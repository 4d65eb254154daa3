//! What the options of a settings file of another system became.

use trimtab_analysis::system::{Fidelity, Import, Origin, Row};
use trimtab_base::source::Source;

use super::figure::number;
use super::listing::{Column, Listing, Section};
use super::result::{ImportResult, ImportedOption, SCHEMA_VERSION};

/// A row for each option, and the policy. Options that are not set share a line.
pub fn imported(import: &Import, source: &Source) -> Listing {
    let system = import.system;
    let columns = vec![
        Column::name("option"),
        Column::label("value"),
        Column::label("fidelity"),
        Column::text("what it became, and why"),
    ];
    let title = format!(
        "{}: settings of {}; defaults and meaning as of {} ({})",
        source.name(),
        system.title,
        system.version,
        system.date
    );
    let rows = import.rows.iter().filter(|row| row.is_set()).map(cells).collect();
    let unset: Vec<&str> = import.rows.iter().filter(|row| !row.is_set()).map(|row| row.option.as_str()).collect();
    let mut notes = vec![counts(&import.rows)];
    if !unset.is_empty() {
        notes.push(format!("Not set, without effect: {}", unset.join(", ")));
    }
    let table = Section { title, columns, rows, notes, ..Section::default() };
    let policy = Section { policy: import.text.clone(), ..Section::default() };
    let result = result(import, source);
    Listing::new(vec![table, policy], &result, &result.options)
}

/// The table without the policy.
pub fn fidelity_table(import: &Import, source: &Source) -> Listing {
    let mut listing = imported(import, source);
    listing.drop_policy();
    listing
}

fn cells(row: &Row) -> Vec<String> {
    let value = match (row.value.as_str(), row.origin) {
        (value, Origin::Written(_)) => value.to_owned(),
        ("", origin) => format!("({})", origin.word()),
        (value, origin) => format!("{value} ({})", origin.word()),
    };
    let became = match (row.became.as_str(), row.reason.as_str()) {
        ("", reason) => reason.to_owned(),
        (became, "") => became.to_owned(),
        (became, reason) => format!("{became}; {reason}"),
    };
    vec![row.option.to_string(), value, row.fidelity.word().to_owned(), became]
}

fn counts(rows: &[Row]) -> String {
    let set = || rows.iter().filter(|row| row.is_set());
    let of = |fidelity: Fidelity| set().filter(|row| row.fidelity == fidelity).count();
    let parts = [Fidelity::Exact, Fidelity::Approximate, Fidelity::Impossible]
        .map(|fidelity| format!("{} {}", of(fidelity), fidelity.word()));
    parts.join(", ")
}

fn result(import: &Import, source: &Source) -> ImportResult {
    let option = |row: &Row| ImportedOption {
        option: row.option.to_string(),
        value: (!row.value.is_empty()).then(|| row.value.clone()),
        origin: row.origin.word().to_owned(),
        line: match row.origin {
            Origin::Written(span) => Some(number(source.position(span.start).line)),
            _ => None,
        },
        became: (!row.became.is_empty()).then(|| row.became.clone()),
        fidelity: row.fidelity.word().to_owned(),
        reason: (!row.reason.is_empty()).then(|| row.reason.clone()),
    };
    ImportResult {
        schema_version: SCHEMA_VERSION,
        file: source.name().to_owned(),
        system: import.system.name.to_owned(),
        version: import.system.version.to_owned(),
        date: import.system.date.to_owned(),
        options: import.rows.iter().map(option).collect(),
        policy: import.text.clone(),
    }
}
