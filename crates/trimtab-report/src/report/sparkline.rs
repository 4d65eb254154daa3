//! Sparklines: a series of shares in one line of text.

use trimtab_base::quantity::Decimal;

use super::style::TerminalStyle;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// One character per bucket for values between 0 and `top`; a space for a bucket without a value.
pub(super) fn line(buckets: &[Option<Decimal>], top: Decimal, style: TerminalStyle) -> String {
    let scale: &[char] = if style.unicode { &BARS } else { &DIGITS };
    let steps = Decimal::from(scale.len());
    let level = |value: &Decimal| {
        let share = if top.is_zero() { Decimal::ZERO } else { *value / top };
        let at = usize::try_from(trimtab_base::quantity::whole(share * steps)).unwrap_or(usize::MAX);
        scale[at.min(scale.len() - 1)]
    };
    let text: String = buckets.iter().map(|bucket| bucket.as_ref().map_or(' ', level)).collect();
    text.trim_end().to_owned()
}

/// The bucket of each of `count` items.
pub(super) fn bucket(at: usize, count: usize, room: usize) -> usize {
    if count <= room { at } else { at * room / count }
}
