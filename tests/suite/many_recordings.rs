//! `docs/many_recordings.md`: its program distributes a simulation with Ray, if Python has it.

use std::fs;
use std::process::Command;

use crate::cli::Run;

const PROGRAM: &str = "docs/many_recordings/simulate.py";

/// The interpreter that `TRIMTAB_PYTHON` names, or one with Ray; none if there is no Ray.
fn python() -> Option<String> {
    let named = std::env::var("TRIMTAB_PYTHON").ok();
    let python = named.clone().unwrap_or_else(|| "python3".to_owned());
    let has_ray =
        Command::new(&python).args(["-c", "import ray.data"]).output().is_ok_and(|done| done.status.success());
    assert!(has_ray || named.is_none(), "TRIMTAB_PYTHON: `{python}` has no Ray Data");
    has_ray.then_some(python)
}

#[test]
fn the_page_shows_the_program() {
    let (page, program) =
        (fs::read_to_string("docs/many_recordings.md").unwrap(), fs::read_to_string(PROGRAM).unwrap());
    assert!(page.contains(&format!("```python\n{program}```\n")));
}

#[test]
fn a_simulation_on_ray_is_that_of_one_process() {
    let Some(python) = python() else {
        let notice = "\n*** SKIPPED: set TRIMTAB_PYTHON to a Python with `ray[data]` to run docs/many_recordings/simulate.py ***\n\n";
        drop(std::io::Write::write_all(&mut std::io::stderr(), notice.as_bytes()));
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (distributed, whole) = (folder.path().join("distributed.json"), folder.path().join("whole.json"));
    let mut command = Command::new(python);
    command.args([PROGRAM, "policies/coding_agent.trim", "policies"]).arg(&distributed);
    command.env("TRIMTAB", env!("CARGO_BIN_EXE_trimtab")).env("PYTHONDONTWRITEBYTECODE", "1");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let line = "simulate policies/coding_agent.trim policies --sort name --format json -o";
    Run::line(line).arg(&whole).output().exits_with(0);
    assert_eq!(fs::read_to_string(distributed).unwrap(), fs::read_to_string(whole).unwrap());
}
