//! The table that compares the recording with the policy.

use trimtab_base::quantity::{Decimal, signed_percent};

use crate::report::number::count;
use crate::report::table::Table;

/// The table without rows.
pub(super) fn table() -> Table {
    Table::new(&["", "recorded", "policy", "change"])
}

/// The change of a figure; empty if there is none.
pub(super) fn change(before: u64, after: u64) -> String {
    let (before, after) = (Decimal::from(before), Decimal::from(after));
    let share = (after - before).checked_div(before).filter(|_| before != after);
    share.map(signed_percent).unwrap_or_default()
}

/// A figure as recorded and with the policy, as numbers and as they are shown.
pub(super) fn row(name: &str, (before, after): (u64, u64), (recorded, policy): (String, String)) -> [String; 4] {
    [name.to_owned(), recorded, policy, change(before, after)]
}

/// A number of tokens as recorded and with the policy.
pub(super) fn tokens(name: &str, before: u64, after: u64) -> [String; 4] {
    row(name, (before, after), (count(before), count(after)))
}

/// The rows of the calls. If a stop prevents some, the rows after them compare those that are made in both.
pub(super) fn calls(table: &mut Table, recorded: u64, prevented: u64) {
    let made = recorded.saturating_sub(prevented);
    table.row(["calls".to_owned(), count(recorded), count(made), String::new()]);
    if made < recorded {
        table.row(["compared below".to_owned(), count(made), count(made), String::new()]);
    }
}
