//! The file that says which policies an experiment compares, in the folder of its recordings.

#[cfg(feature = "proxy")]
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file;
#[cfg(feature = "proxy")]
use super::{output::OutputFile, private};

/// Its name.
const NAME: &str = "experiment.toml";
/// No such file is longer.
const MAX_BYTES: u64 = 1 << 20;

/// What an experiment compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExperimentFile {
    /// Decides which conversations get which policy.
    pub seed: String,
    /// The arms; the first one is the one that the others are compared with.
    pub arms: Vec<ExperimentArm>,
}

/// A policy, or none, that some conversations get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExperimentArm {
    /// Its name, which is that of the folder with its recordings.
    pub name: String,
    /// The weight with which it is chosen.
    pub weight: u32,
    /// The hash of the policy.
    pub plan: String,
}

impl ExperimentFile {
    /// The experiment in a folder, which is begun if the folder has none.
    ///
    /// # Errors
    /// The folder has an experiment with other arms, or it cannot be read or written.
    #[cfg(feature = "proxy")]
    pub fn open(folder: &Path, arms: Vec<ExperimentArm>) -> io::Result<Self> {
        private::create_folder(folder)?;
        let new = Self { seed: random_id(), arms };
        if !path(folder).exists() {
            let mut file = OutputFile::create(&path(folder)).map_err(io::Error::other)?;
            file.keep_existing();
            io::Write::write_all(&mut file, new.text().as_bytes())?;
            // Another process may have been faster, whose experiment it is then.
            if let (Err(error), false) = (file.commit(), path(folder).exists()) {
                return Err(io::Error::other(error));
            }
        }
        let known = Self::read(folder)?;
        if known.arms == new.arms {
            return Ok(known);
        }
        let names: Vec<String> = known.arms.iter().map(|arm| format!("{} ({})", arm.name, arm.weight)).collect();
        Err(io::Error::other(format!(
            "the directory has another experiment, with the arms {}, or a policy has changed since; use another directory",
            names.join(", ")
        )))
    }

    /// The text of the file. Strings are written as in JSON, which TOML reads.
    #[cfg(feature = "proxy")]
    fn text(&self) -> String {
        let string = |text: &str| serde_json::Value::from(text).to_string();
        let mut text =
            format!("# Which policies the recordings in this directory had.\nseed = {}\n", string(&self.seed));
        for ExperimentArm { name, weight, plan } in &self.arms {
            text += &format!("\n[[arms]]\nname = {}\nweight = {weight}\nplan = {}\n", string(name), string(plan));
        }
        text
    }

    /// The experiment in a folder.
    ///
    /// # Errors
    /// The folder has none, or it cannot be read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let bytes = file::read_regular(&path(folder), MAX_BYTES)?;
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        toml::from_str(&text).map_err(|error| io::Error::other(error.message().to_owned()))
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// An id that no other experiment or run has.
#[cfg(feature = "proxy")]
pub fn random_id() -> String {
    // The first state has random numbers of the system, and each later one a number that is hashed with them.
    let mut id = String::new();
    for _ in 0..2 {
        id += &format!("{:016x}", RandomState::new().build_hasher().finish());
    }
    id
}

#[cfg(all(test, feature = "proxy"))]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_goes_on_only_with_the_same_arms() {
        let folder = tempfile::tempdir().expect("a folder");
        let arm = |name: &str, weight| ExperimentArm { name: name.to_owned(), weight, plan: "p".to_owned() };
        let first = ExperimentFile::open(folder.path(), vec![arm("none", 1), arm("tidy", 1)]).expect("an experiment");
        let again = ExperimentFile::open(folder.path(), vec![arm("none", 1), arm("tidy", 1)]).expect("the same");
        assert_eq!(first, again);
        assert_eq!(ExperimentFile::read(folder.path()).expect("the same"), first);
        let other = ExperimentFile::open(folder.path(), vec![arm("none", 1), arm("tidy", 2)]).expect_err("another");
        assert!(
            other.to_string().starts_with("the directory has another experiment, with the arms none (1), tidy (1)")
        );
        assert_ne!(random_id(), random_id());
    }
}
