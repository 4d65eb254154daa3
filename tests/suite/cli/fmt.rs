//! `trimtab fmt`.

use std::fs;

use super::{Run, folder};

const LOOSE: &str = "# why\npolicy p{rule a{do notify \"x\"   once}}\n";
const LAID_OUT: &str = "# why\npolicy p {\n  rule a {\n    do notify \"x\"\n    once\n  }\n}\n";
const BAD: &str = "policy p { rule a { do } }\n";

#[test]
fn files_are_rewritten_in_place_only_when_they_change() {
    let folder = folder(&[("a.trim", LOOSE), ("b.trim", LAID_OUT), ("c.txt", LOOSE)]);
    let path = |name: &str| folder.path().join(name);
    let before = fs::metadata(path("b.trim")).unwrap().modified().unwrap();
    let output = Run::line("fmt").arg(folder.path()).output().exits_with(0);
    let name = path("a.trim").display().to_string();
    assert_eq!(output.out, format!("{name} reformatted\n1 file reformatted, 1 file already formatted\n"));
    assert_eq!(fs::read_to_string(path("a.trim")).unwrap(), LAID_OUT);
    assert_eq!(fs::read_to_string(path("c.txt")).unwrap(), LOOSE);
    assert_eq!(fs::metadata(path("b.trim")).unwrap().modified().unwrap(), before);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing is left behind: {names:?}");
    let output = Run::line("fmt -q").arg(folder.path()).output().exits_with(0);
    assert_eq!((output.out.as_str(), output.err.as_str()), ("", ""));
}

#[test]
fn check_lists_what_would_change_and_writes_nothing() {
    let folder = folder(&[("a.trim", LOOSE), ("b.trim", LAID_OUT)]);
    let output = Run::line("fmt --check -q").arg(folder.path()).output().exits_with(1);
    assert_eq!(output.out, format!("{} would be reformatted\n", folder.path().join("a.trim").display()));
    assert_eq!(fs::read_to_string(folder.path().join("a.trim")).unwrap(), LOOSE);
    Run::line("fmt --check").arg(folder.path().join("b.trim")).output().exits_with(0);
}

#[test]
fn diff_shows_what_would_change_and_writes_nothing() {
    let folder = folder(&[("a.trim", LAID_OUT.replace("  once", "once").as_str()), ("b.trim", LAID_OUT)]);
    let output = Run::line("fmt --diff -q").arg(folder.path()).output().exits_with(1);
    let name = folder.path().join("a.trim").display().to_string();
    let around = " policy p {\n   rule a {\n     do notify \"x\"\n-  once\n+    once\n   }\n }\n";
    assert_eq!(output.out, format!("--- {name}\n+++ {name}\n@@ -2,6 +2,6 @@\n{around}"));
    assert!(fs::read_to_string(folder.path().join("a.trim")).unwrap().contains("\n  once"));
    let output = Run::line("fmt --diff").arg(folder.path().join("b.trim")).output().exits_with(0);
    assert_eq!(output.out, "1 file already formatted\n");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let output = Run::line("fmt -").input(LOOSE).output().exits_with(0);
    assert_eq!((output.out.as_str(), output.err.as_str()), (LAID_OUT, ""));
    let output = Run::line("fmt - --check --stdin-filename x.trim").input(LOOSE).output().exits_with(1);
    assert_eq!(output.out, "x.trim would be reformatted\n1 file would be reformatted\n");
    let output = Run::line("fmt -").input("").output().exits_with(0);
    assert_eq!(output.out, "");
}

#[test]
fn a_file_with_syntax_errors_is_not_formatted_and_the_others_are() {
    let folder = folder(&[("a.trim", BAD), ("b.trim", LOOSE)]);
    let output = Run::line("fmt").arg(folder.path()).output().exits_with(1);
    assert!(output.err.contains("error[E101]"), "{}", output.err);
    assert!(output.out.ends_with("1 file reformatted, 1 file with syntax errors\n"), "{}", output.out);
    assert_eq!(fs::read_to_string(folder.path().join("a.trim")).unwrap(), BAD);
    assert_eq!(fs::read_to_string(folder.path().join("b.trim")).unwrap(), LAID_OUT);
    let output = Run::line("fmt -").input(BAD).output().exits_with(1);
    assert_eq!(output.out, "");
}

#[test]
fn a_file_that_the_checker_rejects_is_still_formatted() {
    let output = Run::line("fmt -").input("policy p{rule a{do maks}}").output().exits_with(0);
    assert_eq!(output.out, "policy p {\n  rule a {\n    do maks\n  }\n}\n");
}

#[test]
fn yaml_policies_are_skipped_with_a_note() {
    let yaml = "effects: []\n";
    let folder = folder(&[("a.yaml", yaml)]);
    let output = Run::line("fmt").arg(folder.path().join("a.yaml")).output().exits_with(0);
    assert!(output.err.contains("only `.trim` policies are formatted"), "{}", output.err);
    assert_eq!(fs::read_to_string(folder.path().join("a.yaml")).unwrap(), yaml);
}

#[test]
fn an_unreadable_or_missing_file_exits_with_2() {
    let folder = folder(&[("b.trim", LOOSE)]);
    fs::write(folder.path().join("a.trim"), [0xff, 0x00]).unwrap();
    let output = Run::line("fmt").arg(folder.path()).output().exits_with(2);
    assert!(output.err.contains("UTF-8"), "{}", output.err);
    assert_eq!(fs::read_to_string(folder.path().join("b.trim")).unwrap(), LAID_OUT);
    let empty = super::folder(&[]);
    Run::line("fmt").arg(empty.path()).output().exits_with(2);
    let output = Run::line("fmt --allow-empty").arg(empty.path()).output().exits_with(0);
    assert_eq!(output.out, "");
    Run::line("fmt").arg(empty.path().join("a.trim")).output().exits_with(2);
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder(&[("real/a.trim", LOOSE)]);
    let (real, link) = (folder.path().join("real/a.trim"), folder.path().join("link.trim"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    Run::line("fmt").arg(&link).output().exits_with(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), LAID_OUT);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("a.trim", LOOSE)]);
    let path = folder.path().join("a.trim");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let output = Run::line("fmt").arg(&path).output().exits_with(2);
    assert!(output.err.contains("is read-only"), "{}", output.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), LOOSE);
}

#[test]
fn line_endings_follow_the_first_line() {
    let dos = |text: &str| text.replace('\n', "\r\n");
    let folder = folder(&[("a.trim", &dos(LAID_OUT)), ("b.trim", &dos(LOOSE))]);
    Run::line("fmt --check a.trim").current_dir(folder.path()).output().exits_with(0);
    Run::line("fmt b.trim").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(fs::read_to_string(folder.path().join("b.trim")).unwrap(), dos(LAID_OUT));
    // A stray line ending is corrected.
    let mixed = LAID_OUT.replacen('\n', "\r\n", 1);
    assert_eq!(Run::line("fmt -").input(mixed).output().exits_with(0).out, dos(LAID_OUT));
    assert_eq!(Run::line("fmt -").input(dos(LAID_OUT).replacen("\r\n", "\n", 1)).output().exits_with(0).out, LAID_OUT);
}

#[test]
fn the_help_of_since_is_about_files() {
    let help = Run::line("fmt --help").output().exits_with(0).out;
    assert!(help.contains("Format only files changed since") && !help.contains("findings in lines"), "{help}");
}
