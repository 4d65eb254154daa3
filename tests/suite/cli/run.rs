//! `trimtab run` and `trimtab proxy`: what the command gets, exit codes, and errors before anything is started.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{Output, Run, folder};

const POLICY: &str =
    "edition 2026\npolicy p {\n  rule cut { do trim arrivals over 12 chars to 8 chars at_least 0 tokens }\n}\n";

/// A model that answers one request after the other with the same reply, and returns the bodies.
fn model(answers: usize) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = move || {
        let reply = r#"{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":30,"completion_tokens":2}}"#;
        let answer = |stream: TcpStream| {
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", reply.len());
            reader.get_mut().write_all((head + reply).as_bytes()).unwrap();
            String::from_utf8(body).unwrap()
        };
        (0..answers).map(|_| answer(listener.accept().unwrap().0)).collect()
    };
    (url, thread::spawn(serve))
}

/// A program that sends a request of OpenAI Chat to the address in its environment, by the shell alone.
const AGENT: &str = r#"
body='{"model":"gpt-5","tools":[{"type":"function","function":{"name":"a"}}],"messages":[{"role":"user","content":"Read it."},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a long result of the tool"}]}'
address=${OPENAI_BASE_URL#http://}; address=${address%/v1}
exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
printf 'POST /v1/chat/completions HTTP/1.1\r\nhost: %s\r\nconnection: close\r\ncontent-length: %s\r\n\r\n%s' "$address" "${#body}" "$body" >&3
cat <&3 >answer
exit 7
"#;

fn agent(home: &std::path::Path, options: &[&str], url: &str) -> Output {
    let script = home.join("agent.sh");
    std::fs::write(&script, AGENT).unwrap();
    let words = ["run", "p.trim"].iter().chain(options).chain(&["--", "bash", "agent.sh"]);
    Run::new(words.copied()).current_dir(home).home(home).env("OPENAI_BASE_URL", &format!("{url}/v1")).output()
}

#[test]
fn a_command_runs_through_the_proxy_and_its_exit_code_is_that_of_the_run() {
    let (url, model) = model(2);
    let home = folder(&[("p.trim", POLICY)]);
    let observed = agent(home.path(), &["--record", "sessions"], &url).exits_with(7);
    assert!(observed.err.contains("1 request in 1 conversation"), "{}", observed.err);
    assert!(observed.err.contains("1 reply: 30 input tokens") && observed.err.contains("rule"), "{}", observed.err);
    assert_eq!(observed.out, "");
    assert!(std::fs::read_to_string(home.path().join("answer")).unwrap().contains("Done."));
    let enforced = agent(home.path(), &["--mode", "enforce"], &url).exits_with(7);
    assert!(enforced.err.contains("1 request sent with edits"), "{}", enforced.err);
    let bodies = model.join().unwrap();
    assert!(bodies[0].contains("a long result of the tool") && !bodies[1].contains("a long result of the tool"));
    let simulated = Run::line("simulate p.trim sessions --format json").current_dir(home.path()).output().exits_with(0);
    assert_eq!(simulated.json()["transcripts"].as_array().map(Vec::len), Some(1), "{}", simulated.out);
}

#[test]
fn nothing_is_started_under_a_policy_with_errors() {
    let home = folder(&[("p.trim", "edition 2026\npolicy p { rule a { do maks results } }\n"), ("ok.trim", POLICY)]);
    let run = |words: &[&str]| Run::new(words.iter().copied()).current_dir(home.path()).home(home.path()).output();
    let wrong = run(&["run", "p.trim", "--", "touch", "started"]).exits_with(1);
    assert!(wrong.err.contains("unknown effect `maks`"), "{}", wrong.err);
    let missing = run(&["run", "ok.trim", "--", "no-such-agent"]).exits_with(2);
    assert!(missing.err.contains("cannot run `no-such-agent`: it is not installed, or not in PATH"), "{}", missing.err);
    for (words, reason) in [
        (&["run", "ok.trim"][..], "COMMAND"),
        (&["run", "--mode", "enforce", "--", "touch", "started"], "needs a policy"),
        (&["run", "--upstream", "somebody=http://a", "--", "touch", "started"], "unknown provider `somebody`"),
        (&["run", "--upstream", "openai=ftp://a", "--", "touch", "started"], "must begin with"),
        (&["run", "ok.trim", "--summary-timeout", "30", "--", "touch", "started"], "expected a duration, such as 90s"),
        (&["proxy", "ok.trim", "--listen", "0.0.0.0:0"], "--token-file"),
        (&["proxy", "ok.trim", "--token-file", "nowhere"], "cannot read nowhere"),
        (&["proxy", "ok.trim", "--token-file", "ok.trim"], "16 visible"),
    ] {
        let failed = run(words).exits_with(2);
        assert!(failed.err.contains(reason), "{words:?}\n{}", failed.err);
    }
    let silent = run(&["run", "ok.trim", "--", "true"]).exits_with(0);
    assert!(silent.err.contains("the agent has sent nothing"), "{}", silent.err);
    let unenforced = run(&["run", "ok.trim", "--mode", "enforce", "--quiet", "--", "true"]).exits_with(2);
    assert!(
        unenforced.err.starts_with("error: the policy was not enforced: the agent has sent nothing"),
        "{}",
        unenforced.err
    );
    run(&["run", "ok.trim", "--mode", "enforce", "--", "sh", "-c", "exit 7"]).exits_with(7);
    let split = run(&["run", "none", "ok.trim", "--split", "50:50", "--record", "arms", "--", "true"]).exits_with(2);
    assert!(split.err.contains("error: the experiment did not take place"), "{}", split.err);
    assert!(!split.err.contains("recorded in"), "{}", split.err);
    assert!(!home.path().join("started").exists());
}

#[test]
fn a_proxy_says_where_it_listens_and_ends_when_it_is_asked_to() {
    let home = folder(&[("p.trim", POLICY)]);
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_trimtab"))
        .args(["proxy", "p.trim", "--listen", "127.0.0.1:0", "--state", "state"])
        .current_dir(home.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(proxy.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let address = line.split("http://").nth(1).unwrap().split([';', ' ']).next().unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET /_trimtab/health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut health = String::new();
    stream.read_to_string(&mut health).unwrap();
    assert!(health.contains(r#""mode":"observe""#) && health.contains(r#""policy":"p""#), "{health}");
    assert!(Command::new("kill").arg(proxy.id().to_string()).status().unwrap().success());
    assert_eq!(proxy.wait().unwrap().code(), Some(0));
}

/// The other tests name their words in lists.
#[test]
fn help_says_how_to_point_an_agent() {
    let help = Run::line("proxy --help").output().exits_with(0);
    assert!(help.out.contains("ANTHROPIC_BASE_URL"), "{}", help.out);
    let help = Run::line("run --help").output().exits_with(0);
    assert!(help.out.contains("exit code is that of the agent"), "{}", help.out);
}
