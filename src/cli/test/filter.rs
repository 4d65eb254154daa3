//! Which tests run, and in which order.

use regex::Regex;

/// A choice of tests by their names.
#[derive(Clone, Debug)]
pub(super) enum TestFilter {
    /// Names that hold this text.
    Text(String),
    /// Names that match.
    Pattern(Regex),
}

impl TestFilter {
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => name.contains(text.as_str()),
            Self::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// `/…/` is a regular expression, all else a text.
pub(super) fn parse(text: &str) -> Result<TestFilter, String> {
    match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        Some(pattern) => Regex::new(pattern).map(TestFilter::Pattern).map_err(|error| error.to_string()),
        None => Ok(TestFilter::Text(text.to_owned())),
    }
}

/// A seed; `any` is one that differs from run to run.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    if text != "any" {
        return text.parse().map_err(|_| "a whole number".to_owned());
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // Few digits are easier to type again.
    Ok(now.map_or(1, |now| now.as_millis() % 1_000_000).try_into().unwrap_or(1))
}
