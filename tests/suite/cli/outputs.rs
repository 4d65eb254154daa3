//! A command never writes its result over what it reads, and a command that fails keeps an older result.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use super::{Run, folder};
use crate::rng::Rng;

const POLICY: &str = "policies/coding_agent.trim";
const RECORDING: &str = "policies/coding_agent.jsonl";

/// A folder with a policy, a policy in YAML, `sessions` with two recordings, and a link to one of them.
fn project() -> tempfile::TempDir {
    let folder = folder(&[
        ("p.trim", &fs::read_to_string(POLICY).unwrap()),
        ("p.yaml", "effects:\n  - kind: max_iterations\n    limit: 3\n"),
        ("playbook.json", "{}"),
        ("trimtab.toml", ""),
    ]);
    fs::create_dir(folder.path().join("sessions")).unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        fs::copy(RECORDING, folder.path().join("sessions").join(name)).unwrap();
    }
    fs::hard_link(folder.path().join("sessions/a.jsonl"), folder.path().join("linked.jsonl")).unwrap();
    folder
}

fn contents(folder: &Path) -> Vec<Vec<u8>> {
    let names = ["p.trim", "p.yaml", "playbook.json", "trimtab.toml", "sessions/a.jsonl", "sessions/b.jsonl"];
    names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

#[test]
fn no_command_writes_over_what_it_reads() {
    for line in [
        "simulate p.trim sessions/a.jsonl -o sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl -o ./sessions/../sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl -o linked.jsonl",
        "simulate p.trim sessions/a.jsonl -o p.trim",
        "simulate p.trim sessions --format json -o sessions/b.jsonl",
        "simulate p.trim sessions/*.jsonl --svg sessions/b.jsonl",
        "simulate p.trim sessions/a.jsonl --events sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl --contexts sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl --playbook playbook.json -o playbook.json",
        "simulate --policies p.trim -o p.trim -- sessions",
        "report p.trim sessions -o sessions/a.jsonl",
        "sweep p.trim sessions --vary mask_old_results.keep=1,2 -o sessions/a.jsonl",
        "suggest sessions -o sessions/b.jsonl",
        "suggest sessions --force --write sessions/b.jsonl",
        "diff p.trim p.yaml -o p.yaml",
        "diff p.trim p.yaml --on sessions -o sessions/a.jsonl",
        "transcript convert sessions/a.jsonl --to trimtab -o sessions/a.jsonl",
        "transcript redact sessions/a.jsonl -o sessions/a.jsonl",
        "transcript stat sessions -o sessions/a.jsonl",
        "transcript validate sessions -o sessions/a.jsonl",
        "calibrate sessions -o sessions/a.jsonl",
        "fmt p.trim -o p.trim",
        "lint . -o p.trim",
        "lint p.trim --against sessions -o sessions/b.jsonl",
        "validate p.trim -o p.trim",
        "validate p.trim --config trimtab.toml -o trimtab.toml",
        "inspect p.trim -o p.trim",
        "compile p.trim -o p.trim",
        "import p.yaml -o p.yaml",
    ] {
        let folder = project();
        let before = contents(folder.path());
        let output = Run::line(line).current_dir(folder.path()).output().exits_with(2);
        assert!(output.err.contains("would overwrite"), "{line}: {}", output.err);
        assert_eq!(output.out, "", "{line}");
        assert!(contents(folder.path()) == before, "{line}");
    }
}

/// Results are not what these commands read, wherever they are.
#[test]
fn a_command_may_write_beside_what_it_reads_again_and_again() {
    let folder = project();
    for line in [
        "lint . --format json -o findings.json",
        "simulate p.trim sessions/a.jsonl --format json -o sessions/result.json",
        "simulate p.trim sessions/a.jsonl -o /dev/null --events /dev/null",
        "report p.trim sessions/*.jsonl -o sessions/page.html",
    ] {
        let codes = [(); 2].map(|()| Run::line(line).current_dir(folder.path()).output());
        assert!(codes.iter().all(|output| !output.err.contains("overwrite")), "{line}: {}", codes[1].err);
        assert_eq!(codes[0].code, codes[1].code, "{line}");
    }
}

#[test]
fn two_outputs_cannot_be_one_file() {
    let folder = project();
    for [contexts, events] in [["out.jsonl", "out.jsonl"], ["out.jsonl", "./out.jsonl"], ["./out.jsonl", "out.jsonl"]] {
        let line = format!("simulate p.trim sessions/a.jsonl --events {events} --contexts {contexts}");
        let output = Run::line(&line).current_dir(folder.path()).output().exits_with(2);
        let reason = format!("--contexts and --events name the same file, {events}");
        assert!(output.err.contains(&reason), "{}", output.err);
    }
}

#[test]
fn a_command_that_fails_keeps_an_older_result() {
    let folder = project();
    let result = folder.path().join("result.txt");
    fs::write(&result, "an older result, which is longer than the next one\n").unwrap();
    fs::write(folder.path().join("bad.trim"), "edition 2026\npolicy p { rule a { do nothing } }\n").unwrap();
    for line in [
        "simulate p.trim missing.jsonl -o result.txt",
        "simulate bad.trim sessions -o result.txt",
        "simulate p.trim sessions --model unheard-of -o result.txt",
        "transcript stat missing.jsonl -o result.txt",
    ] {
        assert_ne!(Run::line(line).current_dir(folder.path()).output().code, 0, "{line}");
        assert!(fs::read_to_string(&result).unwrap().starts_with("an older result"), "{line}");
    }
    Run::line("lint p.yaml --quiet -o result.txt").current_dir(folder.path()).output();
    assert!(!fs::read_to_string(&result).unwrap().contains("older"));
}

/// What a command reads because a file names it is protected like its arguments.
#[test]
fn no_command_writes_over_what_it_reads_indirectly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder(&[]);
    let copied = ["policies", "examples"].map(|name| copy_folder(&root.join(name), &folder.path().join(name)));
    let copied: Vec<_> = copied.into_iter().flatten().collect();
    fs::copy(root.join("trimtab.toml"), folder.path().join("trimtab.toml")).unwrap();
    fs::hard_link(folder.path().join("policies/budget.jsonl"), folder.path().join("linked.jsonl")).unwrap();
    let contents = || -> Vec<Vec<u8>> { copied.iter().map(|path| fs::read(path).unwrap()).collect() };
    let (before, settings) = (contents(), fs::read(folder.path().join("trimtab.toml")).unwrap());
    for line in [
        "ci -o policies/budget.trim",
        "ci -o policies/budget.jsonl",
        "ci -o linked.jsonl",
        "ci -o trimtab.toml",
        "ci --format json -o ./policies/../trimtab.toml",
        "lint policies -o trimtab.toml",
        "lint policies/budget.trim -o policies/../trimtab.toml",
        "test policies/stuck_agent.trim -o policies/stuck_agent.jsonl",
        "compile examples/09_composition.trim -o examples/common/window.trim",
        "inspect examples/09_composition.trim -o examples/common/window.trim",
        "lint examples/09_composition.trim -o examples/common/window.trim",
        "simulate policies/budget.trim policies/budget.jsonl --events trimtab.toml",
        "simulate policies/budget.trim policies/budget.jsonl --contexts trimtab.toml",
        "simulate policies/budget.trim policies/budget.jsonl --svg trimtab.toml",
        "report policies/budget.trim policies/budget.jsonl -o trimtab.toml",
        "suggest policies --force --write trimtab.toml",
        "sweep policies/budget.trim policies/budget.jsonl --vary plan_from=$0.20,$0.30 -o trimtab.toml",
        "sweep policies/budget.trim policies/budget.jsonl --vary plan_from=$0.20,$0.30 --resume trimtab.toml",
        "diff policies/budget.trim policies/budget_watchdog.trim --on policies/budget.jsonl -o trimtab.toml",
        "calibrate policies -o trimtab.toml",
    ] {
        let output = Run::line(line).current_dir(folder.path()).output();
        assert_eq!(output.code, 2, "{line}: {}{}", output.out, output.err);
        let name = line.rsplit(' ').next().unwrap();
        assert!(output.err.contains(name), "{line}: {}", output.err);
        assert!(contents() == before && fs::read(folder.path().join("trimtab.toml")).unwrap() == settings, "{line}");
    }
    // Standard input may be a file, too.
    #[cfg(unix)]
    {
        let mut format = Command::new(env!("CARGO_BIN_EXE_trimtab"));
        format.args(["fmt", "-", "-o", "policies/budget.trim"]).current_dir(folder.path());
        let input = fs::File::open(folder.path().join("policies/budget.trim")).unwrap();
        let output = format.stdin(input).output().unwrap();
        assert!(output.status.code() == Some(2) && contents() == before);
    }
    let mut summary = Run::line("ci").current_dir(folder.path()).env("GITHUB_ACTIONS", "true");
    summary = summary.env("GITHUB_STEP_SUMMARY", folder.path().join("policies/budget.trim").to_str().unwrap());
    summary.output().exits_with(2);
    assert!(contents() == before);
}

