//! Experiments: which conversations get which policy.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::library::Plan;

/// Policies that are assigned at random.
///
/// A *unit* gets one policy. It is one conversation, all conversations with the same value of the header
/// `x-trimtab-session`, or all conversations of one command.
pub struct Experiment {
    /// The policies.
    pub arms: Vec<Arm>,
    /// Decides which unit gets which policy.
    pub seed: String,
    /// The unit of all conversations of the proxy, if it runs for one command.
    pub unit: Option<String>,
}

/// A policy that some units get.
pub struct Arm {
    /// Its name.
    pub name: String,
    /// The policy, which may have no rules.
    pub plan: Plan,
    /// The weight with which it is chosen.
    pub weight: u32,
}

impl Experiment {
    /// The arm of a unit. It is always the same, and independent of what the unit holds.
    pub fn arm_of(&self, unit: &str) -> &Arm {
        let digest = Sha256::digest(format!("{}\n{unit}", self.seed));
        let number = digest.iter().take(8).fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        let all: u64 = self.arms.iter().map(|arm| u64::from(arm.weight)).sum();
        let mut left = number % all.max(1);
        let chosen = self.arms.iter().find(|arm| {
            let weight = u64::from(arm.weight);
            let is_chosen = left < weight;
            left = left.saturating_sub(weight);
            is_chosen
        });
        chosen.unwrap_or(&self.arms[0])
    }

    /// The unit of a conversation, given what its header says.
    pub(super) fn unit_of(&self, conversation: &str, session: Option<&str>) -> String {
        let of_session = session.map(|session| {
            let digest = Sha256::digest(session);
            digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        self.unit.clone().or(of_session).unwrap_or_else(|| conversation.to_owned())
    }
}

impl Arm {
    /// The folder with the recordings of a unit.
    pub(super) fn folder(&self, unit: &str) -> std::path::PathBuf {
        Path::new(&self.name).join(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_spread_by_the_weights_and_stay_where_they_are() {
        let plan = || Plan::of(trimtab_language::plan::Plan::without_rules());
        let arm = |name: &str, weight| Arm { name: name.to_owned(), plan: plan(), weight };
        let experiment = |seed: &str| Experiment {
            arms: vec![arm("none", 1), arm("never", 0), arm("tidy", 3)],
            seed: seed.to_owned(),
            unit: None,
        };
        let names = |seed: &str| -> Vec<String> {
            let experiment = experiment(seed);
            (0..4_000).map(|unit| experiment.arm_of(&unit.to_string()).name.clone()).collect()
        };
        let (first, other) = (names("a"), names("b"));
        assert_eq!(first, names("a"));
        assert_ne!(first, other);
        let count = |name: &str| first.iter().filter(|arm| *arm == name).count();
        assert_eq!(count("never"), 0);
        assert!((900..1_100).contains(&count("none")), "{}", count("none"));
    }

    #[test]
    fn a_unit_is_the_command_the_session_or_the_conversation() {
        let with =
            |unit: Option<&str>| Experiment { arms: Vec::new(), seed: String::new(), unit: unit.map(str::to_owned) };
        assert_eq!(with(Some("run")).unit_of("c", Some("s")), "run");
        assert_eq!(with(None).unit_of("c", None), "c");
        let of_session = with(None).unit_of("c", Some("../s"));
        assert_eq!((of_session.len(), of_session == with(None).unit_of("d", Some("../s"))), (16, true));
    }
}
