//! The files of a patch.

/// The starts of the lines in patches that name a file.
const PATCH_LINES: &[&str] =
    &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"];

/// The files that the lines of a patch name, in order, with repetitions. A text that is no patch has none.
pub fn patched_files(text: &str) -> impl Iterator<Item = &str> {
    let file = |line| PATCH_LINES.iter().find_map(|start| str::strip_prefix(line, start));
    text.lines().filter_map(file).map(str::trim)
}
