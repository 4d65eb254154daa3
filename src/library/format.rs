//! The layout of policy files.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, SourceId};
use trimtab_syntax::format::{self, FormatError};

/// The text of a policy file in the layout of `trimtab fmt`, with the same meaning and the same comments.
///
/// # Errors
/// The syntax errors of the text, in their order.
pub fn format(name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let source = Source::new(SourceId(0), name, text);
    match format::format_source(&source) {
        Ok(text) => Ok(text),
        Err(FormatError::SyntaxErrors(found)) => Err(found),
        // What would change the policy is left as it is.
        Err(FormatError::Changed(_)) => Ok(text.to_owned()),
    }
}
