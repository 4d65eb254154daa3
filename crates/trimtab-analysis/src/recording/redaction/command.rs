//! Credentials in the arguments of commands that have no telling name, as in `mysql -p…` and `curl -u name:…`, and in
//! files of netrc.

use std::ops::Range;

use super::value::{MIN_VALUE, may_be_argument, may_be_value};

/// Options of commands whose value is a password: attached, and as the next word.
const PASSWORD_OPTIONS: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["mysql", "mysqladmin", "mysqldump", "mysqlimport", "mysqlsh", "mariadb", "mariadb-dump", "mariadb-admin"],
        &["-p"],
        &[],
    ),
    (&["sshpass"], &["-p"], &["-p"]),
    (&["7z", "7za", "7zz", "7zr", "rar", "unrar"], &["-p"], &[]),
    (&["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], &["-p"], &["-p"]),
    // As in `docker login -p …`.
    (&["login"], &[], &["-p"]),
    (&["redis-cli"], &[], &["-a"]),
    (&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"], &["-w"], &["-w"]),
    (&["zip", "unzip", "mosquitto_pub", "mosquitto_sub"], &[], &["-P"]),
    (&["sqlcmd", "bcp"], &["-P"], &["-P"]),
    (&["clickhouse-client"], &[], &["--password"]),
];

/// Options whose value is a user and a password.
const USER_OPTIONS: &[&str] = &["--basic-auth", "--proxy-user", "--user", "-U", "-u"];

/// The credentials in the commands of a text, given its words.
pub(super) fn credentials(text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let word = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let mut command: Option<&(&[&str], &[&str], &[&str])> = None;
    let (mut found, mut option, mut end) = (Vec::new(), "", 0);
    for range in words {
        let gap = text.get(end..range.start).unwrap_or_default();
        if gap.contains([';', '|', '`']) || gap.contains('\n') && !gap.contains("\\\n") {
            (command, option) = (None, "");
        }
        let content = word(range);
        let user = user_and_password(option, content).or_else(|| user_and_password_of_one_word(content));
        let password = command.and_then(|options| password(options, option, content));
        found.extend(user.or(password).map(|start| range.start + start..end_of_argument(text, range, gap)));
        let name = content.rsplit('/').next().unwrap_or(content);
        command = PASSWORD_OPTIONS.iter().find(|(names, ..)| names.contains(&name)).or(command);
        (option, end) = (content, range.end);
    }
    found.extend(netrc(text, words));
    found
}

/// The end of an argument: of its quotes, or of the word.
fn end_of_argument(text: &str, word: &Range<usize>, gap: &str) -> usize {
    let rest = text.get(word.end..).unwrap_or_default();
    let is_end = |char: char| match gap.chars().next_back() {
        Some(quote @ ('"' | '\'')) => char == quote || char == '\n',
        _ => char.is_whitespace() || "\"'`\\".contains(char),
    };
    word.end + rest.find(is_end).unwrap_or(0)
}

/// Where a password begins in a word after an option.
fn password(options: &(&[&str], &[&str], &[&str]), option: &str, word: &str) -> Option<usize> {
    let (_, attached, separate) = options;
    if separate.contains(&option) && may_be_argument(word) {
        return Some(0);
    }
    let value =
        |prefix: &&&str| word.strip_prefix(**prefix).is_some_and(|value| may_be_value(value) && !value.is_empty());
    attached.iter().find(value).map(|prefix| prefix.len())
}

/// Where the credentials begin in the argument of an option for user and password.
fn user_and_password(option: &str, word: &str) -> Option<usize> {
    let (user, password) = USER_OPTIONS.contains(&option).then(|| word.split_once(':'))??;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_credential = !user.contains('/') && !password.contains('/') && password.chars().count() >= MIN_VALUE;
    (is_credential && may_be_value(password) && may_be_value(user) && !(is_number(user) && is_number(password)))
        .then_some(0)
}

/// The same in `-uname:password` and `--user=name:password`.
fn user_and_password_of_one_word(word: &str) -> Option<usize> {
    let of = |option: &&str| {
        let value = word.strip_prefix(*option)?;
        let value = if option.starts_with("--") { value.strip_prefix('=')? } else { value };
        user_and_password(option, value).map(|_| word.len() - value.len())
    };
    USER_OPTIONS.iter().filter(|_| word.starts_with('-')).find_map(of)
}

/// The logins and passwords of machines: `machine NAME login NAME password …`, also on several lines.
fn netrc(text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let word = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let is_row = |words: &[Range<usize>]| {
        let gap = |pair: &[Range<usize>]| text.get(pair[0].end..pair[1].start).unwrap_or_default();
        words.windows(2).all(|pair| gap(pair).chars().all(char::is_whitespace))
    };
    let mut found = Vec::new();
    let mut rest = words;
    while let Some(first) = rest.first() {
        let length = match word(first) {
            "machine" => 2,
            "default" => 1,
            _ => 0,
        };
        let mut row = rest.get(..length + 2).unwrap_or_default();
        rest = rest.get(length.max(1)..).unwrap_or_default();
        let mut pairs: Vec<(&str, &Range<usize>)> = Vec::new();
        while let [.., key, value] = row
            && length > 0
            && is_row(row)
            && ["login", "user", "password", "account"].contains(&word(key))
        {
            pairs.push((word(key), value));
            row = rest.get(1..4).unwrap_or_default();
            rest = rest.get(2..).unwrap_or_default();
        }
        if pairs.iter().any(|(key, _)| *key == "password") {
            found.extend(pairs.into_iter().map(|(_, value)| value.clone()).filter(|value| may_be_value(word(value))));
        }
    }
    found
}
