//! Secrets and names that what is around them makes recognisable, whatever they are themselves.

use super::super::RedactedText;
use super::{redacted, secrets};

/// Texts with a secret that is a plain word or is short, and the secret.
const SECRETS: &[(&str, &str)] = &[
    ("deploy --password mondschein", "mondschein"),
    ("deploy --password=mondschein --verbose", "mondschein"),
    ("deploy --password 'mond schein' now", "schein"),
    ("deploy --api-key \\\n  mondschein", "mondschein"),
    ("deploy --token mondschein", "mondschein"),
    ("subprocess.run([\"deploy\", \"--password\", \"mondschein\"])", "mondschein"),
    ("curl -u bob:tulpenfeld https://x", "tulpenfeld"),
    ("curl --user 'bob:tulpen feld' https://x", "feld"),
    ("curl -ubob:tulpenfeld https://x", "tulpenfeld"),
    ("curl --proxy-user=bob:tulpenfeld https://x", "tulpenfeld"),
    ("mysql -u root -pHunter2 shop", "Hunter2"),
    ("/usr/bin/mysqldump -ptulpenfeld shop | gzip", "tulpenfeld"),
    ("sshpass -p tulpenfeld ssh host", "tulpenfeld"),
    ("echo ok && docker login -u ci -p tulpenfeld ghcr.io", "tulpenfeld"),
    ("redis-cli -a tulpenfeld ping", "tulpenfeld"),
    ("machine h login bob password tulpenfeld", "tulpenfeld"),
    ("machine h\n  login bob\n  password tulpenfeld\n", "bob"),
    ("<password>tulpenfeld</password>", "tulpenfeld"),
    ("<server>\n  <db:password type=\"plain\">\n    tulpen feld\n  </db:password>\n</server>", "feld"),
    ("<password><![CDATA[tulpenfeld]]></password>", "tulpenfeld"),
    ("<add key=\"Password\" value=\"tulpenfeld\"/>", "tulpenfeld"),
    ("<entry key=\"db.password\">tulpenfeld</entry>", "tulpenfeld"),
    ("<key>API_KEY</key>\n<string>tulpenfeld</string>", "tulpenfeld"),
    ("password => 'tulpenfeld'", "tulpenfeld"),
    ("'password' => \"tulpenfeld\",", "tulpenfeld"),
    (":password => tulpenfeld", "tulpenfeld"),
    ("PASSWORD: |\n  tulpenfeld", "tulpenfeld"),
    ("a:\n  - password: >-  # folded\n      tulpen\n      feld\n    b: 1", "feld"),
    ("+  password: |\n+    tulpenfeld\n", "tulpenfeld"),
    ("  12→  password: |\n  13→    tulpenfeld\n", "tulpenfeld"),
    ("text: \"PASSWORD: |\\n  tulpenfeld\"", "tulpenfeld"),
    ("text: \\\"PASSWORD: |\\\\n  tulpenfeld\\\"", "tulpenfeld"),
    ("passwords:\n  - tulpenfeld\n  - mondschein", "mondschein"),
    ("kind: Secret\nstringData:\n  db: tulpenfeld\n", "tulpenfeld"),
    ("password = \"\"\"\ntulpen\nfeld\"\"\"", "feld"),
    ("env:\n  - name: DB_PASSWORD\n    value: tulpenfeld", "tulpenfeld"),
    ("{\"env\": [{\"name\": \"DB_PASSWORD\", \"value\": \"tulpenfeld\"}]}", "tulpenfeld"),
    ("[\"deploy\", \"--password\", \"tulpenfeld\"]", "tulpenfeld"),
    ("SECRET_KEY_BASE=gruenesgras", "gruenesgras"),
    ("DB_PASSWORD_PROD=gruenesgras", "gruenesgras"),
    ("DB_PASSWORD=gruenes,gras(x", "gras"),
    ("db_password ?= gruenesgras", "gruenesgras"),
    ("if password == \"tulpenfeld\":", "tulpenfeld"),
    ("ALTER USER bob WITH PASSWORD 'tulpenfeld';", "tulpenfeld"),
    ("CREATE USER bob IDENTIFIED BY 'tulpenfeld';", "tulpenfeld"),
    ("put(\"password\", \"tulpenfeld7\")", "tulpenfeld7"),
    ("requirepass tulpenfeld", "tulpenfeld"),
    ("Cookie: theme=dark; sid=Ab1tulpenfeld", "tulpenfeld"),
    ("{\"auths\":{\"ghcr.io\":{\"auth\":\"Ym9iOnR1bHBlbmZlbGQ=\"}}}", "bHBlbmZl"),
    (concat!("-AKIA", "UJZDEGXDNCF32EPF"), "JZDEGXDNCF"),
    (concat!("x=hf_", "FgcqInkTYmHwgKDInTEGbOYxHvAVDnRlzG"), "TYmHwgKDIn"),
    ("\\\\nghp_tYmHwgKDInTEGbOYxHvA1", "YmHwgKDIn"),
    ("https://x.example/?next=%2Fa%3Ftoken%3Dtulpenfeld", "tulpenfeld"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGBF/tulpenfeld\n", "tulpenfeld"),
];

#[test]
fn secrets_are_recognised_by_what_is_around_them() {
    for (text, secret) in SECRETS {
        let out = secrets(text);
        assert!(!out.contains(secret), "{text}\n{out}");
        assert_eq!(out.chars().count(), text.chars().count(), "{out}");
    }
}

#[test]
fn names_of_users_are_recognised_by_what_is_around_them() {
    for text in [
        "/Users/Mlindqvist Berg/x",
        "/home/mlindqvist/x",
        "cd '/Users/Maria Mlindqvist'",
        "cd /Users/maria\\ mlindqvist/x",
        "file:///Users/maria%20mlindqvist/x",
        "https://x.example/?file=%2Fhome%2Fmlindqvist%2Fx",
        "C:\\Users\\Maria Mlindqvist\\x",
        "C:\\\\\\\\Users\\\\\\\\MLindqvist",
        "{\\\"cwd\\\": \\\"C:\\\\\\\\Users\\\\\\\\Maria MLindqvist\\\\\\\\x\\\"}",
        "\\/Users\\/mlindqvist\\/x",
        "\\\\srv\\users\\mlindqvist\\x",
        "C:\\Documents and Settings\\mlindqvist\\x",
        "USER=mlindqvist",
        "SHELL=/bin/sh\nLOGNAME=mlindqvist\n",
        "export USERNAME=\"mlindqvist\"",
        "{'USER': 'mlindqvist'}",
        "PATH=/bin\\nUSER=mlindqvist\\n",
        "uid=1000(mlindqvist) gid=1000(mlindqvist)",
        "mlindqvist@laptop:~$",
        "mlindqvist@laptop:~/src/a b$ make",
        "[mlindqvist@laptop src]$ make",
        "mlindqvist@laptop src % make",
        "ssh -p 22 mlindqvist@laptop",
        "drwxr-xr-x  2 mlindqvist staff  4096 Jan  1 00:00 src",
        "total 1\n-rw-r--r--@ 1 root mlindqvist 12 Jan  1 00:00 a",
        "-rw-r--r-- mlindqvist/users 12 2024-01-01 00:00 a",
    ] {
        let out = secrets(&format!("{text}\nby mlindqvist."));
        assert!(!out.to_lowercase().contains("mlindqvist"), "{out}");
        assert_eq!(out.chars().count(), text.chars().count() + "\nby mlindqvist.".len(), "{out}");
    }
    assert!(!secrets("mlindqvist@laptop-of-maria:~$ ls").contains("maria"));
}

#[test]
fn a_name_with_spaces_is_recognised_as_a_key_and_in_nested_json() {
    let lines = [
        r#"{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"a","arguments":{"/Users/Maria Lindqvist":1,"env":{"LOGNAME":"mlindqvist"}}}]}"#,
        r#"{"role":"tool","content":[{"type":"tool_result","id":"c","content":"{\"cwd\": \"C:\\\\Users\\\\Maria Lindqvist\", \"by\": \"mlindqvist\"}"}]}"#,
    ];
    let out = super::redact(&lines.join("\n"), RedactedText::Secrets).to_lowercase();
    assert!(!out.contains("maria") && !out.contains("lindqvist"), "{out}");
}

#[test]
fn what_only_resembles_a_secret_stays() {
    for text in [
        "use --password to set one, or --token when there is none; --api-key is required",
        "reset the password and the passphrase here: password reset, password prompt",
        "docker run -u 1000:1000 -p 8080:80 app; git push -u origin main; mkdir -p build/output",
        "ssh -p 2222 host; cp -pr a b; sort -u words.txt; tar -xzpf archive.tar",
        "if token == next_token { return; } key === \"Enter\"; password == confirmation",
        "[\"username\", \"password\", \"email\"]; select(\"password\", \"firstName\")",
        "<label>Password</label> <password/> Vec<Token> <T: Secret>value</T>",
        "<password>${env.PASSWORD}</password> <input name=\"password\" type=\"password\"/>",
        "class Password:\n    pass\n\ntoken:\n  description: what it is\n",
        "match key { Key => value, Token => other }",
        "npm install sk-learn-estimator-checks hf_hub_download_file_names",
        "name: password\ntype: string\n\nname: api_key\nrequired: true",
        "/Users/shared/x and /users/profile/settings and https://x.example/users/list",
        "cd /home/user or go home/made; C:\\Users\\Public\\x",
        "USER root\nUSER=$1 USER=root DB_USER=service USER: how are you",
        "ann@host: what is this? $5 @ 3:00 and foo@bar:baz",
        "-rw-r--r--  1 root staff 4096 Jan  1 00:00 src",
        "machine learning: login page, password page",
        "test_the_password_is_replaced_in_every_place_of_a_line",
        "AbstractSingletonProxyFactoryBean getHTTPResponseCodeFromURLConnection",
        "call +49 30 1234567 or (555) 010-0199, IBAN DE89 3704 0044 0532 0130 00, 078-05-1120",
    ] {
        assert_eq!(secrets(text), text);
    }
}

#[test]
fn numbers_of_people_are_replaced_if_asked() {
    let numbers = |text: &str| redacted(text, RedactedText::PersonalNumbers);
    for (text, number) in [
        ("call +49 30 1234567 now", "1234567"),
        ("tel:+1-555-010-0199", "0199"),
        ("call (555) 010-0199.", "0199"),
        ("call 555-010-0199 or 555.010.0188", "0188"),
        ("Tel. 030/1234567", "1234567"),
        ("Tel. 0171 1234567", "1234567"),
        ("IBAN DE89 3704 0044 0532 0130 00", "3704"),
        ("GB29NWBK60161331926819", "NWBK6016"),
        ("SSN 078-05-1120", "1120"),
        ("ether 8c:85:90:1f:3a:b2", "90:1f"),
        ("password=hunter2", "hunter2"),
    ] {
        let out = numbers(text);
        assert!(!out.contains(number), "{text}\n{out}");
        assert_eq!(out.chars().count(), text.chars().count(), "{out}");
    }
    for text in [
        "2024-01-02 03:04:05 +0100, 1700000000000 ms, 12:34:56.789, 192.0.2, v1.2.3",
        "12345678 bytes, 0.123456789, 1,234,567 items, #12345, 0x1234567890",
        "@@ -10,7 +10,7 @@ and lines 100-200-300",
        "DEAD BEEF, GB in total: 12, 00:11:22",
    ] {
        assert_eq!(numbers(text), text);
    }
}
