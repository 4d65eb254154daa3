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
    /// The version that its paths begin with, which clients may leave out.
    pub version: &'static str,
    /// Whether clients write the version in an address with a path. It is not added to such an address then.
    pub(super) has_version_in_address: bool,
    /// The interfaces whose requests can be edited: the path below the version, and the dialect.
    pub interfaces: &'static [(&'static str, Dialect)],
    /// Headers that only requests for it have.
    headers: &'static [&'static str],
}

/// The providers, in the order of the help.
pub static PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        url: "https://api.anthropic.com",
        version: "v1",
        has_version_in_address: false,
        interfaces: &[("messages", Dialect::Anthropic)],
        headers: &["anthropic-version", "anthropic-beta"],
    },
    Provider {
        name: "openai",
        url: "https://api.openai.com",
        version: "v1",
        has_version_in_address: true,
        interfaces: &[("chat/completions", Dialect::OpenAiChat), ("responses", Dialect::OpenAiResponses)],
        headers: &["openai-beta", "openai-organization", "openai-project"],
    },
    Provider {
        name: "gemini",
        url: "https://generativelanguage.googleapis.com",
        version: "v1beta",
        has_version_in_address: false,
        interfaces: &[],
        headers: &["x-goog-api-key", "x-goog-api-client"],
    },
];

impl Provider {
    /// The provider of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Whether the headers of a request are of this provider alone.
    pub(super) fn is_named_by(&self, headers: &HeaderMap) -> bool {
        self.headers.iter().any(|name| headers.contains_key(*name))
    }

    /// The dialect of a path below the version.
    pub(super) fn dialect(&self, path: &str) -> Option<Dialect> {
        self.interfaces.iter().find(|(interface, _)| *interface == path).map(|(_, dialect)| *dialect)
    }
}
