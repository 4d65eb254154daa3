//! `trimtab completions`, `trimtab man` and `trimtab version`.

use super::{Run, folder};

/// The verbs, as `trimtab version --json` lists them.
fn verbs() -> Vec<String> {
    let json = Run::line("version --json").done().ends(0).json();
    json["verbs"].as_array().unwrap().iter().map(|verb| verb.as_str().unwrap().to_owned()).collect()
}

#[test]
fn version_says_what_the_flag_says() {
    let done = Run::line("version").done().ends(0);
    assert_eq!(done.out, Run::line("--version").done().ends(0).out);
    let json = Run::line("version --json").done().ends(0).json();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["schema_version"], 1);
    assert!(verbs().iter().any(|verb| verb == "validate"));
    assert!(json["formats"].as_array().unwrap().iter().any(|form| form == "sarif"));
}

#[test]
fn completions_know_every_verb_and_the_forms() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = Run::new(["completions", shell]).done().ends(0);
        for word in verbs().iter().map(String::as_str).chain(["fail-level", "sarif"]) {
            // Two of the shells are not told the values of flags.
            let told = word != "sarif" || !["powershell", "elvish"].contains(&shell);
            assert!(!told || done.out.contains(word), "{shell}: {word}");
        }
        assert_eq!(done.err, "");
    }
    Run::line("completions basic").done().ends(2);
    Run::line("completions").done().ends(2);
}

#[test]
fn bash_takes_its_completions() {
    let script = Run::line("completions bash").done().ends(0).out;
    let folder = folder(&[("trimtab.bash", &script)]);
    let path = folder.path().join("trimtab.bash");
    let check = std::process::Command::new("bash").arg("-n").arg(path).status();
    // A machine without bash has nothing to check here.
    assert!(check.is_err() || check.is_ok_and(|status| status.success()));
}

#[test]
fn man_prints_the_root_page_and_writes_a_page_for_each_verb() {
    let root = Run::line("man").done().ends(0).out;
    assert!(root.contains(".TH trimtab 1"), "{root}");
    let folder = folder(&[]);
    let pages = folder.path().join("made/here");
    let done = Run::line("man --output-dir").arg(&pages).done().ends(0);
    assert_eq!(done.out, "");
    let mut names: Vec<String> = verbs().iter().map(|verb| format!("trimtab-{verb}.1")).collect();
    names.push("trimtab.1".to_owned());
    for name in &names {
        let page = std::fs::read_to_string(pages.join(name)).unwrap();
        assert!(page.contains(&format!(".TH {} 1", name.trim_end_matches(".1"))), "{page}");
        assert!(page.contains(concat!("trimtab ", env!("CARGO_PKG_VERSION"))), "{name}");
    }
    assert_eq!(std::fs::read_dir(&pages).unwrap().count(), names.len());
    Run::line("man --output-dir").arg(pages.join("trimtab.1")).done().ends(2);
}
