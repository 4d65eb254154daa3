mod contexts;
mod coverage;
mod laws;

use super::*;

/// The text after redaction.
fn redacted(text: &str, what: RedactedText) -> String {
    let line = serde_json::json!({ "role": "user", "content": text });
    let out = redact(&format!("{line}\n"), what);
    let json: Json = serde_json::from_str(&out).expect("JSON");
    json["content"].as_str().expect("a text").to_owned()
}

fn secrets(text: &str) -> String {
    redacted(text, RedactedText::Secrets)
}

#[test]
fn names_of_users_are_replaced_everywhere() {
    let out = secrets("cd /home/marla/src; ls -l: marla staff, Marla's; marlax; -home-marla-src");
    assert!(!out.to_lowercase().replace("marlax", "").contains("marla"), "{out}");
    assert!(out.contains("marlax") && out.starts_with("cd /home/"), "{out}");
    assert_eq!(secrets("/home/user/a and /root/b and a user"), "/home/user/a and /root/b and a user");
    assert!(!secrets(r"C:\Users\Otto\x").contains("Otto"));
    let out = secrets(r"C:\Users\Otto Braun\x by Braun; C:\Users\Otto went to D:\x");
    assert!(!out.contains("Otto") && !out.contains("Braun") && out.contains("went to"), "{out}");
    assert!(!secrets("/home/Ömer/x by ömer and ÖMER").to_lowercase().contains("ömer"));
}

