//! What a person sees of the policies on their recordings: snapshots in `tests/simulate`.

use super::Run;
use crate::golden::snapshot;

const NAMES: &[&str] = &["coding_agent", "research_assistant", "stuck_agent", "support_desk"];

fn shown(name: &str, width: &str) -> String {
    let line = format!("simulate policies/{name}.trim policies/{name}.jsonl --width {width}");
    let done = Run::line(&line).done().ends(0);
    assert_eq!(done.err, "");
    done.out
}

#[test]
fn each_policy_on_its_recording_at_80_columns() {
    for name in NAMES {
        snapshot("simulate", &format!("{name}_80"), &shown(name, "80"));
    }
}

#[test]
fn a_replay_at_60_columns() {
    snapshot("simulate", "coding_agent_60", &shown("coding_agent", "60"));
}

#[test]
fn several_recordings_in_one_report() {
    let done = Run::line("simulate policies/stuck_agent.trim policies --width 80").done().ends(0);
    snapshot("simulate", "several_80", &done.out);
}

#[test]
fn a_call_explained() {
    let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --explain 6 --width 80";
    snapshot("simulate", "explain_80", &Run::line(line).done().ends(0).out);
}

#[test]
fn no_line_is_wider_than_the_width_unless_it_cannot_be_broken() {
    for name in NAMES {
        for width in [60, 72, 100] {
            let out = shown(name, &width.to_string());
            let wide = out.lines().filter(|line| line.chars().count() > width);
            // A line of one word has no place to break.
            let wide: Vec<&str> = wide.filter(|line| line.split_whitespace().count() > 1).collect();
            assert_eq!(wide, [""; 0], "{name} at {width}");
        }
    }
}
