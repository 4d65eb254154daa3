//! Lint a policy, render the findings, and apply the safe fixes.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use trimtab::{LintOptions, NoSources};

const POLICY: &str = "edition 2026
policy noisy \"Reminds the agent.\" {
  rule remind { when not (context.ratio < 80%) do inject \"Keep it short.\" once }
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = LintOptions::default().select(&["all"])?;
    let policy = trimtab::compile("noisy.trim", POLICY);
    let findings = policy.lint(&options);
    println!("{}", policy.render(&findings, "concise").unwrap_or_default());

    let fixed = trimtab::fix("noisy.trim", POLICY, &mut NoSources, &options, false);
    println!("{} fixes applied, {} findings left:\n{}", fixed.applied.len(), fixed.remaining.len(), fixed.text);
    Ok(())
}