#[test]
fn addresses_and_keys_are_replaced() {
    for (text, secret) in [
        ("mail ann.lee@example.org now", "ann.lee"),
        ("<bob@corp.example>", "bob@corp"),
        ("host 203.0.113.77:8080", "203.0.113.77"),
        ("at 2001:db8::8a2e:370:7334", "8a2e"),
        ("key sk-ant-REDACTED", "Q7dk3"),
        ("ghp_a1B2c3D4e5F6g7H8i9J0", "a1B2c3"),
        ("password=hunter2", "hunter2"),
        ("\"api_key\": \"Abcd1234\"", "Abcd1234"),
        ("Authorization: Bearer abc123.def456", "abc123"),
        ("postgres://ann:pw@db/x", "ann:pw"),
        ("https://x.io/v1?access_token=abcdefgh12345", "abcdefgh12345"),
        ("https://x.io/v1?a=1&api_key=correcthorse&b=2", "correcthorse"),
        ("password: correcthorse", "correcthorse"),
        ("sent {\"password\":\"correcthorse\"} to it", "correcthorse"),
        ("sent {\\\"password\\\": \\\"correct horse; battery\\\"} to it", "battery"),
        ("accessToken: 'abcdefgh'", "abcdefgh"),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
        ("bearer abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
        ("aws secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "MDENG"),
        (
            "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;x",
            "KBHBe",
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQ/EAtop/secretBytes/abcDEF\n(output truncated)", "secretBytes"),
        ("https://x.io/?email=maria.lopez%40corp.com", "maria.lopez"),
        ("DB_PASS=hunter22x", "hunter22x"),
        ("DB_PASS: tulpenfeld", "tulpenfeld"),
        ("card 4111 1111 1111 1111.", "4111"),
        ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/x", "123456789012"),
        ("commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "9f86d0"),
        ("-----BEGIN PRIVATE KEY-----\nabcDEF\n-----END PRIVATE KEY-----", "abcDEF"),
    ] {
        let out = secrets(text);
        assert!(!out.contains(secret), "{out}");
        assert_eq!(out.chars().count(), text.chars().count(), "{out}");
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "fn main() { let token = next_token(&mut lexer); }",
        "127.0.0.1:8080 and 0.0.0.0, version 1.2.3",
        "git@github.com:a/b.git",
        "12:34:56 src/recording/history/content.rs:12:5",
        "test_that_a_long_identifier_is_kept_2024",
        "the password is unknown",
        "fn login(password: &str, token: String) -> Result<Token, Error> { self.password = args.password; }",
        "let secret = read_secret(path); password: string; \"token\": {\"type\": \"string\"}",
        "src/components/MyButton/UserCard2/index and lib/python3/site/Packages",
        "-----BEGIN PRIVATE KEY-----",
        "basic internals and 1700000000000 ms, 16 GB; order 12345678",
        "export TOKEN=$TOKEN",
    ] {
        assert_eq!(secrets(text), text);
    }
}

#[test]
fn equal_secrets_get_equal_replacements_and_others_do_not() {
    let out = secrets("ann@a.example bob@b.example ann@a.example");
    let words: Vec<&str> = out.split(' ').collect();
    assert!(words[0] == words[2] && words[0] != words[1], "{out}");
    assert_eq!(out, secrets("ann@a.example bob@b.example ann@a.example"));
}

#[test]
fn ids_tool_names_and_keys_of_arguments_stay() {
    let line = r#"{"role":"assistant","content":[{"type":"tool_call","id":"call_a1","name":"send_mail","arguments":{"name":"ann@a.example","password":"x1","count":3}},{"type":"tool_call","id":"2","name":"b","arguments":"{\"to\": \"ann@a.example\",\n \"n\": 1}"},{"type":"thinking","text":"t","signature":"Abc="}]}"#;
    let out: Json = serde_json::from_str(&redact(line, RedactedText::All)).expect("JSON");
    let (one, two, three) = (&out["content"][0], &out["content"][1], &out["content"][2]);
    assert_eq!((&one["id"], &one["name"], &one["type"]), (&"call_a1".into(), &"send_mail".into(), &"tool_call".into()));
    assert_eq!(one["arguments"]["count"], 3);
    assert_ne!(one["arguments"]["name"], "ann@a.example");
    assert_ne!(one["arguments"]["password"], "x1");
    let text = two["arguments"].as_str().expect("a text");
    assert!(text.starts_with("{\"to\": \"") && text.ends_with("\",\n \"n\": 1}") && !text.contains("ann"), "{text}");
    assert_ne!(three["signature"], "Abc=");
}

#[test]
fn all_words_are_replaced_if_asked() {
    let out = redacted("Fix the parser in café 7 and 123456 日本.", RedactedText::All);
    for word in ["Fix", "parser", "caf", "123456", "日本"] {
        assert!(!out.contains(word), "{out}");
    }
    assert!(out.contains(" 7 ") && out.ends_with('.'), "{out}");
}

#[test]
fn keys_ids_and_names_do_not_identify_anybody() {
    let lines = [
        r#"{"trimtab":1,"id":"/Users/maria/proj","model":"arn:aws:bedrock:us-east-1:123456789012:x","cwd":"/Users/maria"}"#,
        r#"{"role":"user","name":"maria","content":"I am in /Users/maria/proj"}"#,
        r#"{"role":"assistant","content":[{"type":"tool_call","id":"c1","name":"maria_apply","arguments":{"changes":{"/Users/maria/proj/a.rs":"x"},"to":{"maria.lopez@corp.com":1},"token":12345678,"pin":987654,"line":10000}}]}"#,
        r#"{"role":"tool","content":[{"type":"tool_result","id":"c1","name":"maria_apply","content":"{\"/Users/maria/proj/a.rs\": 1, \"maria.lopez@corp.com\": 1, \"pin\": 987654}"}]}"#,
    ];
    let redacted = |what| redact(&lines.join("\n"), what);
    for out in [redacted(RedactedText::Secrets), redacted(RedactedText::All)] {
        for secret in ["maria", "lopez", "123456789012", "12345678", "987654"] {
            assert!(!out.contains(secret), "{secret}: {out}");
        }
        let read: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let (call, result) = (&read[2]["content"][0], &read[3]["content"][0]);
        assert_eq!((&call["id"], &call["name"]), (&result["id"], &result["name"]), "{out}");
        assert_eq!(shape(&read[2]), shape(&serde_json::from_str(lines[2]).expect("JSON")));
        assert!(read[0]["cwd"].as_str().is_some_and(|text| text.len() == "/Users/maria".len()), "{out}");
    }
    assert!(redacted(RedactedText::Secrets).contains("10000") && !redacted(RedactedText::All).contains("10000"));
}

#[test]
fn a_model_stays_the_same_model() {
    let text = "{\"trimtab\":1,\"model\":\"claude-sonnet-4-5\"}\n{\"role\":\"user\",\"content\":\"/home/sonnet/x\"}";
    let out = redact(text, RedactedText::All);
    assert!(out.contains("claude-sonnet-4-5") && !out.contains("/sonnet"), "{out}");
}

#[test]
fn usage_stays() {
    let usage = r#"{"input":12345,"cache_read":98765,"cache_write":0,"output":55555}"#;
    let text = format!(
        "{{\"trimtab\":1}}\n{{\"harness_call\":{{\"usage\":{usage},\"model\":\"gpt-5\"}}}}\n{{\"role\":\"assistant\",\"content\":\"7\",\"usage\":{usage}}}\n"
    );
    assert_eq!(redact(&text, RedactedText::All), text);
}

#[test]
fn parts_and_keys_of_other_systems_are_not_structure() {
    let text = r#"{"role":"user","content":[{"type":"document","source":{"name":"Falcon","id":"Falcon"}}],"author":{"name":"Falcon"}}"#;
    let out = redact(text, RedactedText::All);
    assert!(!out.contains("Falcon") && out.contains("\"document\"") && out.contains("\"author\""), "{out}");
}

/// The kinds of the values in a value, with the lengths of strings and numbers.
fn shape(json: &Json) -> Json {
    match json {
        Json::String(text) => text.chars().count().into(),
        Json::Number(number) => number.to_string().len().into(),
        Json::Array(items) => items.iter().map(shape).collect(),
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| (key.chars().count().into(), shape(value)))
            .map(|(key, value): (Json, Json)| Json::from(vec![key, value]))
            .collect(),
        other => other.clone(),
    }
}
