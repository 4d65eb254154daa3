//! The human-readable reports of the policies on their recordings: snapshots in `tests/simulate`.

use super::Run;
use crate::golden::snapshot;

const NAMES: &[&str] = &["coding_agent", "research_assistant", "stuck_agent", "support_desk"];

fn report(name: &str, width: &str) -> String {
    let line = format!("simulate policies/{name}.trim policies/{name}.jsonl --width {width}");
    let output = Run::line(&line).output().exits_with(0);
    assert_eq!(output.err, "");
    output.out
}

#[test]
fn each_policy_on_its_recording_at_80_columns() {
    for name in NAMES {
        snapshot("simulate", &format!("{name}_80"), &report(name, "80"));
    }
}

#[test]
fn a_replay_at_60_columns() {
    snapshot("simulate", "coding_agent_60", &report("coding_agent", "60"));
}

#[test]
fn several_recordings_in_one_report() {
    let output = Run::line("simulate policies/stuck_agent.trim policies --width 80").output().exits_with(0);
    snapshot("simulate", "several_80", &output.out);
}

#[test]
fn the_explanation_of_one_call() {
    let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --explain 6 --width 80";
    snapshot("simulate", "explain_80", &Run::line(line).output().exits_with(0).out);
}

#[test]
fn no_line_is_wider_than_the_width_unless_it_cannot_be_broken() {
    for name in NAMES {
        for width in [60, 72, 100] {
            let out = report(name, &width.to_string());
            let wide = out.lines().filter(|line| line.chars().count() > width);
            // A line of one word cannot be broken.
            let wide: Vec<&str> = wide.filter(|line| line.split_whitespace().count() > 1).collect();
            assert_eq!(wide, [""; 0], "{name} at {width}");
        }
    }
}
