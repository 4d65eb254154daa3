//! Conversion of recorded timestamps to RFC 3339.

use smol_str::{SmolStr, format_smolstr};

use super::wire::{Raw, Str};

/// A recorded time: a text, or seconds or milliseconds since the Unix epoch.
pub(super) fn parse(raw: Raw<'_>) -> Option<SmolStr> {
    if raw.is_string() {
        let text: Str<'_> = raw.parse()?;
        return text.get().filter(|text| !text.is_empty()).map(from_naive);
    }
    let number: f64 = raw.parse()?;
    from_seconds(if number < LEAST_MILLIS { number } else { number / 1000.0 })
}

/// Larger numbers are milliseconds: as seconds they would be after the year 5000.
const LEAST_MILLIS: f64 = 1e11;

/// Formats milliseconds since the Unix epoch in UTC. Returns `None` after the year 9999.
pub(super) fn from_millis(millis: u64) -> Option<SmolStr> {
    let (days, millis) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute, second, milli) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    (year <= 9999)
        .then(|| format_smolstr!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
}

/// Formats seconds since the Unix epoch, which may have a fraction, in UTC.
pub(super) fn from_seconds(seconds: f64) -> Option<SmolStr> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    (0.0..9e12).contains(&seconds).then(|| (seconds * 1000.0).round() as u64).and_then(from_millis)
}

/// Converts a time without an offset, such as `2026-03-01T10:00:00.5` or `2026-03-01 10:00:00`, to RFC 3339 as if it were
/// UTC, so that durations are right. Other texts are returned unchanged.
pub(super) fn from_naive(text: &str) -> SmolStr {
    let digits = |byte: &u8| if byte.is_ascii_digit() { b'0' } else { *byte };
    let shape: Vec<u8> = text.bytes().map(|byte| digits(&byte)).collect();
    let (head, fraction) = shape.split_at(shape.len().min(19));
    let is_naive = head == b"0000-00-00T00:00:00" || head == b"0000-00-00 00:00:00";
    let is_fraction =
        fraction.is_empty() || fraction.starts_with(b".") && fraction.iter().skip(1).all(|byte| *byte == b'0');
    if is_naive && is_fraction { format_smolstr!("{}Z", text.replacen(' ', "T", 1)) } else { SmolStr::new(text) }
}

/// Converts days since 1970-01-01 to a Gregorian date: year, month, day. The calculation uses years that begin in
/// March, so that a leap day is the last day of its year.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_formatted_as_rfc_3339() {
        assert_eq!(from_millis(0).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(from_millis(951_782_400_001).as_deref(), Some("2000-02-29T00:00:00.001Z"));
        assert_eq!(from_millis(1_783_376_868_634).as_deref(), Some("2026-07-06T22:27:48.634Z"));
        assert_eq!(from_millis(u64::MAX), None);
    }

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!(from_seconds(1.5).as_deref(), Some("1970-01-01T00:00:01.500Z"));
        assert_eq!([from_seconds(-1.0), from_seconds(f64::NAN)], [None, None]);
    }

    #[test]
    fn a_time_without_an_offset_counts_as_utc() {
        assert_eq!(from_naive("2026-03-01T10:00:00.25"), "2026-03-01T10:00:00.25Z");
        assert_eq!(from_naive("2026-03-01 10:00:00"), "2026-03-01T10:00:00Z");
        for unchanged in ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00+02:00", "noon", ""] {
            assert_eq!(from_naive(unchanged), unchanged);
        }
    }
}
