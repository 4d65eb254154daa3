//! `docs/recipes.md`: the policies of `examples/recipes`, each with the wish that it fulfils.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::Run;

const PAGE: &str = "docs/recipes.md";
const FOLDER: &str = "examples/recipes";
/// The line of the page before the generated part.
const MARKER: &str =
    "<!-- Generated from examples/recipes: TRIMTAB_UPDATE_CONSOLE=1 cargo test --test suite recipes -->\n";

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// The files of a wish: one policy, or a folder of policies that belong together.
fn files(wish: &Path) -> Vec<PathBuf> {
    if wish.is_dir() { entries(wish) } else { vec![wish.to_owned()] }
}

/// The paragraphs of the comment at the top of a policy file.
fn header(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("#:"));
    lines.fold(String::new(), |out, line| out + line.trim() + "\n")
}

/// The items of a policy file between the comment at its top and its first test.
fn items(text: &str) -> &str {
    let start = text.find("edition 2026\n").unwrap();
    let end = text.find("\ntest \"").unwrap();
    text[start..end].trim_end()
}

/// The title of a wish: `Mask down to half` for `01_mask_down_to_half.trim`.
fn title(wish: &Path) -> String {
    let name = wish.file_stem().unwrap().to_string_lossy();
    let words = name.split_once('_').unwrap().1.replace('_', " ");
    words[..1].to_uppercase() + &words[1..]
}

/// A table of all wishes and a section for each.
fn generated() -> String {
    let (mut table, mut sections) = (String::from("| task | recipe |\n|---|---|\n"), String::new());
    for wish in entries(Path::new(FOLDER)) {
        let title = title(&wish);
        write!(sections, "\n## {title}\n").unwrap();
        for (at, path) in files(&wish).iter().enumerate() {
            let text = fs::read_to_string(path).unwrap();
            let header = header(&text);
            if at == 0 {
                let words = header.split("\n\n").next().unwrap().trim_end().replace('\n', " ");
                writeln!(table, "| {words} | [{title}](#{}) |", title.to_lowercase().replace(' ', "-")).unwrap();
            }
            let path = path.display();
            write!(sections, "\n{header}\n```trim\n{}\n```\n\nWith tests: [`{path}`](../{path})\n", items(&text))
                .unwrap();
        }
    }
    table + &sections
}

#[test]
fn the_page_shows_each_wish_with_its_policy() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (intro, shown) = page.split_once(MARKER).unwrap();
    let expected = format!("\n{}", generated());
    if std::env::var_os("TRIMTAB_UPDATE_CONSOLE").is_some() {
        fs::write(PAGE, format!("{intro}{MARKER}{expected}")).unwrap();
    } else {
        assert!(shown == expected, "{PAGE} is old: TRIMTAB_UPDATE_CONSOLE=1 cargo test --test suite recipes");
    }
}

#[test]
fn each_wish_has_a_number_of_its_own() {
    let names = entries(Path::new(FOLDER)).into_iter().map(|path| path.file_name().unwrap().display().to_string());
    let numbers: Vec<u8> = names.map(|name| name.split_once('_').unwrap().0.parse().unwrap()).collect();
    assert!(numbers.len() >= 10 && numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn wishes_are_formatted_free_of_findings_and_covered() {
    Run::line("fmt --check").arg(FOLDER).output().exits_with(0);
    let report = Run::line("lint --no-suppress").arg(FOLDER).output().exits_with(0);
    assert!((report.out + &report.err).contains("no problems found"));
    Run::line("test --coverage --min-coverage 100").arg(FOLDER).output().exits_with(0);
}

/// The findings of a policy that extends the shared base and contains this.
fn findings_of_extension(clauses: &str) -> (i32, String) {
    let folder = TempDir::new().unwrap();
    fs::copy(format!("{FOLDER}/09_shared_base/base.trim"), folder.path().join("base.trim")).unwrap();
    let text = format!("edition 2026\nuse \"base.trim\"\npolicy mine extends base {{ {clauses} }}\n");
    fs::write(folder.path().join("mine.trim"), text).unwrap();
    let output = Run::line("validate --format concise mine.trim").current_dir(folder.path()).output();
    (output.code, output.out)
}

#[test]
fn no_extension_of_the_shared_base_can_change_its_stop_rule() {
    for clauses in [
        "override rule stop_the_run { when budget.calls >= 500 }",
        "disable rule stop_the_run \"our runs are long\"",
        "rule first before stop_the_run { do mask results }",
    ] {
        let (code, out) = findings_of_extension(clauses);
        assert!(code == 1 && out.contains("E528"), "{clauses}: {out}");
    }
    let (code, out) = findings_of_extension("override rule mask_old_results { when context.ratio >= 50% }");
    assert_eq!(code, 0, "{out}");
}
