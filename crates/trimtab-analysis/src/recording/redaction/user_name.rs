//! Names of users: found in paths of home directories, environments, prompts and listings, replaced wherever they stand
//! as a word.

use std::collections::HashSet;
use std::ops::Range;

use super::generic_name::is_generic;
use super::home;

/// Variables whose value is the name of a user.
const VARIABLES: &[&str] = &["LOGNAME", "SUDO_USER", "USER", "USERNAME"];
/// Commands whose argument is a user at a host.
const REMOTE: &[&str] = &["rsync", "scp", "sftp", "ssh", "ssh-copy-id"];
/// What is before a name, as `id` prints it.
const IDS: &[&str] = &["uid=", "gid="];
/// Longer names of users and hosts are none.
const MAX_NAME: usize = 64;
/// So many bytes of a prompt are searched for its end.
const MAX_PROMPT: usize = 256;
/// The most parts of a name that are compared, as in `ann.lee-2`.
const MAX_PARTS: usize = 6;

/// The names of users, in lower case.
#[derive(Default)]
pub(super) struct UserNames(HashSet<String>);

impl UserNames {
    /// Adds the names of users in a text.
    pub(super) fn collect(&mut self, text: &str) {
        for name in home::names(text) {
            self.add(name);
        }
        for (at, name) in VARIABLES.iter().flat_map(|name| text.match_indices(name)) {
            self.add_name(variable(text, at, name).unwrap_or_default());
        }
        for (at, sign) in IDS.iter().flat_map(|id| text.match_indices(id)) {
            self.add_name(id(text, at + sign.len()).unwrap_or_default());
        }
        for at in text.match_indices('@').map(|(at, _)| at) {
            self.add_name(login(text, at).map_or("", |(name, _)| text.get(name).unwrap_or_default()));
        }
        for name in text.lines().flat_map(owners) {
            self.add_name(name);
        }
    }

    /// Adds the value of a variable.
    pub(super) fn collect_variable(&mut self, name: &str, value: &str) {
        if VARIABLES.contains(&name) {
            self.add_name(name_at_start(value));
        }
    }

    /// Adds a name that has a letter. Numbers are also numbers of users.
    fn add_name(&mut self, name: &str) {
        if name.contains(char::is_alphabetic) {
            self.add(name);
        }
    }

    /// Adds a name, also in the other cases of letters beyond ASCII.
    fn add(&mut self, name: &str) {
        let lower = name.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
        if lower.chars().count() < 2 || is_generic(&lower) || is_generic(&name.to_lowercase()) {
            return;
        }
        self.0.extend([lower.to_uppercase().to_lowercase(), lower]);
    }

    /// Where names stand as words of a text, in upper or lower case.
    pub(super) fn occurrences(&self, text: &str) -> Vec<Range<usize>> {
        let parts = if self.0.is_empty() { Vec::new() } else { parts(text) };
        let mut found = Vec::new();
        for (first, part) in parts.iter().enumerate() {
            let candidates = parts.iter().skip(first).take(MAX_PARTS).map(|last| part.start..last.end);
            // A name is one word, so that nothing but these signs is in it.
            let is_word = |range: &Range<usize>| {
                let text = text.get(range.clone()).unwrap_or_default();
                text.len() <= MAX_NAME * 2 && text.chars().all(|char| char.is_alphanumeric() || "._-".contains(char))
            };
            let is_name = |range: &Range<usize>| {
                text.get(range.clone()).is_some_and(|text| self.0.contains(&text.to_lowercase()))
            };
            found.extend(candidates.take_while(is_word).filter(is_name));
        }
        found
    }
}

/// The hosts of prompts in a text: `name@host:~$`.
pub(super) fn hosts(text: &str) -> Vec<Range<usize>> {
    let signs = text.match_indices('@').map(|(at, _)| at);
    let hosts = signs.filter_map(|at| prompt(text, at)).map(|(_, host)| host);
    hosts.filter(|host| text.get(host.clone()).is_some_and(|host| !is_generic(&host.to_lowercase()))).collect()
}

/// The runs of letters and digits. Escapes such as `%20` end them, and one after the backslash of `\\n` is also a run
/// without its first letter.
fn parts(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut escape_end) = (Vec::new(), None, 0);
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_escape =
            || text.as_bytes()[at + 1..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2;
        if char == '%' && is_escape() {
            escape_end = at + 3;
        }
        if char.is_alphanumeric() && at >= escape_end {
            start = start.or(Some(at));
        } else if let Some(start) = start.take() {
            parts.push(start..at);
            let is_escaped = text.get(..start).is_some_and(|before| before.ends_with('\\'));
            let rest = text.get(start..at).and_then(|part| part.strip_prefix(['n', 'r', 't']));
            parts.extend(rest.filter(|rest| is_escaped && !rest.is_empty()).map(|_| start + 1..at));
        }
    }
    parts
}

/// The name of a user that begins here.
fn name_at_start(text: &str) -> &str {
    let is_part = |char: char| char.is_alphanumeric() || "._-".contains(char);
    let name = text.get(..text.find(|char| !is_part(char)).unwrap_or(text.len())).unwrap_or_default();
    if name.len() <= MAX_NAME { name } else { "" }
}

