//! Where requests go: only to the addresses that were configured, whatever a request says.

use std::fmt;

use hyper::{HeaderMap, Method};
use reqwest::Url;

use super::provider::{ApiEndpoint, PROVIDERS, Provider};

/// The address of each provider.
#[derive(Clone, Debug)]
pub struct Upstreams(Vec<(&'static Provider, Url)>);

/// Why an address cannot be that of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamError(String);

impl fmt::Display for UpstreamError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for UpstreamError {}

/// Where one request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestTarget {
    pub(super) url: Url,
    /// The interface of a request that can be edited.
    pub(super) interface: Option<ApiEndpoint>,
}

/// A path that is not forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnsafePath;

impl Default for Upstreams {
    fn default() -> Self {
        Self(PROVIDERS.iter().filter_map(|provider| Some((provider, Url::parse(provider.url).ok()?))).collect())
    }
}

impl Upstreams {
    /// Sends the requests for a provider to another address.
    ///
    /// # Errors
    /// The address is not one of a server, or it contains a user, a query or a fragment.
    pub fn set(&mut self, provider: &'static Provider, address: &str) -> Result<(), UpstreamError> {
        let invalid = |reason: &str| UpstreamError(format!("the address of {} {reason}", provider.name));
        let url = Url::parse(address.trim()).map_err(|error| invalid(&format!("is invalid: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(invalid("must begin with `https://` or `http://`"));
        }
        let has_more = !url.username().is_empty() || url.password().is_some();
        if has_more || url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("must not contain a user, a password, `?` or `#`"));
        }
        self.0.retain(|(other, _)| other.name != provider.name);
        self.0.push((provider, url));
        Ok(())
    }

    /// The addresses, each with the name of its provider.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Url)> {
        self.0.iter().map(|(provider, url)| (provider.name, url))
    }

    /// Where a request with this path and query goes.
    pub(super) fn target(
        &self,
        method: &Method,
        path: &str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<RequestTarget, UnsafePath> {
        if !is_safe(path) {
            return Err(UnsafePath);
        }
        let path = path.trim_start_matches('/');
        let (named, path) = match path.split_once('/').unwrap_or((path, "")) {
            (first, rest) if Provider::named(first).is_some() => (Provider::named(first), rest),
            _ => (None, path),
        };
        let of_interface =
            || PROVIDERS.iter().find(|provider| provider.addressed(provider.split_version(path).1).is_some());
        let of_path = || PROVIDERS.iter().find(|provider| provider.paths.contains(&path));
        let of_headers = || PROVIDERS.iter().find(|provider| provider.is_named_by(headers));
        let of_version =
            || PROVIDERS.iter().find(|provider| path.starts_with(&format!("{}/models/", provider.versions[0])));
        let provider = named.or_else(of_interface).or_else(of_path).or_else(of_headers).or_else(of_version);
        let provider = provider.or_else(Provider::fallback).ok_or(UnsafePath)?;
        let (_, base) = self.0.iter().find(|(other, _)| other.name == provider.name).ok_or(UnsafePath)?;
        let (version, below) = provider.split_version(path);
        let interface = provider.addressed(below).filter(|_| method == Method::POST);
        let base_path = base.path().trim_end_matches('/');
        let has_version = base_path.rsplit('/').next().is_some_and(is_version)
            || provider.has_version_in_address && !base_path.is_empty();
        let path = match (has_version, provider.addressed(below).is_some()) {
            (true, _) => below.to_owned(),
            (false, true) => format!("{}/{below}", version.unwrap_or(provider.versions[0])),
            (false, false) => path.to_owned(),
        };
        let mut url = base.clone();
        url.set_path(&format!("{base_path}/{path}"));
        url.set_query(query);
        let is_same_server = url.origin() == base.origin() && url.path().starts_with(base_path);
        if is_same_server { Ok(RequestTarget { url, interface }) } else { Err(UnsafePath) }
    }
}

/// A segment such as `v1` or `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

/// Whether a path means the same to every server: it goes up nowhere, also not in an encoded form.
fn is_safe(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let is_plain = path.starts_with('/') && !path.contains('\\') && !path.chars().any(char::is_control);
    let hides = ["%2f", "%5c", "%00"].iter().any(|code| lower.contains(code));
    let goes_up = |segment: &str| matches!(segment.replace("%2e", ".").as_str(), "." | "..");
    is_plain && !hides && !lower.split('/').any(goes_up)
}

#[cfg(test)]
mod tests {
    use trimtab_live::request::Dialect;

    use super::*;

    fn target(upstreams: &Upstreams, path: &str) -> Result<(String, Option<Dialect>), UnsafePath> {
        let target = upstreams.target(&Method::POST, path, None, &HeaderMap::new())?;
        Ok((target.url.to_string(), target.interface.map(|interface| interface.dialect)))
    }

    #[test]
    fn interfaces_are_found_with_and_without_version_and_provider() {
        let upstreams = Upstreams::default();
        let messages = ("https://api.anthropic.com/v1/messages".to_owned(), Some(Dialect::Anthropic));
        for path in ["/v1/messages", "/messages", "/anthropic/v1/messages", "/anthropic/messages"] {
            assert_eq!(target(&upstreams, path), Ok(messages.clone()), "{path}");
        }
        let chat = ("https://api.openai.com/v1/chat/completions".to_owned(), Some(Dialect::OpenAiChat));
        for path in ["/v1/chat/completions", "/chat/completions", "/openai/v1/chat/completions"] {
            assert_eq!(target(&upstreams, path), Ok(chat.clone()), "{path}");
        }
        let other = target(&upstreams, "/anthropic/v1/messages/count_tokens");
        assert_eq!(other, Ok(("https://api.anthropic.com/v1/messages/count_tokens".to_owned(), None)));
        for path in ["/api/hello", "/anthropic/api/hello"] {
            let hello = target(&upstreams, path);
            assert_eq!(hello, Ok(("https://api.anthropic.com/api/hello".to_owned(), None)), "{path}");
        }
        let base = "https://generativelanguage.googleapis.com";
        for (path, expected) in [
            ("/v1beta/models/gemini-3-pro:generateContent", "v1beta/models/gemini-3-pro:generateContent"),
            ("/gemini/models/m:streamGenerateContent", "v1beta/models/m:streamGenerateContent"),
            ("/gemini/v1/models/m:generateContent", "v1/models/m:generateContent"),
        ] {
            assert_eq!(target(&upstreams, path), Ok((format!("{base}/{expected}"), Some(Dialect::Gemini))), "{path}");
        }
        let counted = target(&upstreams, "/v1beta/models/gemini-3-pro:countTokens");
        assert_eq!(counted, Ok((format!("{base}/v1beta/models/gemini-3-pro:countTokens"), None)));
        let target = upstreams.target(&Method::POST, "/v1beta/models/m:generateContent", None, &HeaderMap::new());
        let expected = ApiEndpoint { dialect: Dialect::Gemini, model: Some("m".to_owned()) };
        assert_eq!(target.expect("a path").interface, Some(expected));
    }

    #[test]
    fn an_address_may_have_a_path_and_a_version() {
        let mut upstreams = Upstreams::default();
        let openai = Provider::named("openai").expect("a provider");
        for (address, expected) in [
            ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/responses"),
            ("http://127.0.0.1:9/a/b/", "http://127.0.0.1:9/a/b/responses"),
            ("http://127.0.0.1:9", "http://127.0.0.1:9/v1/responses"),
        ] {
            upstreams.set(openai, address).expect("an address");
            assert_eq!(target(&upstreams, "/v1/responses").map(|(url, _)| url).as_deref(), Ok(expected));
        }
        for address in ["ftp://a", "x", "http://u:p@a", "http://a/?q", "http://a/#f"] {
            assert!(upstreams.set(openai, address).is_err(), "{address}");
        }
    }

    #[test]
    fn no_path_leaves_the_address_of_its_provider() {
        let mut upstreams = Upstreams::default();
        let openai = Provider::named("openai").expect("a provider");
        upstreams.set(openai, "http://127.0.0.1:9/tenant/v1").expect("an address");
        for path in [
            "/openai/v1/../../x",
            "/openai/%2e%2e/x",
            "/openai/..%2fx",
            "/openai/%2E./x",
            "/openai/a\\..\\b",
            "/openai/./x",
            "/openai/a%5c..%5cb",
            "*",
            "",
            "http://evil/",
        ] {
            assert_eq!(target(&upstreams, path), Err(UnsafePath), "{path}");
        }
        for path in
            ["/openai//evil.example/x", "//evil.example/v1/responses", "/openai/@evil.example", "/openai/:80@evil"]
        {
            let (url, _) = target(&upstreams, path).expect("a path on the same server");
            assert!(
                url.starts_with("http://127.0.0.1:9/tenant/v1/") || url.starts_with("http://127.0.0.1:9/"),
                "{url}"
            );
        }
    }
}
