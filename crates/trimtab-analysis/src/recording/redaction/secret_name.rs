//! Names whose values are secret, such as `password` and `DB_PASS`.

/// How surely the value of a name is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretName {
    /// The name mostly has other meanings: only a random value is secret.
    Possible,
    /// The name has other meanings too, so a plain word is taken for one of them.
    Likely,
    /// The value is secret unless it is a placeholder or code.
    Sure,
}

/// The ends of names of secrets, without separators.
const SURE: &[&str] = &[
    "accesskey",
    "accesstoken",
    "accountkey",
    "apikey",
    "apisecret",
    "apitoken",
    "authkey",
    "authorization",
    "authtoken",
    "clientkey",
    "encryptionkey",
    "keypass",
    "masterkey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwort",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessiontoken",
    "sharedkey",
    "signingkey",
    "storepass",
];

/// The last words of other names of secrets.
const LIKELY: &[&str] =
    &["authtoken", "cvc", "cvv", "otp", "pass", "pin", "pw", "pwd", "sig", "signature", "ssn", "token"];

/// Those of them that are short for a password. In a variable of the environment, such as `DB_PASS`, they mean nothing else.
const PASSWORDS: &[&str] = &["pass", "pw", "pwd"];

/// The last words of names whose values are secret if they are random.
const POSSIBLE: &[&str] = &["auth", "credential", "credentials", "creds", "key", "pat", "salt"];

/// Words after a name of a secret, as in `SECRET_KEY_BASE`, that leave it one.
const SUFFIXES: &[&str] = &[
    "b64",
    "base",
    "base64",
    "current",
    "default",
    "dev",
    "development",
    "live",
    "main",
    "new",
    "old",
    "plain",
    "plaintext",
    "previous",
    "primary",
    "prod",
    "production",
    "raw",
    "secondary",
    "staging",
    "str",
    "string",
    "test",
    "text",
    "val",
    "value",
];

/// The most suffixes of a name.
const MAX_SUFFIXES: usize = 3;

/// Returns whether the value of this name is secret, and how surely, or `None` for other names.
pub(super) fn secret_name(name: &str) -> Option<SecretName> {
    let mut name = name.trim_matches(|char: char| !char.is_alphanumeric());
    for _ in 0..=MAX_SUFFIXES {
        let found = whole_name(name);
        if found.is_some() {
            return found;
        }
        // A suffix is after a separator, so that `passwordText` is a name of its own.
        let end = name.rfind(['_', '-', '.'])?;
        let (before, last) = name.split_at_checked(end)?;
        let last = last.trim_start_matches(['_', '-', '.']).to_ascii_lowercase();
        if !SUFFIXES.contains(&last.as_str()) && !last.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        name = before;
    }
    None
}

/// The same of a name without suffixes.
fn whole_name(name: &str) -> Option<SecretName> {
    let joined: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let single = joined.strip_suffix('s').unwrap_or(&joined);
    if SURE.iter().any(|end| joined.ends_with(end) || single.ends_with(end)) {
        return Some(SecretName::Sure);
    }
    let last = last_word(name);
    if is_variable(name) && PASSWORDS.contains(&last.as_str()) {
        return Some(SecretName::Sure);
    }
    if LIKELY.contains(&last.as_str()) {
        return Some(SecretName::Likely);
    }
    POSSIBLE.contains(&last.as_str()).then_some(SecretName::Possible)
}

/// Whether a name of several words is written as variables of the environment are.
fn is_variable(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
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
        for name in [
            "password",
            "DB_PASSWORD",
            "accessToken",
            "x-api-key",
            "AccountKey",
            "apiKeys",
            "Authorization",
            "SECRET_KEY_BASE",
            "password_2",
            "client-secret-value",
            "DB_PASS",
            "MYSQL_PWD",
        ] {
            assert_eq!(secret_name(name), Some(SecretName::Sure), "{name}");
        }
        for name in ["token", "db_pass", "PASS", "nextToken", "pin", "--pw", "TOKEN_DEV"] {
            assert_eq!(secret_name(name), Some(SecretName::Likely), "{name}");
        }
        for name in ["key", "auth", "DATADOG_KEY", "creds"] {
            assert_eq!(secret_name(name), Some(SecretName::Possible), "{name}");
        }
        for name in ["tokens", "max_tokens", "compass", "spin", "keyboard", "user", "", "passwordLength", "base", "2"] {
            assert_eq!(secret_name(name), None, "{name}");
        }
    }
}