/// The value of a variable whose name is here: `USER=…`, or `"USER": "…"`.
fn variable<'t>(text: &'t str, at: usize, name: &str) -> Option<&'t str> {
    let (before, rest) = (text.get(..at)?, text.get(at + name.len()..)?);
    let is_escape = before.ends_with("\\n") || before.ends_with("\\t");
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    if before.ends_with(is_name) && !is_escape {
        return None;
    }
    let is_quote = |char| matches!(char, '"' | '\'' | '\\');
    let value = if rest.starts_with('=') {
        rest.get(1..)?.trim_start_matches(is_quote)
    } else {
        let sign = rest.trim_start_matches(is_quote);
        let is_pair = sign.len() < rest.len() && sign.starts_with(':');
        sign.get(1..).filter(|_| is_pair)?.trim_start_matches(|char| is_quote(char) || char == ' ')
    };
    let found = name_at_start(value);
    let is_code = value.get(found.len()..)?.starts_with(['(', '[', '{', '$', '%', '/']);
    (!is_code).then_some(found)
}

/// The name in `uid=501(name)`, given the text after the sign.
fn id(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let name = name_at_start(rest.get(digits..)?.strip_prefix('(')?);
    (digits > 0 && rest.get(digits + 1 + name.len()..)?.starts_with(')')).then_some(name)
}

/// The user and the host around `@` in a prompt or in the arguments of a command such as `ssh`.
fn login(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    prompt(text, at).or_else(|| {
        let (name, host) = around(text, at)?;
        let mut start = name.start.saturating_sub(MAX_PROMPT);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let before = text.get(start..name.start)?;
        let line = before.rsplit(['\n', ';', '|']).next().unwrap_or(before);
        let is_remote = line.split_whitespace().any(|word| REMOTE.contains(&word));
        (is_remote && before.ends_with([' ', '"', '\''])).then_some((name, host))
    })
}

/// The user and the host around `@` in a prompt: `name@host:~$`, `[name@host dir]$` and `name@host dir %`.
fn prompt(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let (name, host) = around(text, at)?;
    let before = text.get(..name.start)?;
    let rest = text.get(host.end..)?;
    let mut end = MAX_PROMPT.min(rest.len());
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let line = rest.get(..end)?.split(['\n', '"']).next().unwrap_or_default();
    let is_end = |end: &str| end.is_empty() || end.starts_with([' ', '\\']);
    let ends_with = |signs: &[char]| line.match_indices(signs).any(|(at, _)| line.get(at + 1..).is_some_and(is_end));
    let is_prompt = match line.chars().next() {
        Some(':') => line.get(1..)?.starts_with(['~', '/']) && ends_with(&['$', '#', '%', '❯']),
        Some(' ') if before.ends_with('[') => line
            .split_once(']')
            .is_some_and(|(_, end)| end.starts_with(['$', '#']) && is_end(end.get(1..).unwrap_or_default())),
        Some(' ') => {
            let dir = line.trim_start().split(' ').next().unwrap_or_default();
            let after = line.get(1 + dir.len()..)?;
            (before.is_empty() || before.ends_with('\n'))
                && !dir.is_empty()
                && after.starts_with(" %")
                && is_end(after.get(2..)?)
        }
        _ => false,
    };
    is_prompt.then_some((name, host))
}

/// The name before `@` and the host after it.
fn around(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let is_part = |char: &char| char.is_alphanumeric() || "._-".contains(*char);
    let length = |chars: &mut dyn Iterator<Item = char>| -> usize {
        chars.take(MAX_NAME).take_while(is_part).map(char::len_utf8).sum()
    };
    let name = at - length(&mut text.get(..at)?.chars().rev());
    let host = at + 1..at + 1 + length(&mut text.get(at + 1..)?.chars());
    (name < at && !host.is_empty() && text.get(name..at)? != "git").then_some((name..at, host))
}

/// The owner and the group in a line of `ls -l` or `tar -tv`.
fn owners(line: &str) -> Vec<&str> {
    let mut words = line.split_ascii_whitespace();
    if !words.by_ref().take(4).any(is_mode) {
        return Vec::new();
    }
    let is_name = |name: &&str| name_at_start(name) == *name && !name.is_empty();
    let first = words.next().unwrap_or_default();
    if let Some((owner, group)) = first.split_once('/') {
        return [owner, group].into_iter().filter(is_name).collect();
    }
    let owners = [words.next(), words.next()].into_iter().flatten();
    let is_count = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    if is_count { owners.filter(is_name).collect() } else { Vec::new() }
}

/// Whether a word is the mode of a file, such as `drwxr-xr-x`.
fn is_mode(word: &str) -> bool {
    let mode = word.trim_end_matches(['@', '+', '.']).as_bytes();
    mode.len() == 10
        && b"-dlbcps".contains(&mode[0])
        && mode[1..]
            .chunks(3)
            .all(|bits| b"r-".contains(&bits[0]) && b"w-".contains(&bits[1]) && b"xsStT-".contains(&bits[2]))
}
