//! Files of formats that are not read: many of one kind are one line.

use crate::transcript::{FORMATS, Unsupported};

/// How many files of a kind are named.
const NAMED: usize = 3;

/// Files by kind, in the order in which the first of each came.
#[derive(Default)]
pub(super) struct UnsupportedFiles(Vec<(Unsupported, Vec<String>, String)>);

impl UnsupportedFiles {
    /// Adds a file, and what is to be said of it if it is the only one of its kind.
    pub(super) fn add(&mut self, kind: Unsupported, file: String, message: String) {
        match self.0.iter_mut().find(|(of, ..)| *of == kind) {
            Some((_, files, _)) => files.push(file),
            None => self.0.push((kind, vec![file], message)),
        }
    }

    pub(super) fn take(&mut self, other: Self) {
        for (kind, files, message) in other.0 {
            match self.0.iter_mut().find(|(of, ..)| *of == kind) {
                Some((_, all, _)) => all.extend(files),
                None => self.0.push((kind, files, message)),
            }
        }
    }

    /// A line for each kind.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(kind, files, message)| match files.as_slice() {
            [only] => format!("error: {only}: {message}"),
            several => several_of(*kind, several),
        })
    }
}

fn several_of(kind: Unsupported, files: &[String]) -> String {
    let number = files.len();
    let are = match kind {
        Unsupported::Tool(tool) => format!("{number} files of {tool} are not read"),
        Unsupported::Unknown => format!("{number} files are no known recordings"),
    };
    let more = number.saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let formats = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>().join(", ");
    format!("error: {are}: {named}{more}; formats that are read: {formats}")
}
