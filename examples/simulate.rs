//! Compile a policy file and simulate it on a recording, like `trimtab simulate POLICY RECORDING`.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads files and shows its result")]

use trimtab::SimulationOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let policy = arguments.next().unwrap_or_else(|| "policies/coding_agent.trim".to_owned());
    let recording = arguments.next().unwrap_or_else(|| "policies/coding_agent.jsonl".to_owned());

    let policy = trimtab::compile_file(policy)?;
    for diagnostic in policy.diagnostics() {
        println!("{}: {}", diagnostic.code.id, diagnostic.message);
    }
    let plan = policy.plan(None)?;
    println!("{} ({})", plan.policy(), plan.hash());

    for transcript in trimtab::read_transcripts(&std::fs::read(recording)?, None)? {
        let simulation = trimtab::simulate(&plan, &transcript, &SimulationOptions::default());
        let before = simulation.calls().map(|call| call.before).max().unwrap_or(0);
        let after = simulation.calls().filter_map(|call| call.after).max().unwrap_or(0);
        println!("{} calls, largest context {before} tokens, {after} with the policy", simulation.calls().count());
        for rule in simulation.rules() {
            println!("  {}: fired {} times, {} tokens saved", rule.name, rule.fired_at.len(), rule.tokens_saved);
        }
    }
    Ok(())
}
