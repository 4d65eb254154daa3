//! The interfaces of model servers that write summaries.
//!
//! A dialect is one file with an `EndpointForm`, and here its `mod`, its variant and its row in the list. A build that
//! cannot call servers has only the names, so that it can say so.

#[cfg(feature = "http")]
mod anthropic;
#[cfg(feature = "http")]
mod content;
#[cfg(feature = "http")]
mod form;
#[cfg(feature = "http")]
mod openai;
#[cfg(feature = "http")]
pub(super) mod server_error;

#[cfg(feature = "http")]
pub(super) use self::form::EndpointForm;

/// The interface that a model server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointDialect {
    /// `POST /v1/chat/completions`, as OpenAI defines it and many servers offer it.
    OpenAi,
    /// `POST /v1/messages`, as Anthropic defines it.
    Anthropic,
}

/// Lists the dialects with their names and modules, so that none is left out of a list.
macro_rules! dialects {
    ($($dialect:ident $name:literal: $module:ident),* $(,)?) => {
        impl EndpointDialect {
            /// All dialects.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$dialect),*];

            /// The name in `--summariser NAME:MODEL`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$dialect => $name,)*
                }
            }

            /// How the dialect is written and read.
            #[cfg(feature = "http")]
            pub(super) const fn form(self) -> &'static EndpointForm {
                match self {
                    $(Self::$dialect => &$module::FORM,)*
                }
            }
        }
    };
}

dialects! {
    OpenAi "openai": openai,
    Anthropic "anthropic": anthropic,
}

impl EndpointDialect {
    /// The dialect of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

#[cfg(feature = "http")]
impl EndpointDialect {
    /// The base URL of the server that defines the interface.
    pub const fn base_url(self) -> &'static str {
        self.form().base_url
    }

    /// The environment variable that usually contains the key for that server.
    pub const fn key_variable(self) -> &'static str {
        self.form().key_variable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_found_by_its_name() {
        assert_eq!(EndpointDialect::ALL.map(EndpointDialect::name), ["openai", "anthropic"]);
        for dialect in EndpointDialect::ALL {
            assert_eq!(EndpointDialect::named(dialect.name()), Some(dialect));
        }
        assert_eq!(EndpointDialect::named("OpenAI"), None);
    }
}
