//! `docs/incidents.md`: published faults, each found in a policy and absent from the fixed one.

use std::collections::BTreeSet;
use std::fs;

use trimtab::lint;
use trimtab::report;

use crate::cli::Run;
use crate::console::words;

const PAGE: &str = "docs/incidents.md";
const FOLDER: &str = "docs/incidents";

/// One incident of the page: a row of the table and the section that it links to.
struct Incident {
    title: String,
    /// The third column.
    caught: String,
    /// The links to where it was published.
    links: Vec<String>,
    /// The command on the policy with the fault, and the one on the fixed policy.
    commands: Vec<String>,
}

/// The rows of the table: the title, the anchor and what catches it.
fn rows(page: &str) -> Vec<(String, String, String)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ["));
    let cells = rows.map(|row| row.trim_end_matches(" |").split(" | ").collect::<Vec<_>>());
    let read = |row: Vec<&str>| {
        let [first, _, caught] = row[..] else { panic!("three columns: {row:?}") };
        let (title, anchor) = first.split_once("](#").unwrap();
        (title.to_owned(), anchor.trim_end_matches(')').to_owned(), caught.to_owned())
    };
    cells.map(read).collect()
}

/// The anchor that a heading gets.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars().filter(|char| char.is_alphanumeric() || *char == '-').collect()
}

fn incidents() -> Vec<Incident> {
    let page = fs::read_to_string(PAGE).unwrap();
    let sections: Vec<(&str, &str)> =
        page.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap()).collect();
    let rows = rows(&page);
    let titles: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, rows.iter().map(|(title, ..)| title.as_str()).collect::<Vec<_>>(), "rows and sections");
    rows.into_iter().zip(sections).map(|(row, (_, text))| incident(row, text)).collect()
}

fn incident((title, link, caught): (String, String, String), text: &str) -> Incident {
    assert_eq!(link, anchor(&title));
    let links = text.split("<http").skip(1).filter_map(|rest| rest.split_once('>'));
    let links = links.map(|(rest, _)| format!("http{rest}"));
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned);
    Incident { links: links.collect(), commands: commands.collect(), title, caught }
}

/// The first text between backticks.
fn quoted(text: &str) -> &str {
    text.split('`').nth(1).unwrap_or_else(|| panic!("{text} names nothing"))
}

fn run(command: &str) -> (i32, String) {
    let words = words(command);
    assert_eq!(words[0], "trimtab");
    let output = Run::new(&words[1..]).output();
    (output.code, output.out)
}

/// The policy of the folder that a command checks.
fn policy(command: &str) -> String {
    let of_folder = |word: &String| word.starts_with(FOLDER) && !word.ends_with("jsonl");
    words(command).into_iter().find(of_folder).unwrap_or_else(|| panic!("{command} names no policy"))
}

#[test]
fn there_are_at_least_fourteen_incidents_and_each_links_its_sources() {
    let all = incidents();
    assert!(all.len() >= 14, "{}", all.len());
    for incident in &all {
        assert!(!incident.links.is_empty(), "{} has no link", incident.title);
        for link in &incident.links {
            let parts: Vec<&str> = link.strip_prefix("https://github.com/").unwrap_or_default().split('/').collect();
            let number = parts.get(3).is_some_and(|number| number.parse::<u32>().is_ok());
            let kind = parts.get(2).is_some_and(|kind| ["issues", "pull"].contains(kind));
            assert!(parts.len() == 4 && kind && number, "{}: {link}", incident.title);
        }
    }
}

#[test]
fn the_lint_code_or_command_that_catches_an_incident_exists() {
    let mut other = 0;
    for incident in incidents() {
        let name = quoted(&incident.caught);
        match incident.caught.split(' ').next() {
            Some("lint") => assert!(lint::find(name).is_some(), "{}: no lint {name}", incident.title),
            Some("code") => assert!(report::codes().any(|code| code.id == name), "{}: no code {name}", incident.title),
            _ => {
                let words: Vec<&str> = name.split(' ').collect();
                assert_eq!(words[0], "trimtab", "{}", incident.title);
                let help = Run::new([words[1], "--help"]).output().exits_with(0).out;
                assert!(words[2..].iter().all(|flag| help.contains(flag)), "{}: {name}", incident.title);
            }
        }
        other += usize::from(!incident.caught.starts_with("lint"));
    }
    assert!(other >= 3, "{other} are caught by something else than a lint");
}

#[test]
fn each_faulty_policy_is_caught_and_its_fixed_version_is_not() {
    for incident in incidents() {
        let [bad, good] = &incident.commands[..] else {
            panic!("{} shows {} commands", incident.title, incident.commands.len())
        };
        let (path, name) = (policy(bad), quoted(&incident.caught));
        let (stem, ending) = path.rsplit_once('.').unwrap();
        let fixed = format!("{stem}_fixed.{ending}");
        assert_eq!(*good, bad.replace(&path, &fixed), "{}: the same command on the fixed policy", incident.title);
        // A finding shows its name; a failed test or assertion shows a cross.
        let expected = if name.starts_with("trimtab") {
            assert!(bad.starts_with(name.split(" --").next().unwrap()), "{}: {bad}", incident.title);
            "✗".to_owned()
        } else {
            format!("[{name}]")
        };
        let ((bad_code, bad_output), (good_code, good_output)) = (run(bad), run(good));
        assert!(bad_code == 1 && bad_output.contains(&expected), "{}: {bad_code}\n{bad_output}", incident.title);
        assert!(good_code == 0 && !good_output.contains(&expected), "{}: {good_code}\n{good_output}", incident.title);
    }
}

#[test]
fn each_fixed_policy_has_no_findings() {
    for incident in incidents() {
        let (code, output) = run(&format!("trimtab lint {}", policy(&incident.commands[1])));
        assert_eq!(code, 0, "{output}");
        assert!(output.contains("no problems found"), "{output}");
    }
}

#[test]
fn each_file_of_the_folder_belongs_to_an_incident() {
    let page = fs::read_to_string(PAGE).unwrap();
    let files = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let files: BTreeSet<String> = files.collect();
    let named: BTreeSet<String> =
        incidents().iter().flat_map(|incident| incident.commands.iter().map(|command| policy(command))).collect();
    let unnamed: Vec<_> = files.difference(&named).filter(|file| !page.contains(file.as_str())).collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
    assert!(named.is_subset(&files), "{named:?}");
}
