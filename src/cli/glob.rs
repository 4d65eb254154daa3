//! Globs of paths, on the command line and in settings.

use std::path::Path;

use globset::{GlobBuilder, GlobSet};

/// The bytes that a glob may have.
const MAX_BYTES: usize = 4_096;

/// The opening braces that a glob may have, which are compiled by recursion: they nest no deeper than this.
const MAX_BRACES: usize = 64;

/// A glob whose `*` and `?` do not match `/`.
#[derive(Clone, Debug)]
pub(super) struct PathGlob(GlobSet);

impl PathGlob {
    /// Compiles a glob.
    ///
    /// # Errors
    ///
    /// The problem and the glob, if it is invalid or exceeds a limit.
    pub(super) fn new(glob: &str) -> Result<Self, String> {
        let fail = |reason: String| format!("invalid glob `{}`: {reason}", shown(glob));
        check_limits(glob).map_err(fail)?;
        let compiled = GlobBuilder::new(glob).literal_separator(true).build();
        // A set reports a regular expression that is too large; `compile_matcher` panics.
        let set = compiled.and_then(|glob| GlobSet::builder().add(glob).build());
        set.map(Self).map_err(|error| fail(error.kind().to_string()))
    }

    /// Whether a path matches.
    pub(super) fn is_match(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

fn check_limits(glob: &str) -> Result<(), String> {
    if glob.len() > MAX_BYTES {
        return Err(format!("it has {} bytes, and at most {MAX_BYTES} are supported", glob.len()));
    }
    let braces = glob.bytes().filter(|byte| *byte == b'{').count();
    if braces > MAX_BRACES {
        return Err(format!("it has {braces} opening braces, and at most {MAX_BRACES} are supported"));
    }
    Ok(())
}

/// The beginning of a glob, for messages.
fn shown(glob: &str) -> String {
    const MAX_SHOWN: usize = 60;
    match glob.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", glob.get(..end).unwrap_or_default()),
        None => glob.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(glob: &str) -> String {
        PathGlob::new(glob).expect_err("refused")
    }

    fn nested(levels: usize) -> String {
        format!("{}a{}", "{".repeat(levels), "}".repeat(levels))
    }

    #[test]
    fn limits_are_named_with_the_beginning_of_the_glob() {
        assert!(PathGlob::new(&nested(MAX_BRACES)).expect("allowed").is_match(Path::new("a")));
        let expected =
            format!("invalid glob `{}…`: it has 250 opening braces, and at most 64 are supported", "{".repeat(60));
        assert_eq!(error(&nested(250)), expected);
        assert!(error(&"*".repeat(MAX_BYTES + 1)).ends_with("it has 4097 bytes, and at most 4096 are supported"));
    }

    proptest! {
        #[test]
        fn no_glob_panics(
            pieces in prop::collection::vec((r"[{},*?!\[\]a-b/\\-]{1,4}|\{a,b\}|\[!é-ü\]|\*\*/|\{{1,9}", 1..400_usize), 0..8),
        ) {
            let glob: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            if let Ok(glob) = PathGlob::new(&glob) {
                glob.is_match(Path::new("a/b/ü"));
            }
        }
    }
}
