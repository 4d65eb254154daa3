//! The pages of codes and lints: `NAME.md` beside the file that declares a lint, and `ID.md` in a folder with the name of
//! the file that declares the codes of a stage. Other tests check what their examples give.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use trimtab::diagnostic::Code;
use trimtab::format::{FormatError, format_source};
use trimtab::report;
use trimtab::source::{Source, SourceId};

use crate::golden::texts;
use crate::layers;

/// The name of the page of a code.
fn page_name(code: &Code) -> String {
    format!("{}.md", code.id.replace('-', "_"))
}

/// The language of the examples of a code.
fn language(code: &Code) -> &'static str {
    match code.id.get(..2) {
        Some("E6") => "yaml",
        Some("E7") => "toml",
        Some("E8") => "json",
        _ => "trim",
    }
}

/// All pages, by name.
fn pages() -> BTreeMap<String, PathBuf> {
    let mut paths = Vec::new();
    for folder in layers::folders() {
        layers::files(&folder, &mut paths);
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "md"));
    let count = paths.len();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let pages: BTreeMap<String, PathBuf> = paths.into_iter().map(|path| (name(&path), path)).collect();
    assert_eq!(pages.len(), count, "no two pages have one name");
    pages
}

#[test]
fn each_code_has_a_page_beside_the_file_that_declares_it_and_there_are_no_others() {
    let mut pages = pages();
    for code in report::rules() {
        let page = pages.remove(&page_name(code)).unwrap_or_else(|| panic!("{} is missing", page_name(code)));
        let own = page.with_extension("rs");
        let file = if own.is_file() { own } else { page.parent().unwrap().with_extension("rs") };
        let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} has no {}", page.display(), file.display()));
        let first = format!("\"{}\",", code.id);
        let is_declared = text.split("Code::new(").skip(1).any(|arguments| arguments.trim_start().starts_with(&first));
        assert!(is_declared, "{} does not declare {}", file.display(), code.id);
    }
    assert!(pages.is_empty(), "pages of no code: {pages:?}");
}

#[test]
fn a_page_has_sentences_and_two_examples_in_the_language_of_its_code() {
    let pages = pages();
    for code in report::rules() {
        assert!(code.why.ends_with('.') && !code.title.ends_with('.'), "{}", code.id);
        assert_ne!(code.wrong, code.right, "{}", code.id);
        let page = fs::read_to_string(&pages[&page_name(code)]).unwrap();
        let fence = format!("\n```{}\n", language(code));
        assert_eq!(page.matches(&fence).count(), 2, "{} has examples in {}", code.id, language(code));
    }
}

/// Whether each text of an example is formatted; `None` if one has syntax errors.
fn is_formatted(example: &str) -> Option<bool> {
    let formatted = |(name, text): (&str, &str)| match format_source(&Source::new(SourceId(0), name, text)) {
        Ok(formatted) => Some(formatted == text),
        Err(FormatError::SyntaxErrors(_)) => None,
        Err(error) => panic!("{error}\n{example}"),
    };
    texts("example.trim", example).into_iter().map(formatted).try_fold(true, |all, one| Some(all && one?))
}

#[test]
fn the_examples_of_codes_are_formatted() {
    let mut count = 0;
    for code in report::rules().into_iter().filter(|code| language(code) == "trim") {
        assert_eq!(is_formatted(code.right), Some(true), "{}\n{}", code.id, code.right);
        let wrong = match code.id {
            "not-formatted" => Some(false),
            id if id.starts_with("E1") => None,
            _ => Some(true),
        };
        assert_eq!(is_formatted(code.wrong), wrong, "{}\n{}", code.id, code.wrong);
        count += 1;
    }
    assert!(count > 200, "{count}");
}