/// Copies the files of a folder and of those in it, and returns the copies.
fn copy_folder(from: &Path, to: &Path) -> Vec<std::path::PathBuf> {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).unwrap().map(|entry| entry.unwrap());
    let copy = |entry: fs::DirEntry| {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            return copy_folder(&entry.path(), &to);
        }
        fs::copy(entry.path(), &to).unwrap();
        vec![to]
    };
    entries.flat_map(copy).collect()
}

#[test]
fn without_a_result_the_old_file_stays() {
    let folder = project();
    fs::write(folder.path().join("result"), "old").unwrap();
    let bad = "edition 2026\npolicy x { rule a { do mask results keep 2 results\n";
    for (line, input) in [
        ("fmt - -o result", bad),
        ("transcript redact - -o result", "not a recording"),
        ("transcript convert - --to trimtab -o result", "not a recording"),
        ("transcript stat - -o result", "not a recording"),
        ("transcript show - -o result", "not a recording"),
        ("transcript validate - -o result", "not a recording"),
        ("transcript redact sessions/a.jsonl missing.jsonl --strict -o result", ""),
        ("calibrate - -o result", "not a recording"),
        ("simulate p.trim - -o result", "not a recording"),
        ("simulate p.trim - --events result", "not a recording"),
        ("simulate p.trim - --contexts result", "not a recording"),
        ("compile - -o result", bad),
        ("inspect - -o result", bad),
        ("import - --force -o result", "effects: [nonsense"),
        ("import p.yaml -o result", ""),
        ("schema nonsense -o result", ""),
        ("explain nonsense -o result", ""),
        ("diff p.trim missing.trim -o result", ""),
        ("merge sessions/a.jsonl -o result", ""),
        ("report p.trim missing.jsonl -o result", ""),
        ("sweep p.trim sessions --vary nonsense=1,2 -o result", ""),
        ("suggest missing.jsonl -o result", ""),
        ("init -o result", ""),
        ("test p.trim --run nonsense -o result", ""),
    ] {
        let output = Run::line(line).current_dir(folder.path()).input(input).output();
        assert_ne!(output.code, 0, "{line}: {}", output.err);
        assert_eq!(fs::read_to_string(folder.path().join("result")).unwrap(), "old", "{line}: {}", output.err);
    }
}

