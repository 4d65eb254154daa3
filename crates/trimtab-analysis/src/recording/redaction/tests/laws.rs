//! What holds for every text and every recording.

use proptest::prelude::*;
use serde_json::Value as Json;

use super::super::{RedactedText, redact};
use super::{redacted, shape};

/// A text with a secret, and the secret.
fn planted() -> impl Strategy<Value = (String, String)> {
    let word = || "q[a-z]{5,9}";
    let random = "[A-Z][a-z]{2}[0-9][A-Za-z0-9]{10}[a-z]{2}[0-9]q[A-Z]";
    prop_oneof![
        word().prop_map(|name| (format!("/home/{name}/src/a.rs"), name)),
        word().prop_map(|name| (format!("C:\\Users\\Otto {name}\\a.txt"), name)),
        word().prop_map(|name| (format!("{name}@corp.example"), name)),
        word().prop_map(|name| (format!("https://x.example/?mail={name}%40corp.example&x=1"), name)),
        word().prop_map(|name| (format!("https://x.example/a?access_token={name}&b=2#c"), name)),
        word().prop_map(|name| (format!("password: {name}"), name)),
        word().prop_map(|name| (format!("{{\"api_key\":\"{name}\"}}, done"), name)),
        word().prop_map(|name| (format!("psql postgres://{name}:{name}@db/x"), name)),
        random.prop_map(|key| (format!("use sk-proj-{key} now"), key)),
        random.prop_map(|key| (format!("Authorization: Bearer {key}"), key)),
        "3[0-9]{11}".prop_map(|account| (format!("arn:aws:iam::{account}:user"), account)),
        random.prop_map(|key| (format!("-----BEGIN EC PRIVATE KEY-----\n{key}/{key}\n"), key)),
        in_context(),
    ]
}

/// A text in which only what is around it makes a word secret, and the word.
fn in_context() -> impl Strategy<Value = (String, String)> {
    let forms = [
        "deploy --password X now",
        "deploy --api-key=X",
        "curl -u bob:X https://h",
        "mysql -u root -pX shop",
        "machine h login bob password X",
        "<password>X</password>",
        "<add key='Password' value='X' />",
        "'password' => 'X',",
        "PASSWORD: |\n  X\n  X",
        "passwords:\n- X",
        "password = '''\nX\n'''",
        "SECRET_KEY_BASE=X",
        "ALTER USER bob WITH PASSWORD 'X';",
        "name: API_KEY\nvalue: X",
        "{\"auths\":{\"h\":{\"password\":\"X\"}}}",
        "https://h/?next=%2Fa%3Fapi_key%3DX",
        "-hf_AbCdEfGhIjKlMnX",
        "/Users/Maria X/src",
        "C:\\\\Users\\\\Maria X\\\\src",
        "\\\\srv\\users\\X\\src",
        "USER=X",
        "X@laptop:~/src$ make",
        "drwxr-xr-x 2 X staff 64 Jan 1 00:00 src",
    ];
    let word = prop_oneof!["Q[a-z]{5,9}", "Q[a-z]{5,9}[1-9]"];
    (prop::sample::select(forms.to_vec()), word).prop_map(|(form, word)| (form.replace('X', &word), word))
}

/// Texts of what redaction looks for, in any order.
fn fragments() -> impl Strategy<Value = String> {
    let fragments = vec![
        "password",
        "token",
        "SECRET_KEY",
        "USER",
        "--api-key",
        "-u",
        "-p",
        "mysql",
        "login",
        "machine",
        "Bearer",
        "key",
        "=",
        ":",
        "=>",
        "==",
        ": |",
        " ",
        "  ",
        "\n",
        "\n  ",
        "- ",
        "\"",
        "'",
        "`",
        "\\",
        "\\n",
        "/",
        "@",
        "%40",
        "%2F",
        "%",
        "<",
        ">",
        "</",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "?",
        "&",
        "/home/",
        "/Users/",
        "C:\\Users\\",
        "-Users-",
        "ls -l",
        "drwxr-xr-x 2 ",
        "ssh ",
        ":~$ ",
        "ghp_",
        "hf_",
        "sk-",
        "AKIA",
        "eyJ",
        "Q~",
        ":AA",
        "-----BEGIN PRIVATE KEY-----",
        "-----END",
        "://",
        "arn:",
        "name",
        "value",
        "Marla",
        "marla",
        "Ömer",
        "日本",
        "anna.lee-2",
        "corp.example",
        "10.20.30.40",
        "127.0.0.1",
        "fe80::1:2",
        "4111 1111 1111 1111",
        "+49 30 1234567",
        "DE89370400440532013000",
        "aB3dE5gH7jK9mN1pQ3sT5",
        "tulpenfeld",
        "x1",
        "12345678",
    ];
    prop::collection::vec(prop::sample::select(fragments), 0..14).prop_map(|fragments| fragments.concat())
}

