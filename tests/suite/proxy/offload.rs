//! Offloaded results come back by a command in the agent's shell.

use trimtab::proxy::{Mode, PassReason};
use trimtab::simulate::{Extract, Options, replay};
use trimtab::transcript;

use super::model::Model;
use super::{plan, post, requests, settings, start, stream, texts};
use crate::cli::Run;

const POLICY: &str = "edition 2026\npolicy p {\n  rule away { do offload results over 200 chars keep 1 result }\n}\n";

/// Requests of a client that has a shell.
fn with_shell(turns: usize) -> Vec<String> {
    let shell = r#""tools": [ {"name":"Bash","input_schema":{}}, "#;
    requests(turns).into_iter().map(|request| request.replacen(r#""tools": [ "#, shell, 1)).collect()
}

/// The ids in the placeholders of a request.
fn ids(request: &str) -> Vec<&str> {
    request.split("run `trimtab recall ").skip(1).map(|rest| rest.split('`').next().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_offloaded_is_printed_by_the_command_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let requests = with_shell(5);
    for request in &requests {
        // Each request meets another process.
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        assert_eq!(proxy.failures(), Vec::<String>::new());
    }
    let sent = texts(&model.received());
    let last = ids(&sent[4]);
    assert_eq!(last.len(), 3, "{}", sent[4]);
    assert!(!sent[4].contains("\"recall\""), "no tool is declared that the client does not know");
    let state = folder.path().join("state");
    for (turn, id) in last.iter().enumerate() {
        let content = format!("File {turn} has \u{fc}nicode. ").repeat(20 + 10 * turn);
        let recalled = Run::line(&format!("recall {id} --state")).arg(&state).output().exits_with(0);
        assert_eq!(recalled.out, content);
        let recalled =
            Run::line(&format!("recall {id}")).env("TRIMTAB_STATE", state.to_str().unwrap()).output().exits_with(0);
        assert_eq!(recalled.out, content);
    }
    #[cfg(unix)]
    for entry in std::fs::read_dir(state.join("offloaded")).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // A simulation of the recording has the same placeholders.
    let recording = std::fs::read_dir(folder.path().join("recordings")).unwrap().next().unwrap().unwrap();
    let read = transcript::read(&std::fs::read(recording.path()).unwrap(), None).unwrap().transcripts.remove(0);
    let mut simulated = Vec::new();
    replay(&crate::laws::plan(POLICY), &read, &Options::default(), &mut Extract, &mut |context| {
        let texts = context
            .messages()
            .into_iter()
            .flat_map(|message| message.results().map(|result| result.text.to_string()).collect::<Vec<_>>());
        simulated.push(texts.collect::<String>());
    });
    assert_eq!(ids(&simulated[4]), last);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_without_a_shell_and_a_folder_that_cannot_be_written_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let without = requests(4);
    for request in &without {
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
    }
    assert_eq!(texts(&model.received()), without);
    assert_eq!(proxy.counters().passed.get(&PassReason::NoShell), Some(&4));

    let other = tempfile::tempdir().unwrap();
    let (proxy, address) = start(settings(&model, other.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let contents = other.path().join("state/offloaded");
    std::fs::remove_dir(&contents).unwrap();
    std::fs::write(&contents, "").unwrap();
    let with = with_shell(4);
    for request in &with {
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
    }
    assert_eq!(texts(&model.received())[4..], with);
    assert!(proxy.failures()[0].contains("cannot be kept"), "{:?}", proxy.failures());
}
