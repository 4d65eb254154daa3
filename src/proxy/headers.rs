//! Which headers are forwarded, and which requests are answered at all.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Headers with this prefix are for the proxy.
const OWN_PREFIX: &str = "x-trimtab";
/// The header with the token that `--token-file` asks for.
const TOKEN: &str = "x-trimtab-token";

/// Headers that are about one connection.
static HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is for another host: a page that a browser shows may have sent it here.
    Host,
    /// A page of another site has sent it.
    Origin,
    /// It lacks the token.
    Token,
}

/// Who may send requests.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) address: SocketAddr,
    /// What each request must have in the header `x-trimtab-token`.
    pub(super) token: Option<String>,
}

impl Access {
    /// Why a request with these headers is not answered, if it is not.
    pub(super) fn refusal(&self, headers: &HeaderMap) -> Option<Refusal> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(&header::HOST);
        if let Some(token) = &self.token {
            let given = headers.get(TOKEN).map(HeaderValue::as_bytes);
            if !given.is_some_and(|given| is_equal(given, token.as_bytes())) {
                return Some(Refusal::Token);
            }
        } else if !host.is_some_and(|host| self.is_own(host)) {
            return Some(Refusal::Host);
        }
        let is_own_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(|origin| Some(origin) == host);
        let is_foreign = headers.get(header::ORIGIN).is_some() && !text(&header::ORIGIN).is_some_and(is_own_origin);
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        (is_foreign || site.is_some_and(|site| !matches!(site, "same-origin" | "none"))).then_some(Refusal::Origin)
    }

    /// Whether a `host` header names this machine, so that no other site's name leads here.
    fn is_own(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.chars().all(|char| char.is_ascii_digit()) => name,
            _ => host,
        };
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        name.eq_ignore_ascii_case("localhost")
            || address.is_ok_and(|address| address.is_loopback() || address == self.address.ip())
    }
}

/// Whether two texts are equal, in a time that tells nothing about where they differ.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

/// The headers that are forwarded. The length is that of the body that is sent.
pub(super) fn forwarded(headers: &HeaderMap) -> HeaderMap {
    let mut forwarded = without_hop_by_hop(headers);
    for name in [header::HOST, header::CONTENT_LENGTH, header::EXPECT] {
        forwarded.remove(name);
    }
    let own: Vec<HeaderName> = forwarded.keys().filter(|name| name.as_str().starts_with(OWN_PREFIX)).cloned().collect();
    for name in own {
        forwarded.remove(name);
    }
    forwarded
}

/// The headers without those that are about one connection.
pub(super) fn without_hop_by_hop(headers: &HeaderMap) -> HeaderMap {
    let listed = headers.get_all(header::CONNECTION);
    let listed = listed.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let listed: Vec<String> = listed.map(|name| name.trim().to_ascii_lowercase()).collect();
    let mut kept = headers.clone();
    for name in HOP_BY_HOP {
        kept.remove(*name);
    }
    for name in listed {
        kept.remove(name.as_str());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        all.iter().map(pair).collect()
    }

    fn access(token: Option<&str>) -> Access {
        Access { address: SocketAddr::from(([127, 0, 0, 1], 7077)), token: token.map(str::to_owned) }
    }

    #[test]
    fn only_requests_for_this_machine_are_answered() {
        for host in ["127.0.0.1:7077", "localhost", "LOCALHOST:1", "[::1]:7077"] {
            assert_eq!(access(None).refusal(&headers(&[("host", host)])), None, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:7077", "10.0.0.1", ""] {
            assert_eq!(access(None).refusal(&headers(&[("host", host)])), Some(Refusal::Host), "{host}");
        }
        assert_eq!(access(None).refusal(&headers(&[])), Some(Refusal::Host));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let refusal = |name, value| access(None).refusal(&headers(&[("host", "localhost:7077"), (name, value)]));
        assert_eq!(refusal("origin", "http://localhost:7077"), None);
        for origin in ["http://evil.example", "null", "https://localhost:7077", "http://localhost:80"] {
            assert_eq!(refusal("origin", origin), Some(Refusal::Origin), "{origin}");
        }
        assert_eq!(refusal("sec-fetch-site", "cross-site"), Some(Refusal::Origin));
        assert_eq!(refusal("sec-fetch-site", "same-origin"), None);
    }

    #[test]
    fn a_token_lets_other_machines_in() {
        let refusal = |all| access(Some("secret")).refusal(&headers(all));
        assert_eq!(refusal(&[("host", "10.0.0.1"), ("x-trimtab-token", "secret")]), None);
        assert_eq!(refusal(&[("host", "10.0.0.1"), ("x-trimtab-token", "secrex")]), Some(Refusal::Token));
        assert_eq!(refusal(&[("host", "localhost")]), Some(Refusal::Token));
    }

    #[test]
    fn what_is_about_the_connection_or_for_the_proxy_is_not_sent_on() {
        let given = headers(&[
            ("host", "localhost"),
            ("connection", "close, x-private"),
            ("x-private", "1"),
            ("transfer-encoding", "chunked"),
            ("x-trimtab-token", "secret"),
            ("x-trimtab", "off"),
            ("x-api-key", "key"),
            ("accept-encoding", "gzip"),
        ]);
        assert_eq!(forwarded(&given), headers(&[("x-api-key", "key"), ("accept-encoding", "gzip")]));
    }
}
