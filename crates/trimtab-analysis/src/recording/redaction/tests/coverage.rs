//! How many invented secrets of the kinds that public scanners know are recognised, in every place of a recording.

mod kinds;

use serde_json::{Value as Json, json};

use self::kinds::{KINDS, Kind};
use super::super::{RedactedText, redact};

/// No run of this many characters of a secret may remain. Shorter ones can occur by chance.
const WINDOW: usize = 8;

/// A secret that was made from a shape.
struct Secret {
    rule: &'static str,
    name: &'static str,
    value: String,
    /// The random parts of the value.
    random: Vec<String>,
}

impl Secret {
    /// An invented secret of a kind, always the same.
    fn new((rule, name, shape): Kind) -> Self {
        let mut state = rule.bytes().fold(7, |state: u64, byte| state.wrapping_mul(31).wrapping_add(byte.into()));
        let (mut value, mut random) = (String::new(), Vec::new());
        for part in shape.split_inclusive('>') {
            let (fixed, place) = part.split_once('<').unwrap_or((part, ""));
            value += &fixed.replace('·', " ");
            let Some(place) = place.strip_suffix('>') else { continue };
            let (alphabet, count) = place.split_at(1);
            let chars: Vec<char> = alphabet_of(alphabet).chars().collect();
            let mut char = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                chars[usize::try_from(state >> 33).expect("31 bits") % chars.len()]
            };
            let text: String = (0..count.parse().expect("a count")).map(|_| char()).collect();
            value += &text;
            random.push(text);
        }
        Self { rule, name, value, random }
    }

    /// Whether a window of the random characters is in a text.
    fn is_in(&self, text: &str) -> bool {
        let windows = |random: &String| {
            let characters: Vec<char> = random.chars().collect();
            characters.windows(WINDOW).any(|window| text.contains(&window.iter().collect::<String>()))
        };
        self.random.iter().any(windows)
    }
}

fn alphabet_of(name: &str) -> &'static str {
    match name {
        "A" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "L" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "d" => "123456789",
        "h" => "0123456789abcdef",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "w" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        other => unreachable!("{other}"),
    }
}

/// The places of a secret with a name: what each is called, and the line of a recording.
fn places(name: &str, value: &str) -> Vec<(&'static str, Json)> {
    let text = |text: String| json!({ "role": "user", "content": text });
    let call = |arguments: Json| json!({ "role": "assistant", "content": [{ "type": "tool_call", "id": "c", "name": "run", "arguments": arguments }] });
    let result = |content: Json| json!({ "role": "tool", "content": [{ "type": "tool_result", "id": "c", "content": content }] });
    let lower = name.to_lowercase();
    let kebab = lower.replace('_', "-");
    let url: String = value
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"_-.~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    let quoted = json!(value).to_string();
    let json = json!({ "input": value }).to_string();
    let (left, right) = value.split_at(value.len() / 2);
    let part = |text: &str| json!({ "type": "text", "text": text });
    vec![
        ("message", text(format!("Please use {value} for this, and tell nobody."))),
        ("argument", call(json!({ "input": value }))),
        ("argument key", call(json!({ value: 1 }))),
        ("nested JSON", call(json!(json))),
        ("doubly escaped JSON", text(format!("request body: {}", json!(json!(json).to_string())))),
        ("environment file", result(json!(format!("LANG=C\n{name}={value}\nTZ=UTC\n")))),
        ("shell export", call(json!({ "command": format!("export {name}='{value}' && make") }))),
        ("HTTP header", call(json!({ "command": format!("curl -H \"X-{kebab}: {value}\" https://api.example.com") }))),
        ("URL query", text(format!("GET https://api.example.com/v1/items?{lower}={url}&page=2"))),
        ("URL userinfo", text(format!("git clone https://oauth2:{url}@git.example.com/a/b.git"))),
        ("YAML", result(json!(format!("service:\n  {lower}: {value}\n  port: 80\n")))),
        ("TOML", result(json!(format!("[service]\n{lower} = {quoted}\nport = 80\n")))),
        ("XML", result(json!(format!("<service><{lower}>{value}</{lower}></service>")))),
        (
            "Python",
            result(json!(format!("import os\n{lower} = os.environ.get(\"{name}\", {quoted})\n{lower} = {quoted}\n"))),
        ),
        ("JavaScript", result(json!(format!("const client = new Client({{ {lower}: {quoted} }});")))),
        ("log", result(json!(format!("2026-01-02T03:04:05Z INFO connect with={value} attempt=1")))),
        ("diff", result(json!(format!("@@ -1,2 +1,2 @@\n-{value}\n+{lower} = {value}\n")))),
        ("Markdown", text(format!("Set `{value}` as **{value}**:\n\n```\n{value}\n```\n"))),
        ("option", call(json!({ "command": format!("deploy --{kebab} {quoted} --verbose") }))),
        ("arguments", call(json!({ "command": ["deploy", format!("--{kebab}"), value] }))),
        ("file listing", result(json!(format!("-rw-r--r-- 1 root root 12 Jan  2 03:04 {value}\n")))),
        ("parts", result(json!([part(left), part(right)]))),
        ("coloured", result(json!(format!("\u{1b}[32m{value}\u{1b}[0m")))),
    ]
}

/// The places in which a kind of secret is not redacted, as `rule: place`.
fn unredacted(name_of: impl Fn(&Secret) -> &'static str) -> Vec<String> {
    let mut unredacted = Vec::new();
    for secret in KINDS.iter().map(|kind| Secret::new(*kind)) {
        for (place, line) in places(name_of(&secret), &secret.value) {
            let out = redact(&line.to_string(), RedactedText::Secrets);
            // A secret that is in several parts is put together again.
            let out = out.replace("\"},{\"type\":\"text\",\"text\":\"", "").replace("\"},{\"text\":\"", "");
            if secret.is_in(&out) {
                unredacted.push(format!("{}: {place}", secret.rule));
            }
        }
    }
    unredacted
}

/// The kinds that are not recognised without a telling name: shorter ones, whose characters could be those of a name.
const SHORT: &[&str] = &["dropbox-app-secret", "linkedin-client-secret", "sidekiq-secret", "sumologic-access-id"];
/// The places that identify every value as a secret: by a name before it, or as the password of a URL. `diff` also has the
/// value without a name, and `Python` also as the default of a call.
const NAMED: &[&str] = &[
    "environment file",
    "shell export",
    "HTTP header",
    "URL query",
    "URL userinfo",
    "YAML",
    "TOML",
    "XML",
    "JavaScript",
    "option",
    "arguments",
];

#[test]
fn secrets_of_known_kinds_are_left_nowhere() {
    let found = unredacted(|secret| secret.name);
    let unexpected: Vec<&String> = found
        .iter()
        .filter(|entry| {
            let (rule, place) = entry.split_once(": ").expect("a rule and a place");
            !SHORT.contains(&rule) || NAMED.contains(&place)
        })
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}

#[test]
fn secrets_of_known_kinds_need_no_telling_name_except_for_short_ones() {
    let found = unredacted(|_| "VALUE");
    let rules: std::collections::BTreeSet<&str> =
        found.iter().filter_map(|entry| entry.split_once(": ")).map(|(rule, _)| rule).collect();
    assert_eq!(rules.into_iter().collect::<Vec<_>>(), SHORT, "{found:#?}");
    assert!(KINDS.len() - SHORT.len() >= 160 && places("NAME", "value").len() > 20);
}