fn redacted_text() -> impl Strategy<Value = RedactedText> {
    prop::sample::select(vec![RedactedText::Secrets, RedactedText::PersonalNumbers, RedactedText::All])
}

/// A recording with a text in one place: keys, ids, names, models and contents.
fn recording(place: usize, text: &str) -> String {
    let at = |own: usize, other: &str| if own == place { text.to_owned() } else { other.to_owned() };
    let nested = serde_json::json!({ at(0, "path"): [at(1, "x"), { "deep": { at(2, "n"): 1 } }] });
    let lines = [
        serde_json::json!({ "trimtab": 1, "id": at(3, "a"), "model": at(4, "m"), "tools": [at(5, "t"), { "name": "u", "description": at(6, "d"), "schema": { "properties": { at(7, "p"): { "type": "string" } }, "required": [at(7, "p")] } }] }),
        serde_json::json!({ "role": "user", "name": at(8, "n"), "content": at(9, "hello"), at(10, "note"): at(11, "k") }),
        serde_json::json!({ "role": "assistant", "model": at(4, "m"), "content": [{ "type": "text", "text": at(12, "b") }, { "type": "tool_call", "id": at(13, "c"), "name": at(5, "t"), "arguments": nested.clone() }, { "type": "tool_call", "id": "2", "name": "u", "arguments": nested.to_string() }, { "type": "document", "name": at(14, "f") }] }),
        serde_json::json!({ "role": "tool", "content": [{ "type": "tool_result", "id": at(13, "c"), "name": at(5, "t"), "content": nested.to_string() }] }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

proptest! {
    #[test]
    fn a_secret_survives_nowhere((text, secret) in planted(), place in 0..15usize, what in redacted_text()) {
        let recording = recording(place, &text);
        let out = redact(&recording, what);
        prop_assert!(!out.contains(&secret), "{}\n{}", recording, out);
        // `All` also replaces the names of secrets. A second pass then no longer recognises their values, and replaces them
        // differently.
        prop_assert!(what == RedactedText::All || redact(&out, what) == out, "{}", out);
        let lines = |text: &str| -> Vec<Json> { text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect() };
        let (before, after) = (lines(&recording), lines(&out));
        prop_assert_eq!(before.iter().map(shape).collect::<Vec<_>>(), after.iter().map(shape).collect::<Vec<_>>());
        prop_assert_eq!(&after[2]["content"][1]["id"], &after[3]["content"][0]["id"]);
        prop_assert_eq!(&after[2]["content"][1]["name"], &after[0]["tools"][0]);
        let (key, required) = (&after[0]["tools"][1]["schema"]["properties"], &after[0]["tools"][1]["schema"]["required"][0]);
        prop_assert!(key.as_object().is_some_and(|keys| keys.contains_key(required.as_str().unwrap_or_default())), "{}", out);
    }

    #[test]
    fn any_text_keeps_its_length(text in prop_oneof![
        "\\PC{0,80}", "[a-z@.:/=\" \\\\-]{0,80}", "/home/[a-z]{2,6}/[ -~]{0,40}", fragments(),
    ], what in redacted_text()) {
        let out = redacted(&text, what);
        let kinds = |text: &str| text.chars().map(char::is_alphanumeric).collect::<Vec<_>>();
        prop_assert_eq!(kinds(&out), kinds(&text));
        prop_assert_eq!(redacted(&text, what), out);
    }

    #[test]
    fn what_is_redacted_stays(planted in prop::collection::vec(planted(), 1..6), numbers: bool) {
        let text = planted.iter().map(|(text, _)| format!("{text}\n")).collect::<String>();
        let what = if numbers { RedactedText::PersonalNumbers } else { RedactedText::Secrets };
        let out = redacted(&text, what);
        prop_assert_eq!(redacted(&out, what), out);
    }

    #[test]
    fn json_in_a_text_stays_json_with_its_keys(key in "[a-z]{1,8}", value in "\\PC{0,40}", all: bool) {
        let json = serde_json::json!({ key.as_str(): [value, 3] });
        let what = if all { RedactedText::All } else { RedactedText::Secrets };
        let out: Json = serde_json::from_str(&redacted(&json.to_string(), what)).expect("JSON");
        prop_assert_eq!(&out[key.as_str()][1], 3);
        let lengths = [&out, &json].map(|json| json[key.as_str()][0].as_str().map(|text| text.chars().count()));
        prop_assert_eq!(lengths[0], lengths[1]);
    }
}
