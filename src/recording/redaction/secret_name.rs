//! Names whose values are secret, such as `password` and `DB_PASS`.

/// How surely the value of a name is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretName {
    /// The value is secret unless it is a placeholder or code.
    Sure,
    /// The name has other meanings too, so a plain word is taken for one of them.
    Likely,
}

/// The ends of names of secrets, without separators.
const SURE: &[&str] = &[
    "accesskey",
    "accesstoken",
    "accountkey",
    "apikey",
    "apitoken",
    "authkey",
    "authorization",
    "authtoken",
    "encryptionkey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessiontoken",
    "sharedkey",
    "signingkey",
];

/// The last words of other names of secrets.
const LIKELY: &[&str] =
    &["authtoken", "cvc", "cvv", "otp", "pass", "pin", "pw", "pwd", "sig", "signature", "ssn", "token"];

/// Whether the value of this name is secret, and how surely; none for other names.
pub(super) fn secret_name(name: &str) -> Option<SecretName> {
    let name = name.trim_matches(|char: char| !char.is_alphanumeric());
    let joined: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let single = joined.strip_suffix('s').unwrap_or(&joined);
    if SURE.iter().any(|end| joined.ends_with(end) || single.ends_with(end)) {
        return Some(SecretName::Sure);
    }
    LIKELY.contains(&last_word(name).as_str()).then_some(SecretName::Likely)
}

/// The last word of a name in `snake_case`, `kebab-case` or `camelCase`, in lower case.
fn last_word(name: &str) -> String {
    let separated = name.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let chars: Vec<(usize, char)> = separated.char_indices().collect();
    let hump = chars.windows(2).rev().find(|pair| pair[0].1.is_lowercase() && pair[1].1.is_uppercase());
    let word = hump.and_then(|pair| separated.get(pair[1].0..)).unwrap_or(separated);
    word.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognised_in_every_case_style() {
        for name in ["password", "DB_PASSWORD", "accessToken", "x-api-key", "AccountKey", "apiKeys", "Authorization"] {
            assert_eq!(secret_name(name), Some(SecretName::Sure), "{name}");
        }
        for name in ["token", "DB_PASS", "nextToken", "pin", "--pw"] {
            assert_eq!(secret_name(name), Some(SecretName::Likely), "{name}");
        }
        for name in ["tokens", "max_tokens", "compass", "spin", "key", "user", ""] {
            assert_eq!(secret_name(name), None, "{name}");
        }
    }
}
