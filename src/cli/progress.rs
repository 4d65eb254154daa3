//! Progress of work on recordings: a line on a terminal that the next one replaces.

use std::time::{Duration, Instant};

use trimtab_report::report::{plural, whole};

use super::console::Console;

/// Shorter work shows nothing.
const DELAY: Duration = Duration::from_millis(500);

/// The time between two lines.
const PAUSE: Duration = Duration::from_millis(100);

/// How much has been done of all files.
pub(super) struct Progress {
    shows: bool,
    start: Instant,
    drawn: Option<Instant>,
    files: usize,
    bytes: u64,
    done_files: usize,
    done_bytes: u64,
    transcripts: usize,
}

impl Progress {
    /// Progress over a number of files of a size in bytes together.
    pub(super) fn new(shows: bool, files: usize, bytes: u64) -> Self {
        let start = Instant::now();
        Self { shows, start, drawn: None, files, bytes, done_files: 0, done_bytes: 0, transcripts: 0 }
    }

    /// Adds a part of a file: its size, its transcripts, and whether it is the last one.
    pub(super) fn add(&mut self, bytes: u64, transcripts: usize, is_last: bool) {
        self.done_bytes += bytes;
        self.transcripts += transcripts;
        self.done_files += usize::from(is_last);
        let last = self.drawn.unwrap_or(self.start + DELAY);
        if self.shows && last.elapsed() >= PAUSE && self.start.elapsed() >= DELAY {
            self.drawn = Some(Instant::now());
            Console::progress(&self.text(self.start.elapsed()));
        }
    }

    /// Removes the line.
    pub(super) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            Console::progress("");
        }
    }

    fn text(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64().max(0.001);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (done, left) = (self.done_bytes as f64, self.bytes.saturating_sub(self.done_bytes) as f64);
        let mut text = format!("{} of {}", whole(self.done_files), plural(self.files, "file"));
        text += &format!(", {}, {:.1} MB/s", plural(self.transcripts, "transcript"), done / seconds / 1e6);
        if left > 0.0 && done > 0.0 {
            text += &format!(", {} left", duration(Duration::from_secs_f64(seconds * left / done)));
        }
        text
    }
}

/// A duration in its two largest units: `1 h 5 min`, `2 min 10 s`, `7 s`.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_bytes() {
        let mut progress = Progress::new(false, 1_200, 300_000_000);
        progress.add(100_000_000, 5, true);
        let text = progress.text(Duration::from_secs(50));
        assert_eq!(text, "1 of 1,200 files, 5 transcripts, 2.0 MB/s, 1 min 40 s left");
        progress.add(200_000_000, 1, true);
        assert_eq!(progress.text(Duration::from_secs(100)), "2 of 1,200 files, 6 transcripts, 3.0 MB/s");
        assert_eq!(duration(Duration::from_secs(3_725)), "1 h 2 min");
    }
}
