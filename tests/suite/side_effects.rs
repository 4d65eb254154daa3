//! Files are opened and programs started in few places, which know what is allowed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers;

/// What opens or makes a file, or starts a program, with the files that may do it.
const PLACES: &[(&[&str], &[&str])] = &[
    (
        &["File::open", "fs::read(", "fs::read_to_string("],
        &["src/host/decision_logs.rs", "src/host/file.rs", "src/host/hook_state.rs", "src/host/recording_folder.rs"],
    ),
    (
        &["OpenOptions", "File::options()"],
        &["src/host/file.rs", "src/host/open_files.rs", "src/host/private.rs", "src/host/output.rs"],
    ),
    (&["File::create", "fs::write(", "fs::rename(", "fs::copy(", "fs::hard_link("], &[]),
    (&["fs::remove_file("], &["src/host/decision_logs.rs", "src/host/private.rs", "src/host/output.rs"]),
    (&["fs::create_dir"], &["src/host/output.rs"]),
    (&["WalkBuilder"], &["src/cli/walk.rs"]),
    (
        &["Command::new(program", "Command::new(&self.program", "process::Command::new"],
        &[
            "src/cli/run/client.rs",
            "src/host/command/guarded.rs",
            "src/host/command_line.rs",
            "src/host/git/command.rs",
        ],
    ),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Whether a text has a word that is not the end of another one.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_'))
}

/// A source file without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    match text.rsplit_once("#[cfg(test)]") {
        Some((code, tests)) if tests.contains("mod tests {") => code.to_owned(),
        _ => text,
    }
}

#[test]
fn files_are_opened_and_programs_started_in_few_places() {
    let files: Vec<PathBuf> = layers::folders()
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs"))
        .filter(|path| !path.components().any(|part| part.as_os_str() == "tests"))
        .collect();
    for (words, places) in PLACES {
        for path in &files {
            let name = path.to_str().unwrap().replace('\\', "/");
            let text = code(path);
            let found = words.iter().find(|word| has_word(&text, word));
            assert!(found.is_none() || places.contains(&name.as_str()), "{name} has `{}`", found.unwrap());
        }
        for place in *places {
            let text = code(Path::new(place));
            assert!(words.iter().any(|word| has_word(&text, word)), "{place} has none of {words:?}");
        }
    }
}
