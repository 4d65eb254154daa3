//! Names of tools in policies. A name that ends in `*` stands for all tools whose names begin with the rest.

/// Whether a pattern matches everything that another one matches.
pub fn covers(pattern: &str, other: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => other.trim_end_matches('*').starts_with(prefix),
        None => pattern == other,
    }
}

/// Whether some tool is matched by both patterns.
pub fn overlap(pattern: &str, other: &str) -> bool {
    covers(pattern, other) || covers(other, pattern)
}

/// Whether one of several patterns matches a tool.
pub fn any_matches<'a>(patterns: impl IntoIterator<Item = &'a str>, tool: &str) -> bool {
    patterns.into_iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(prefix) => tool.starts_with(prefix),
        None => tool == pattern,
    })
}
