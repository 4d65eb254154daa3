//! Names for the transcripts of files that are read in pieces, where the name of the first depends on whether there is
//! another.

use std::collections::BTreeMap;

use trimtab_recordings::transcript::{UniqueIds, no_conversation};

use super::{Done, Item, TranscriptIndex, UnitResult};
use crate::cli::console::Failure;

/// The transcript of a file that is held back until the next one is known, and the ids of those before.
pub(super) struct Naming<T> {
    ids: UniqueIds,
    held: Option<(String, Result<T, String>, TranscriptIndex)>,
    /// How many transcripts of the file have been returned.
    returned: usize,
    /// Records that no transcript counts.
    skipped: BTreeMap<String, u64>,
}

impl<T> Default for Naming<T> {
    fn default() -> Self {
        Self { ids: UniqueIds::default(), held: None, returned: 0, skipped: BTreeMap::new() }
    }
}

impl<T> Naming<T> {
    /// Gives what became of the transcripts of a unit to `take`. All transcripts of a file that is read as a whole have
    /// their names.
    pub(super) fn take(
        &mut self,
        mut result: UnitResult<T>,
        take: &mut impl FnMut(Item<T>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (done, error) = (std::mem::take(&mut result.done), result.error.take());
        for (index, (id, value)) in done.into_iter().enumerate() {
            let place = TranscriptIndex { unit: result.number, index };
            if result.is_piece {
                self.release(&result, false, take)?;
                self.held = Some((id, value, place));
            } else {
                take(item(&result, id, value, BTreeMap::new(), place))?;
            }
        }
        for (kind, count) in std::mem::take(&mut result.skipped) {
            *self.skipped.entry(kind).or_default() += count;
        }
        if let Some(error) = error {
            self.release(&result, false, take)?;
            *self = Self::default();
            return take(Item::Unread { file: result.file, error });
        }
        if result.is_last { self.end(result, take) } else { Ok(()) }
    }

    fn end(
        &mut self,
        result: UnitResult<T>,
        take: &mut impl FnMut(Item<T>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.release(&result, self.returned == 0, take)?;
        let is_without = result.is_piece && self.returned == 0;
        *self = Self::default();
        if is_without {
            return take(Item::Unread { file: result.file, error: no_conversation(result.format) });
        }
        take(Item::FileEnd { file: result.file, format: result.format, sniffed: result.sniffed })
    }

    /// Returns the transcript that was held back.
    fn release(
        &mut self,
        result: &UnitResult<T>,
        is_only: bool,
        take: &mut impl FnMut(Item<T>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some((id, value, place)) = self.held.take() else { return Ok(()) };
        let name = &result.file.name;
        let id = if is_only { name.clone() } else { format!("{name}#{}", self.ids.next(id)) };
        self.returned += 1;
        take(item(result, id, value, std::mem::take(&mut self.skipped), place))
    }
}

/// Gives what became of the chosen transcripts of a unit to `take`. All of them have their names.
pub(super) fn take_named<T>(
    mut result: UnitResult<T>,
    take: &mut impl FnMut(Item<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for (index, (id, value)) in std::mem::take(&mut result.done).into_iter().enumerate() {
        let place = TranscriptIndex { unit: result.number, index };
        take(item(&result, id, value, BTreeMap::new(), place))?;
    }
    result.error.map_or(Ok(()), |error| take(Item::Unread { file: result.file, error }))
}

fn item<T>(
    result: &UnitResult<T>,
    id: String,
    value: Result<T, String>,
    skipped: BTreeMap<String, u64>,
    place: TranscriptIndex,
) -> Item<T> {
    match value {
        Ok(value) => Item::Done(Done { file: result.file.clone(), id, value, skipped, place }),
        Err(message) => Item::Panicked { id, message },
    }
}
