//! The split of transcripts into a tuning set and a held-out set.

use sha2::{Digest, Sha256};
use trimtab_base::quantity::Decimal;

/// One of the two sets of transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The winner is chosen on these.
    Tuning,
    /// The winner is verified on these.
    HeldOut,
}

/// Assigns each transcript to a set by a hash of its id, so that its set depends neither on the other transcripts nor on their
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The expected share of held-out transcripts, from 0 to 1.
    pub held_out: Decimal,
    /// Another seed gives another split.
    pub seed: u64,
}

impl Default for Split {
    fn default() -> Self {
        Self { held_out: Decimal::from_parts(5, 0, 0, false, 1), seed: 0 }
    }
}

impl Half {
    /// Both sets.
    pub const ALL: [Self; 2] = [Self::Tuning, Self::HeldOut];

    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::HeldOut => "held-out",
        }
    }
}

impl Split {
    /// The set of the transcript with this id.
    pub fn half(&self, id: &str) -> Half {
        let digest = Sha256::new().chain_update(self.seed.to_le_bytes()).chain_update(id.as_bytes()).finalize();
        let rank = digest.iter().take(4).fold(0_u64, |rank, byte| rank << 8 | u64::from(*byte));
        // The rank is below 2^32.
        if Decimal::from(rank) < self.held_out * Decimal::from(1_u64 << 32) { Half::HeldOut } else { Half::Tuning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_the_wanted_share_is_held_out() {
        for percent in [0, 20, 50, 100] {
            let split = Split { held_out: Decimal::new(percent, 2), seed: 3 };
            let held_out = (0..1_000).filter(|id| split.half(&format!("session-{id}")) == Half::HeldOut).count();
            assert!(held_out.abs_diff(usize::try_from(percent).expect("small") * 10) <= 50, "{percent}: {held_out}");
        }
    }

    #[test]
    fn the_half_depends_on_the_seed() {
        let of = |seed| {
            let split = Split { held_out: Decimal::new(5, 1), seed };
            (0..64).map(|id| split.half(&id.to_string()) == Half::Tuning).collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
