//! Experiments: each conversation gets one policy at random, and keeps it.

use std::path::Path;

use trimtab::proxy::{Arm, Experiment, Mode, Settings};

use super::model::Model;
use super::*;

const IDLE: &str = "edition 2026\npolicy none {}\n";

fn experiment(seed: &str, unit: Option<&str>) -> Experiment {
    let arm = |name: &str, policy: &str| Arm { name: name.to_owned(), plan: plan(policy), weight: 1 };
    let arms = vec![arm("none", IDLE), arm("tidy", POLICY)];
    Experiment { arms, seed: seed.to_owned(), unit: unit.map(str::to_owned) }
}

fn with(model: &Model, state: &Path, experiment: Experiment) -> Settings {
    Settings { experiment: Some(experiment), ..settings(model, state, None, Mode::Enforce) }
}

/// The requests of a conversation that no other one begins like.
fn conversation(number: usize) -> Vec<String> {
    let own = |request: String| request.replace("Read all files", &format!("{number}: Read all files"));
    requests(4).into_iter().map(own).collect()
}

/// The recordings below a folder, each with its arm and its unit.
fn recorded(folder: &Path) -> Vec<(String, String)> {
    let entries = |folder: &Path| -> Vec<std::path::PathBuf> {
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let units = entries(folder).into_iter().flat_map(|arm| {
        let arm_name = name(&arm);
        entries(&arm).into_iter().map(move |unit| (arm_name.clone(), unit)).collect::<Vec<_>>()
    });
    units.flat_map(|(arm, unit)| vec![(arm, name(&unit)); entries(&unit).len()]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_conversation_gets_one_policy_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream((number - 1) % 4)).await;
    let mut arms = Vec::new();
    for number in 0..8 {
        let requests = conversation(number);
        let before = model.received().len();
        for (turn, request) in requests.iter().enumerate() {
            // A restart in the middle, with another seed: what has begun goes on as it was.
            let seed = if turn < 2 { "a" } else { "b" };
            let (proxy, address) = start(with(&model, folder.path(), experiment(seed, None))).await;
            let answer = post(address, "/v1/messages", "", request.as_bytes()).await;
            assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (200, events(turn)));
            assert_eq!(proxy.failures(), Vec::<String>::new());
            let statistics = proxy.statistics();
            arms.push(statistics.values().next().unwrap().arm.clone().unwrap());
        }
        let sent = texts(&model.received()[before..]);
        let own = &arms[arms.len() - 4..];
        assert!(own.iter().all(|arm| *arm == own[0]), "{own:?}");
        let expected = if own[0] == "tidy" { expected(POLICY, &requests) } else { requests };
        assert_eq!(sent, expected);
    }
    assert!(arms.iter().any(|arm| arm == "none") && arms.iter().any(|arm| arm == "tidy"), "{arms:?}");
    let recorded = recorded(&folder.path().join("recordings"));
    assert_eq!(recorded.len(), 8);
    let tidy = arms.iter().filter(|arm| *arm == "tidy").count() / 4;
    assert_eq!(recorded.iter().filter(|(arm, _)| arm == "tidy").count(), tidy);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_names_alike_and_what_one_command_sends_gets_one_policy() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|_, _| stream(0)).await;
    let (proxy, address) = start(with(&model, folder.path(), experiment("a", None))).await;
    for number in 0..6 {
        let header = format!("x-trimtab-session: task {}\r\n", number % 2);
        post(address, "/v1/messages", &header, conversation(number)[0].as_bytes()).await;
    }
    let units = recorded(&folder.path().join("recordings"));
    assert_eq!(units.len(), 6);
    let distinct: std::collections::BTreeSet<_> = units.iter().collect();
    assert_eq!(distinct.len(), 2, "{units:?}");
    assert_eq!(proxy.failures(), Vec::<String>::new());

    let of_run = tempfile::tempdir().unwrap();
    let (_proxy, address) = start(with(&model, of_run.path(), experiment("a", Some("r")))).await;
    for number in 0..4 {
        post(address, "/v1/messages", "", conversation(number)[0].as_bytes()).await;
    }
    let units = recorded(&of_run.path().join("recordings"));
    assert!(units.len() == 4 && units.iter().all(|(arm, unit)| *arm == units[0].0 && unit == "r"), "{units:?}");
}
