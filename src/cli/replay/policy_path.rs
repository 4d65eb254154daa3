//! Paths that cannot be the policy of a replay.

use std::path::{Path, PathBuf};

use crate::cli::console::Failure;

/// Extensions of policy files.
const POLICIES: [&str; 3] = ["trim", "yaml", "yml"];
/// Extensions that only recordings have; a compiled plan ends in `json`, too.
const RECORDINGS: [&str; 4] = ["jsonl", "ndjson", "eval", "traj"];

/// Fails if a recording is in the place of the policy.
pub(super) fn check_order(subcommand: &str, policy: &[PathBuf], transcripts: &[PathBuf]) -> Result<(), Failure> {
    let Some(first) = policy.first() else { return Ok(()) };
    let written = transcripts.iter().find(|path| ends_with(path, &POLICIES)).filter(|_| !ends_with(first, &POLICIES));
    let reason = match written {
        Some(policy) => {
            format!(
                "the policy comes before the recordings: trimtab {subcommand} {} {}",
                policy.display(),
                first.display()
            )
        }
        None if ends_with(first, &RECORDINGS) => {
            format!(
                "{} is a recording; name the policy before it: trimtab {subcommand} POLICY RECORDING",
                first.display()
            )
        }
        None => return Ok(()),
    };
    Err(Failure::Message(reason))
}

fn ends_with(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|end| extensions.iter().any(|extension| end == *extension))
}