#[test]
fn two_results_cannot_share_standard_output() {
    let folder = project();
    for outputs in [
        "--contexts - --events -",
        "--events - --svg -",
        "--contexts - -o -",
        "--contexts /dev/stdout --events -",
        "--events - -o /dev/stdout",
        "--events /dev/stdout --svg /dev/fd/1",
    ] {
        let line = format!("simulate p.trim sessions/a.jsonl {outputs}");
        let output = Run::line(&line).current_dir(folder.path()).output().exits_with(2);
        assert!(output.out.is_empty() && output.err.contains("standard output"), "{line}: {}", output.err);
    }
    for outputs in ["--events -", "--contexts /dev/stdout", "--svg - -o report.txt"] {
        let line = format!("simulate p.trim sessions/a.jsonl {outputs}");
        let output = Run::line(&line).current_dir(folder.path()).output();
        assert!(output.code < 2 && output.out.starts_with(['{', '<']), "{line}: {}{}", output.out, output.err);
    }
}

/// A file to be edited or replaced keeps what its owner has set.
#[cfg(unix)]
#[test]
fn permissions_links_and_marks_are_kept() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = folder(&[
        ("real/a.trim", "\u{feff}edition   2026\n"),
        ("b.txt", "old"),
        ("p.trim", &super::policy("do stop \"x\"")),
    ]);
    let path = |name: &str| folder.path().join(name);
    symlink("real/a.trim", path("a.trim")).unwrap();
    symlink("b.txt", path("c.txt")).unwrap();
    for name in ["real/a.trim", "b.txt"] {
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o640)).unwrap();
    }
    // Only the administrator can give a file to somebody else.
    let is_foreign = std::os::unix::fs::chown(path("real/a.trim"), Some(1234), Some(1234)).is_ok();
    Run::line("fmt a.trim").current_dir(folder.path()).output().exits_with(0);
    Run::line("explain mask -o c.txt").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(fs::read_to_string(path("a.trim")).unwrap(), "\u{feff}edition 2026\n");
    assert!(path("a.trim").is_symlink() && path("c.txt").is_symlink());
    assert!(fs::read_to_string(path("b.txt")).unwrap().contains("mask"));
    for name in ["real/a.trim", "b.txt"] {
        let metadata = fs::metadata(path(name)).unwrap();
        assert_eq!(metadata.mode() & 0o7777, 0o640, "{name}");
        assert!(name == "b.txt" || !is_foreign || (metadata.uid(), metadata.gid()) == (1234, 1234));
    }
    // New files are as any program makes them.
    fs::write(path("other"), "").unwrap();
    Run::line("explain mask -o new").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(fs::metadata(path("new")).unwrap().mode(), fs::metadata(path("other")).unwrap().mode());
    // A file that must not be written is not replaced either.
    fs::set_permissions(path("b.txt"), fs::Permissions::from_mode(0o440)).unwrap();
    let output = Run::line("explain mask -o b.txt").current_dir(folder.path()).output().exits_with(2);
    assert!(output.err.contains("b.txt: the file is read-only"), "{}", output.err);
}

