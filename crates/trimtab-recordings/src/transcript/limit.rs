//! What a file may hold, so that a small file cannot take a large memory.
//!
//! Memory follows what is read from a file, not its bytes: a value of two bytes can take a hundred in a transcript. The
//! numbers are far above those of real recordings.

/// The JSON values, names of fields included, that a text may have. Each has an entry of 12 bytes in the index.
pub(super) const MAX_VALUES: usize = 1 << 24;

/// The objects, arrays and texts in arrays that a text may have, or the messages and parts that an archive may have. They
/// are what becomes records, messages and parts.
pub(super) const MAX_ITEMS: usize = 1 << 21;

/// The bytes that the members of an archive may have together.
pub(super) const MAX_UNPACKED: u64 = 1 << 30;

/// The bytes that an archive of any size may unpack to, and how many for each of its own bytes.
const ALWAYS_UNPACKED: u64 = 16 << 20;
const MAX_RATIO: u64 = 128;

/// The bytes of attachments that may be put in place of references in a sample of a log.
pub(super) const MAX_ATTACHED: usize = 256 << 20;

/// The messages that calls of a sample of a log may refer to.
pub(super) const MAX_REFERRED: usize = 1 << 22;

/// The copies of messages that compactions kept, for each message of a recording.
pub(super) const MAX_COPIES: usize = 8;

/// The kinds of skipped records that are counted by their names.
pub(super) const MAX_KINDS: usize = 200;

/// The bytes that an archive may unpack to.
pub(super) fn unpacked(archive: usize) -> u64 {
    let own = u64::try_from(archive).unwrap_or(u64::MAX).saturating_mul(MAX_RATIO);
    ALWAYS_UNPACKED.saturating_add(own).min(MAX_UNPACKED)
}
