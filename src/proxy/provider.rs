//! The providers whose interfaces clients call through the proxy.

use hyper::HeaderMap;
use trimtab_live::request::Dialect;

/// A provider.
#[derive(Debug)]
pub struct Provider {
    /// Its name in `--upstream`, and the first folder of paths that name it.
    pub name: &'static str,
    /// Its public address.
    pub url: &'static str,
    /// The versions that its paths begin with, the usual one first. Clients may leave it out.
    pub versions: &'static [&'static str],
    /// Whether clients write the version in an address with a path. It is not added to such an address then.
    pub(super) has_version_in_address: bool,
    /// The interfaces whose requests can be edited.
    pub interfaces: &'static [Interface],
    /// Paths besides its interfaces that only its clients ask for.
    pub(super) paths: &'static [&'static str],
    /// Headers that only requests for it have.
    headers: &'static [&'static str],
    /// Whether it gets the requests that neither their path nor their headers assign to a provider. One provider does.
    is_fallback: bool,
}

/// An interface of a provider.
#[derive(Debug)]
pub struct Interface {
    /// The path below the version. `{model}` stands for the name of a model.
    pub path: &'static str,
    /// The form of its requests.
    pub dialect: Dialect,
}

/// The API that the path of a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ApiEndpoint {
    pub(super) dialect: Dialect,
    /// The model, if the path names one.
    pub(super) model: Option<String>,
}

/// The providers, in the order of the help.
pub static PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        url: "https://api.anthropic.com",
        versions: &["v1"],
        has_version_in_address: false,
        interfaces: &[Interface { path: "messages", dialect: Dialect::Anthropic }],
        // With this, Claude Code warms up the connection.
        paths: &["api/hello"],
        headers: &["anthropic-version", "anthropic-beta"],
        is_fallback: false,
    },
    Provider {
        name: "openai",
        url: "https://api.openai.com",
        versions: &["v1"],
        has_version_in_address: true,
        interfaces: &[
            Interface { path: "chat/completions", dialect: Dialect::OpenAiChat },
            Interface { path: "responses", dialect: Dialect::OpenAiResponses },
        ],
        paths: &[],
        headers: &["openai-beta", "openai-organization", "openai-project"],
        is_fallback: true,
    },
    Provider {
        name: "gemini",
        url: "https://generativelanguage.googleapis.com",
        versions: &["v1beta", "v1"],
        has_version_in_address: false,
        interfaces: &[
            Interface { path: "models/{model}:generateContent", dialect: Dialect::Gemini },
            Interface { path: "models/{model}:streamGenerateContent", dialect: Dialect::Gemini },
        ],
        paths: &[],
        headers: &["x-goog-api-key", "x-goog-api-client"],
        is_fallback: false,
    },
];

impl Provider {
    /// The provider of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// The provider of requests that neither their path nor their headers assign to one.
    pub(super) fn fallback() -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.is_fallback)
    }

    /// Whether the headers of a request are of this provider alone.
    pub(super) fn is_named_by(&self, headers: &HeaderMap) -> bool {
        self.headers.iter().any(|name| headers.contains_key(*name))
    }

    /// The interface of a path below the version.
    pub(super) fn addressed(&self, path: &str) -> Option<ApiEndpoint> {
        self.interfaces.iter().find_map(|interface| interface.addressed(path))
    }

    /// A path in its version, if it names one, and what is below it.
    pub(super) fn split_version<'p>(&self, path: &'p str) -> (Option<&'static str>, &'p str) {
        let below = |version: &&'static str| Some((Some(*version), path.strip_prefix(version)?.strip_prefix('/')?));
        self.versions.iter().find_map(below).unwrap_or((None, path))
    }
}

impl Interface {
    /// None if the path is not of this interface.
    fn addressed(&self, path: &str) -> Option<ApiEndpoint> {
        let model = match self.path.split_once("{model}") {
            None if self.path == path => None,
            None => return None,
            Some((before, after)) => {
                let model = path.strip_prefix(before)?.strip_suffix(after)?;
                Some(model.to_owned()).filter(|model| !model.is_empty() && !model.contains('/'))
            }
        };
        Some(ApiEndpoint { dialect: self.dialect, model })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_provider_gets_the_requests_that_nothing_assigns() {
        let all = PROVIDERS.iter().filter(|provider| provider.is_fallback).map(|provider| provider.name);
        assert_eq!(all.collect::<Vec<_>>(), ["openai"]);
    }
}
