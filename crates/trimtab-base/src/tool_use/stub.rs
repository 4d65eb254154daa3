//! Results that stand for a content instead of repeating it.

/// The longest stub in characters. Those of known agents have up to 140.
const MAX_STUB: usize = 400;

/// Words of which a stub has one of each group, in lower case: that nothing has changed, and since when or where the content is.
const UNCHANGED: &[&str] =
    &["unchanged", "not changed", "not been modified", "no changes", "hasn't changed", "identical"];
const EARLIER: &[&str] = &["since ", "earlier", "previous", "above", "last", "already", "before"];

/// Whether the result of a read says that the content is the one that an earlier read has shown, as some agents do instead
/// of repeating it.
pub fn is_stub(text: &str) -> bool {
    if text.char_indices().nth(MAX_STUB).is_some() {
        return false;
    }
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    has(UNCHANGED) && has(EARLIER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stubs_say_that_nothing_has_changed_since_an_earlier_read() {
        assert!(is_stub("File unchanged since last read."));
        assert!(is_stub("[The file has not been modified; its content is shown above.]"));
        assert!(!is_stub("unchanged = true"));
        assert!(!is_stub(&format!("unchanged since last read\n{}", "x\n".repeat(400))));
    }
}
