//! Conversion of recorded timestamps to RFC 3339.

use smol_str::{SmolStr, format_smolstr};

/// Formats milliseconds since the Unix epoch in UTC. Returns `None` after the year 9999.
pub(super) fn from_millis(millis: u64) -> Option<SmolStr> {
    let (days, millis) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute, second, milli) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    (year <= 9999)
        .then(|| format_smolstr!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
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
}
