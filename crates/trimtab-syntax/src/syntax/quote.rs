//! Writes texts as literals of policy text.

/// A text without interpolations: in quotes, or as a block if it has several lines that a block can represent.
pub fn literal(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_blank = |line: &&str| !line.is_empty() && line.trim().is_empty();
    let is_odd = text.contains(['\r', '\\']) || text.contains("\"\"\"") || lines.iter().any(is_blank);
    if lines.len() > 1 && !is_odd && !text.starts_with('\n') && !text.ends_with(['"', '\n', ' ']) {
        return format!("\"\"\"\n{text}\n\"\"\"");
    }
    quoted(text)
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A text with escape sequences, as inside quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char => out.push(char),
        }
    }
    out
}
