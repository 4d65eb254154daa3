//! Facts of the host in live sessions: before the first request, in overlapping requests, stored and recorded.

use std::sync::Arc;

use serde_json::json;
use trimtab::{Engine, FactValue, Host, LiveRequest, LiveSession, Plan, SimulationOptions};

use super::{Behavior, Disk, Scripted, body, send};

fn plan() -> Plan {
    let text = "edition 2026\nagent { fact load share fact tier text default \"free\" }\npolicy p {\n\
                rule tell { do notify \"{host.load ?? \\\"?\\\"} {host.tier}\" }\n\
                rule golden { on reply when host.tier == \"gold\" do notify \"gold reply\" }\n}\n";
    trimtab::compile("p.trim", text).plan(None).expect("a plan")
}

fn engine(disk: &Arc<Disk>) -> Engine {
    Engine::new(Scripted::new(&[Behavior::Fail])).recorder(disk.clone()).store(disk.clone())
}

fn notices(request: &LiveRequest) -> Vec<&str> {
    request.prepared.firings.iter().filter_map(|firing| firing.notice.as_deref()).collect()
}

#[tokio::test]
async fn overlapping_requests_read_the_newest_values() {
    let disk = Arc::new(Disk::default());
    let session = LiveSession::new(&plan(), Host::new(), engine(&disk), "s");
    session.set_fact("load", FactValue::Share(0.5)).expect("a declared fact");
    assert!(session.set_fact("lod", true).is_err() && session.set_fact("tier", 3).is_err());
    let first = send(&session, &body("a", 0)).await;
    assert_eq!(notices(&first), ["50% free"]);
    session.set_fact("tier", "gold").expect("a declared fact");
    session.clear_fact("load").expect("a declared fact");
    let second = send(&session, &body("b", 0)).await;
    assert_eq!(notices(&second), ["? gold"]);
    // The reply to the first request is judged by the values of now.
    let reply = json!({"role": "assistant", "content": "Done."}).to_string();
    let _ = session.after_reply(&first, &reply, None).await.expect("a reply");
    let recordings = disk.recordings();
    assert_eq!(recordings.len(), 2);
    for (branch, expected) in [(0, &["50% free", "gold reply"][..]), (1, &["? gold"])] {
        let recording = format!("{}{{\"role\":\"assistant\",\"content\":\"End.\"}}\n", recordings[&branch]);
        let recording = if branch == 0 { &recordings[&0] } else { &recording };
        let transcripts = trimtab::read_transcripts(recording.as_bytes(), None).expect("a recording");
        let simulation = trimtab::simulate(&plan(), &transcripts[0], &SimulationOptions::default());
        let fired: usize = simulation.rules().map(|rule| rule.fired_at.len()).sum();
        // The reply that ends the second recording was not made by the session.
        assert_eq!(fired, expected.len() + usize::from(branch == 1), "{recording}");
    }
}

#[tokio::test]
async fn a_session_that_is_opened_again_has_the_values_of_before() {
    let disk = Arc::new(Disk::default());
    let session = LiveSession::new(&plan(), Host::new(), engine(&disk), "s");
    let _ = send(&session, &body("a", 0)).await;
    session.set_fact("tier", "silver").expect("a declared fact");
    // Nothing has read it yet.
    assert!(session.flush().await.is_empty());
    let session = LiveSession::open(&plan(), Host::new(), engine(&disk), "s").await.expect("a session");
    session.set_fact("load", FactValue::Share(1.0)).expect("a declared fact");
    let sent = send(&session, &body("b", 1)).await;
    assert_eq!(notices(&sent).last(), Some(&"100% silver"));
}

#[test]
fn a_simulation_takes_values_for_all_its_calls() {
    let plan = plan();
    let recording = "{\"trimtab\":1}\n{\"fact\":\"tier\",\"value\":\"silver\"}\n{\"role\":\"user\",\"content\":\"go\"}\n\
                     {\"role\":\"assistant\",\"content\":\"Done.\"}\n";
    let transcripts = trimtab::read_transcripts(recording.as_bytes(), None).expect("a recording");
    let fired = |options: &SimulationOptions| {
        let simulation = trimtab::simulate(&plan, &transcripts[0], options);
        simulation.rules().map(|rule| rule.fired_at.len()).collect::<Vec<_>>()
    };
    assert_eq!(fired(&SimulationOptions::default()), [1, 0]);
    let options = SimulationOptions::default().fact(&plan, "tier", "gold").expect("a declared fact");
    assert_eq!(fired(&options), [1, 1]);
    let error = SimulationOptions::default().fact(&plan, "tier", 3).expect_err("a text");
    assert_eq!(error.to_string(), "`host.tier` is declared as `text`; the value is a count");
}