#[test]
fn a_file_that_a_killed_command_has_left_does_not_block_others() {
    let folder = folder(&[("b.trim", "edition   2026\n")]);
    for id in 1..=40 {
        fs::write(folder.path().join(format!(".b.trim.{id}.new")), "").unwrap();
        fs::write(folder.path().join(format!(".trimtab-{id}.new")), "").unwrap();
    }
    Run::line("fmt b.trim").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(fs::read_to_string(folder.path().join("b.trim")).unwrap(), "edition 2026\n");
}

/// The lines that write files, each with its results.
#[cfg(unix)]
const WRITERS: &[(&str, &[&str])] = &[
    ("simulate p.trim sessions --format json -o result", &["result"]),
    (
        "simulate p.trim sessions/a.jsonl --events events --contexts result --svg chart.svg",
        &["events", "result", "chart.svg"],
    ),
    ("report p.trim sessions -o result", &["result"]),
    ("lint . --format sarif -o result", &["result"]),
    ("transcript redact sessions -o result", &["result"]),
    ("suggest sessions --force --write result", &["result"]),
    ("fmt large.trim", &["large.trim"]),
    ("lint large.trim --fix", &["large.trim"]),
    ("man --output-dir man", &["man/trimtab.1", "man/trimtab-lint.1"]),
    ("sweep p.trim sessions --vary mask_old_results.keep=1,2 --format json -o result", &["result"]),
    ("merge part.json -o result", &["result"]),
    ("diff p.trim large.trim -o result", &["result"]),
    ("ci --format json -o result", &["result"]),
    ("test p.trim -o result", &["result"]),
    ("validate p.trim --format json -o result", &["result"]),
    ("inspect large.trim -o result", &["result"]),
    ("compile large.trim -o result", &["result"]),
    ("import effects.yaml -o result", &["result"]),
    ("calibrate sessions --format json -o result", &["result"]),
    ("transcript stat sessions --format json -o result", &["result"]),
    ("transcript show sessions/a.jsonl -o result", &["result"]),
    ("transcript validate sessions --format json -o result", &["result"]),
    ("transcript convert sessions/a.jsonl --to trimtab -o result", &["result"]),
    ("explain --all -o result", &["result"]),
    ("rules -o result", &["result"]),
    ("schema simulate -o result", &["result"]),
    ("completions bash -o result", &["result"]),
];

