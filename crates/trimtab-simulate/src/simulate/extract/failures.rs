//! Errors, and whether a later call solved them.

use foldhash::HashMap;
use trimtab_base::tool_use::identity;

use super::call::Call;
use super::quote::{Extent, quote};

/// How much of an error is quoted: the message and what it points at. A stack trace goes on for longer.
const QUOTED: Extent = Extent { lines: 4, chars: 320 };

/// How much of a solved error is quoted.
const QUOTED_SOLVED: Extent = Extent { lines: 2, chars: 160 };

const SOLVED: &str = " (solved)";
const UNSOLVED: &str = " (not solved)";

/// Errors in the order in which they last occurred.
#[derive(Debug, Default)]
pub(super) struct Failures {
    known: HashMap<String, Failure>,
    /// The unsolved errors of similar calls.
    unsolved: HashMap<String, Vec<String>>,
    /// Items of a foreign summary.
    foreign: Vec<String>,
    count: usize,
}

#[derive(Debug)]
struct Failure {
    last: usize,
    solved: bool,
    text: String,
}

impl Failures {
    /// Reads an item of an earlier summary.
    pub(super) fn add_item(&mut self, item: &str) {
        let (title, text) = item.split_once('\n').unwrap_or((item, ""));
        if let Some(title) = title.strip_suffix(UNSOLVED) {
            self.add(title, text.to_owned());
        } else if let Some(title) = title.strip_suffix(SOLVED) {
            self.add(title, text.to_owned());
            self.known.entry(title.to_owned()).and_modify(|failure| failure.solved = true);
        } else {
            self.foreign.push(item.to_owned());
        }
    }

    /// Adds an error of a call.
    pub(super) fn add_failure(&mut self, call: &Call, message: Option<&str>) {
        let text = message.map(|message| quote(message, QUOTED)).unwrap_or_default();
        self.add(&call.title(), text);
    }

    fn add(&mut self, title: &str, text: String) {
        self.count += 1;
        self.known.insert(title.to_owned(), Failure { last: self.count, solved: false, text });
        let similar = self.unsolved.entry(similar(title)).or_default();
        if similar.last().is_none_or(|last| last != title) {
            similar.push(title.to_owned());
        }
    }

    /// Marks the errors of similar calls as solved.
    pub(super) fn add_success(&mut self, call: &Call) {
        for title in self.unsolved.remove(&similar(&call.title())).unwrap_or_default() {
            self.known.entry(title).and_modify(|failure| failure.solved = true);
        }
    }

    /// The last of them as items, in the order of time. Solved errors are left out first.
    pub(super) fn items(self, most: usize) -> Vec<String> {
        let mut known: Vec<(String, Failure)> = self.known.into_iter().collect();
        known.sort_unstable_by_key(|(_, failure)| (!failure.solved, failure.last));
        known.drain(..known.len().saturating_sub(most));
        known.sort_unstable_by_key(|(_, failure)| failure.last);
        let item = |(title, Failure { solved, text, .. }): (String, Failure)| {
            let status = if solved { SOLVED } else { UNSOLVED };
            let text = if solved { quote(&text, QUOTED_SOLVED) } else { text };
            let line = if text.is_empty() { "" } else { "\n" };
            format!("{title}{status}{line}{text}")
        };
        let mut items: Vec<String> = self.foreign;
        items.extend(known.into_iter().map(item));
        items.drain(..items.len().saturating_sub(most));
        items
    }
}

/// Whether an item names an error that was solved.
pub(super) fn is_solved(item: &str) -> bool {
    item.lines().next().is_some_and(|line| line.ends_with(SOLVED))
}

/// What similar calls have in common: the tool, and the path or the first words of the command.
fn similar(title: &str) -> String {
    let (tool, subject) = title.split_once(": ").unwrap_or((title, ""));
    format!("{tool}: {}", identity(subject))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use trimtab_base::conversation::Arguments;

    use super::*;

    fn call(command: &str) -> Call {
        Call::read("bash", &Arguments::from(json!({ "command": command })))
    }

    #[test]
    fn a_similar_call_that_succeeds_solves_an_error() {
        let mut failures = Failures::default();
        failures.add_failure(&call("cargo test a"), Some("\nerror\n at b.rs\n1\n2\n3"));
        failures.add_failure(&call("make"), None);
        failures.add_success(&call("cargo test --all"));
        failures.add_success(&call("cargo build"));
        let items = failures.items(9);
        assert_eq!(items, ["bash: cargo test a (solved)\nerror\n at b.rs…", "bash: make (not solved)"]);
        let mut again = Failures::default();
        for item in &items {
            again.add_item(item);
        }
        again.add_success(&call("make"));
        again.add_failure(&call("cargo test a"), Some("other"));
        assert_eq!(again.items(9), ["bash: make (solved)", "bash: cargo test a (not solved)\nother"]);
    }

    #[test]
    fn solved_errors_are_left_out_first() {
        let mut failures = Failures::default();
        failures.add_item("The build failed.");
        for name in ["a", "b", "c"] {
            failures.add_failure(&call(name), None);
        }
        failures.add_success(&call("b"));
        assert_eq!(failures.items(2), ["bash: a (not solved)", "bash: c (not solved)"]);
    }
}
