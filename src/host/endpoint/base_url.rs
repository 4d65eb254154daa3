//! The addresses of model servers.

use reqwest::Url;

/// The address of an interface of a server, from the base URL that a user writes.
///
/// The version `v1` is added if the path has none. A URL that ends with the interface itself is taken as it is.
pub(super) fn interface(base: &str, path: &str) -> Result<Url, String> {
    let mut url = Url::parse(base.trim()).map_err(|error| format!("the base URL is invalid: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("the base URL must begin with `https://` or `http://`".to_owned());
    }
    let has_more = !url.username().is_empty() || url.password().is_some();
    if has_more || url.query().is_some() || url.fragment().is_some() {
        return Err("the base URL must not contain a user, a password, `?` or `#`".to_owned());
    }
    let base = url.path().trim_end_matches('/').to_owned();
    let is_version = |segment: &str| {
        segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
    };
    let has_version = base.split('/').any(is_version);
    if !base.ends_with(&format!("/{path}")) {
        let version = if has_version { "" } else { "/v1" };
        url.set_path(&format!("{base}{version}/{path}"));
    } else if url.path() != base {
        url.set_path(&base);
    }
    Ok(url)
}

/// Whether the address is this machine, which no proxy is asked for.
pub(super) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_have_a_version_and_a_slash_at_its_end() {
        for base in ["https://a.b", "https://a.b/", "https://a.b/v1", "https://a.b/v1//", " https://a.b/v1/messages/ "]
        {
            assert_eq!(
                interface(base, "messages").map(String::from).as_deref(),
                Ok("https://a.b/v1/messages"),
                "{base}"
            );
        }
        for (base, expected) in [
            ("https://a.b/openai/", "https://a.b/openai/v1/chat/completions"),
            ("https://a.b/api/paas/v4", "https://a.b/api/paas/v4/chat/completions"),
            ("https://a.b/v1beta/openai/", "https://a.b/v1beta/openai/chat/completions"),
            ("http://[::1]:80/vllm", "http://[::1]/vllm/v1/chat/completions"),
        ] {
            assert_eq!(interface(base, "chat/completions").map(String::from).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_base_url_with_secrets_is_rejected_without_showing_them() {
        for base in ["https://u:secret@a.b", "https://a.b?key=secret", "secret", "file:///secret", "https://a.b#secret"]
        {
            let error = interface(base, "messages").expect_err(base);
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn loopback_addresses_are_local() {
        let local = |url: &str| is_local(&Url::parse(url).expect("a URL"));
        assert!(local("http://127.0.0.1:80") && local("http://[::1]/x") && local("http://localhost:1"));
        assert!(!local("http://localhost.example.org") && !local("https://10.0.0.1"));
    }
}