/// The project with a policy file that is large enough to be interrupted, and the result of a simulation if a line takes one.
#[cfg(unix)]
fn large_project(line: &str) -> tempfile::TempDir {
    let folder = project();
    fs::write(folder.path().join("effects.yaml"), "effects:\n  - kind: compact\n").unwrap();
    if line.contains("part.json") {
        let simulate = "simulate p.trim sessions --format json -o part.json";
        Run::line(simulate).current_dir(folder.path()).output().exits_with(0);
    }
    let rules: String = (0..400)
        .map(|at| format!("rule r{at} {{ when  not (not (failures > {at})) do notify \"x\" once per failures }}\n"))
        .collect();
    fs::write(folder.path().join("large.trim"), format!("edition 2026\npolicy p {{\n{rules}}}\n")).unwrap();
    folder
}

#[cfg(unix)]
fn names(folder: &Path) -> Vec<String> {
    let all = walk(folder);
    all.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
}

#[cfg(unix)]
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect();
    paths.sort();
    paths
}

/// A disk without any space or with a little, and a limit on the size of files with its signal.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_the_old_files() {
    let shells = [
        "trap '' XFSZ; ulimit -f 0; exec \"$@\"",
        "trap '' XFSZ; ulimit -f 2; exec \"$@\"",
        "ulimit -f 2; exec \"$@\"",
    ];
    for (line, results) in WRITERS {
        let complete = large_project(line);
        Run::line(line).current_dir(complete.path()).output();
        for shell in shells {
            let folder = large_project(line);
            for result in *results {
                let path = folder.path().join(result);
                if !path.exists() {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, "old").unwrap();
                }
            }
            let read = |name: &&str| fs::read(folder.path().join(name)).unwrap();
            let old: Vec<Vec<u8>> = results.iter().map(read).collect();
            let before = names(folder.path());
            let mut command = Command::new("sh");
            command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_trimtab")]).args(line.split(' '));
            let output = command.current_dir(folder.path()).output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            let mut written = 0;
            for (name, old) in results.iter().zip(&old) {
                let new = read(name);
                let is_new = new == fs::read(complete.path().join(name)).unwrap();
                assert!(new == *old || is_new, "{line} ({shell}): {name} is cut: {message}");
                written += usize::from(is_new);
            }
            assert_eq!(names(folder.path()), before, "{line} ({shell}) leaves files");
            assert!(written == 0 || !shell.contains("-f 0"), "{line} ({shell}) writes");
            // A signal leaves no time for a message.
            if written < results.len() && output.status.code().is_some() {
                assert_eq!(output.status.code(), Some(2), "{line} ({shell}): {message}");
                assert!(results.iter().any(|name| message.contains(name)), "{line} ({shell}): {message}");
            }
        }
    }
}

