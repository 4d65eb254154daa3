//! Paths as machines want them: with forward slashes, and percent-encoded as URI references.

use trimtab_base::source::up_to;

/// A path below the root as a relative one with forward slashes; any other path with forward slashes.
pub(super) fn path(name: &str, root: &str, windows: bool) -> String {
    let slashed = |text: &str| if windows { text.replace('\\', "/") } else { text.to_owned() };
    let (name, root) = (slashed(name), slashed(root));
    let below = name.strip_prefix(root.trim_end_matches('/')).filter(|_| !root.is_empty());
    let below = below.and_then(|rest| rest.strip_prefix('/'));
    let mut rest = below.unwrap_or(&name);
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    rest.to_owned()
}

/// A path as a URI reference: relative where the path is, else with the scheme `file`.
pub(super) fn reference(name: &str, root: &str, windows: bool) -> String {
    let path = path(name, root, windows);
    let mut letters = path.chars();
    let drive = windows && letters.next().is_some_and(|char| char.is_ascii_alphabetic()) && letters.next() == Some(':');
    if drive {
        return format!("file:///{}:{}", up_to(&path, 1), encode(&path.as_bytes()[2..]));
    }
    match path.strip_prefix("//") {
        Some(share) if windows => format!("file://{}", encode(share.as_bytes())),
        _ if path.starts_with('/') => format!("file://{}", encode(path.as_bytes())),
        _ => encode(path.as_bytes()),
    }
}

/// Percent-encodes the bytes that a path may not contain.
pub(super) fn encode(path: &[u8]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let encode = |&byte: &u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.iter().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_non_ascii_characters_are_percent_encoded() {
        assert_eq!(reference("my rules/größe #1.trim", "", false), "my%20rules/gr%C3%B6%C3%9Fe%20%231.trim");
        assert_eq!(reference("a:b%.trim", "", false), "a%3Ab%25.trim");
        assert_eq!(reference("<stdin>", "", false), "%3Cstdin%3E");
        assert_eq!(encode(b"caf\xe9.trim"), "caf%E9.trim");
    }

    #[test]
    fn paths_below_the_root_are_relative_and_others_are_file_uris() {
        assert_eq!(reference("/home/me/p/a.trim", "/home/me", false), "p/a.trim");
        assert_eq!(reference("/home/meadow/a.trim", "/home/me", false), "file:///home/meadow/a.trim");
        assert_eq!(reference("././a.trim", "/home/me", false), "a.trim");
        assert_eq!(reference("../a.trim", "/home/me", false), "../a.trim");
    }

    #[test]
    fn windows_paths_get_forward_slashes() {
        assert_eq!(reference(r"policies\sub\a b.trim", "", true), "policies/sub/a%20b.trim");
        assert_eq!(reference(r"C:\work\a b.trim", "", true), "file:///C:/work/a%20b.trim");
        assert_eq!(reference(r"C:\work\a.trim", r"C:\work", true), "a.trim");
        assert_eq!(reference(r"\\host\share\a.trim", "", true), "file://host/share/a.trim");
        assert_eq!(path(r"a\b.trim", "", false), r"a\b.trim");
    }
}
