//! The tokenizers that their vendors have published. Only builds with the feature `exact` contain them, and the unit tests.

#[cfg(any(test, feature = "exact"))]
mod merge;
#[cfg(any(test, feature = "exact"))]
mod split;
#[cfg(any(test, feature = "exact"))]
mod table;

use super::Models;

/// A published tokenizer that this build contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// The tokenizer of OpenAI's models from GPT-4o on.
    #[cfg(any(test, feature = "exact"))]
    O200k,
    /// The tokenizer of OpenAI's earlier chat models.
    #[cfg(any(test, feature = "exact"))]
    Cl100k,
}

/// Why there is no tokenizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenizerError {
    /// The model is unknown.
    UnknownModel,
    /// The vendor of this model has not published a tokenizer.
    Unpublished(String),
    /// The build has none.
    NotInBuild,
}

impl std::fmt::Display for TokenizerError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let estimate = "`--tokens estimate` counts without one";
        match self {
            Self::UnknownModel => {
                write!(formatter, "the model is unknown, and so is its tokenizer: set it with `--model ID`; {estimate}")
            }
            Self::Unpublished(model) => write!(formatter, "the tokenizer of `{model}` is not published; {estimate}"),
            Self::NotInBuild => {
                write!(formatter, "this build has no tokenizers: install Trimtab with the feature `exact`; {estimate}")
            }
        }
    }
}

impl std::error::Error for TokenizerError {}

impl Tokenizer {
    /// Whether the build contains tokenizers.
    pub const fn is_in_build() -> bool {
        cfg!(any(test, feature = "exact"))
    }

    /// The tokenizer of a model.
    ///
    /// # Errors
    /// The model is unknown, its tokenizer is not published, or the build has none.
    pub fn of(model: Option<&str>, models: &Models) -> Result<Self, TokenizerError> {
        let id = model.ok_or(TokenizerError::UnknownModel)?;
        let model = models.find(id).ok_or(TokenizerError::UnknownModel)?;
        let name = model.tokenizer.ok_or_else(|| TokenizerError::Unpublished(id.to_owned()))?;
        Self::named(name)
    }

    #[cfg(any(test, feature = "exact"))]
    fn named(name: &str) -> Result<Self, TokenizerError> {
        match name {
            "o200k" => Ok(Self::O200k),
            "cl100k" => Ok(Self::Cl100k),
            _ => Err(TokenizerError::NotInBuild),
        }
    }

    #[cfg(not(any(test, feature = "exact")))]
    const fn named(_: &str) -> Result<Self, TokenizerError> {
        Err(TokenizerError::NotInBuild)
    }

    /// Counts the tokens of a text.
    #[cfg(any(test, feature = "exact"))]
    pub fn count(self, text: &str) -> u64 {
        table::count(self, text)
    }

    /// Counts the tokens of a text.
    #[cfg(not(any(test, feature = "exact")))]
    pub const fn count(self, _: &str) -> u64 {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_published_tokenizer_the_reason_is_stated() {
        let models = Models::default();
        assert_eq!(Tokenizer::of(None, &models), Err(TokenizerError::UnknownModel));
        assert_eq!(Tokenizer::of(Some("my-own"), &models), Err(TokenizerError::UnknownModel));
        let claude = Tokenizer::of(Some("claude-opus-4-6"), &models);
        assert_eq!(claude, Err(TokenizerError::Unpublished("claude-opus-4-6".to_owned())));
        assert_eq!(Tokenizer::named("a later one"), Err(TokenizerError::NotInBuild));
    }

    #[test]
    fn every_tokenizer_in_the_table_of_models_is_in_the_build() {
        for name in super::super::all().filter_map(|model| model.tokenizer) {
            assert!(Tokenizer::named(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_text_has_as_many_tokens_as_its_vendor_counts() {
        let text = "The quick brown fox jumps over the lazy dog, and nobody in the quiet village seems to mind at all.";
        let counts =
            || [Tokenizer::O200k.count(text), Tokenizer::O200k.count("hello"), Tokenizer::Cl100k.count("hello")];
        assert_eq!(counts(), [22, 1, 1]);
        assert_eq!(counts(), [22, 1, 1], "remembered");
    }
}
