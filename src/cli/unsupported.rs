//! Files in unsupported formats: many of one kind are reported in one line.

use trimtab_recordings::transcript::{FORMATS, Unsupported};
use trimtab_report::report::{list, plural};

/// Most files of a kind that are named.
const NAMED: usize = 3;

/// Files by kind, in the order of the first of each kind, with the message for a single one.
#[derive(Default)]
pub(super) struct UnsupportedFiles(Vec<(Unsupported, Vec<String>, String)>);

impl UnsupportedFiles {
    /// Adds a file, with the message in case it is the only one of its kind.
    pub(super) fn add(&mut self, kind: Unsupported, file: String, message: String) {
        match self.0.iter_mut().find(|(of, ..)| *of == kind) {
            Some((_, files, _)) => files.push(file),
            None => self.0.push((kind, vec![file], message)),
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
    let count = plural(files.len(), "file");
    let problem = match kind {
        Unsupported::Tool(tool) => format!("{count} of {tool} are in an unsupported format"),
        Unsupported::Unknown => format!("{count} are in no known format"),
    };
    let formats: Vec<String> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
    format!("error: {problem}: {}; supported formats: {}", list(files, NAMED), formats.join(", "))
}