/// At whatever moment a command is killed, each file is the old or the new one.
#[cfg(unix)]
#[test]
fn a_killed_command_leaves_the_old_files_or_the_new_ones() {
    for (line, results) in WRITERS {
        let folder = large_project(line);
        let path = |name: &str| folder.path().join(name);
        let large = fs::read(path("large.trim")).unwrap();
        let spawn = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
            command.args(line.split(' ')).current_dir(folder.path());
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let begin = std::time::Instant::now();
        spawn().wait().unwrap();
        let (duration, new): (_, Vec<_>) =
            (begin.elapsed(), results.iter().map(|name| fs::read(path(name)).unwrap()).collect());
        let before = names(folder.path());
        let rng = &mut Rng::new(line.len() as u64);
        for step in 0..8u32 {
            for name in *results {
                let old: &[u8] = if *name == "large.trim" { &large } else { b"old" };
                fs::write(path(name), old).unwrap();
            }
            let mut child = spawn();
            let point = f64::from(step * 1000 + u32::try_from(rng.below(1000)).unwrap()) / 8000.0;
            std::thread::sleep(duration.mul_f64(point));
            child.kill().unwrap();
            child.wait().unwrap();
            for (name, new) in results.iter().zip(&new) {
                let old: &[u8] = if *name == "large.trim" { &large } else { b"old" };
                let now = fs::read(path(name)).unwrap();
                assert!(now == old || now == *new, "{line}, killed after {point} of its time: {name}");
            }
            let left: Vec<_> = names(folder.path()).into_iter().filter(|name| !before.contains(name)).collect();
            // Between the link and the rename, a complete draft has a name.
            assert!(left.len() <= usize::from(!left.is_empty()), "{line}: {left:?}");
            for name in &left {
                fs::remove_file(path(name)).unwrap();
            }
        }
    }
}

/// Mounts a file system of 4 MB on its first argument, copies the second one there, fills it but for so many bytes, runs a
/// command in it, and copies everything but the filling to the fourth one.
#[cfg(target_os = "linux")]
const ON_FULL_DISK: &str = r#"
mount -t tmpfs -o size=4m tmpfs "$1" || exit 77
cp -r "$2"/. "$1" && cd "$1" || exit 78
dd if=/dev/zero of=filling bs=4096 2>/dev/null
truncate -s -"$3" filling
copy=$4; shift 4
"$@" 2>"$copy.err" >/dev/null; code=$?
rm -f filling; cp -r . "$copy"; exit $code
"#;

/// A file system without any space or with a little. Where none can be mounted, only the limit on the size of files is tried.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_keeps_the_old_files() {
    for (line, results) in WRITERS {
        let complete = large_project(line);
        Run::line(line).current_dir(complete.path()).output();
        for free in ["0", "4096"] {
            let (project, mounted, copies) = (large_project(line), folder(&[]), folder(&[]));
            for result in *results {
                let path = project.path().join(result);
                if !path.exists() {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, "old").unwrap();
                }
            }
            let copy = copies.path().join("copy");
            fs::create_dir(&copy).unwrap();
            let mut command = Command::new("unshare");
            command.args(["-rm", "sh", "-c", ON_FULL_DISK, "sh"]).arg(mounted.path()).arg(project.path()).arg(free);
            command.arg(&copy).arg(env!("CARGO_BIN_EXE_trimtab")).args(line.split(' '));
            let code = command.stderr(Stdio::null()).status().ok().and_then(|status| status.code());
            if code.is_none_or(|code| code == 77 || code == 126 || code == 127)
                || !copies.path().join("copy.err").exists()
            {
                return;
            }
            let message = fs::read_to_string(copies.path().join("copy.err")).unwrap();
            let mut written = 0;
            for name in *results {
                let (old, new) = (fs::read(project.path().join(name)).unwrap(), fs::read(copy.join(name)).unwrap());
                let is_new = new == fs::read(complete.path().join(name)).unwrap();
                assert!(new == old || is_new, "{line} ({free} free): {name} is cut: {message}");
                written += usize::from(is_new);
            }
            let before = names(project.path());
            for name in names(&copy).iter().filter(|name| !before.contains(name)) {
                let whole = fs::read(complete.path().join(name)).unwrap_or_default();
                assert!(fs::read(copy.join(name)).unwrap() == whole, "{line} ({free} free) leaves a part of {name}");
            }
            if written < results.len() {
                assert_eq!(code, Some(2), "{line} ({free} free): {message}");
                let folder = |name: &&str| name.split('/').next().is_some_and(|folder| message.contains(folder));
                assert!(results.iter().any(folder), "{line} ({free} free): {message}");
            }
        }
    }
}
