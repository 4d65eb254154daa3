//! The structure of the crates: a module at the top of a crate imports only those of lower layers, no files import each other in a cycle, and no
//! file is long. Between crates, `Cargo.toml` says what may be imported.

mod imports;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders with the sources of all crates.
pub(crate) fn folders() -> Vec<PathBuf> {
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut folders: Vec<PathBuf> = crates.collect();
    folders.sort();
    folders.insert(0, PathBuf::from("src"));
    folders
}

/// All source files, each with its name as if all crates were one: `src/check/error.rs`.
pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for folder in folders() {
        let mut found = Vec::new();
        files(&folder, &mut found);
        let sources = found.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
        all.extend(sources.map(|path| {
            let inside = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
            (path, format!("src/{inside}"))
        }));
    }
    assert!(all.len() > 500, "the sources of all crates are read");
    all
}

/// Each module at the top of a crate with its layer, as its `lib.rs` lists them.
fn layers(folder: &Path) -> BTreeMap<String, u32> {
    let mut layers = BTreeMap::new();
    let mut layer = Some(0);
    for line in fs::read_to_string(folder.join("lib.rs")).unwrap().lines() {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("// layer ") {
            layer = rest.split(':').next().and_then(|number| number.parse().ok());
        } else if let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            layers.insert(name.to_owned(), layer.expect("a layer above each module"));
        }
    }
    layers
}

pub(crate) fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// The modules that a file names after `crate::`.
fn named(text: &str) -> Vec<String> {
    let module = |rest: &str| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
    let listed = |rest: &str| match rest.strip_prefix('{') {
        Some(list) => list.split(['}', ',']).map(|one| module(one.trim())).take_while(|one| !one.is_empty()).collect(),
        None => vec![module(rest)],
    };
    text.split("crate::").skip(1).map(|rest| rest.trim_start_matches("modules::")).flat_map(listed).collect()
}

#[test]
fn a_module_imports_only_those_of_lower_layers() {
    let (mut modules, mut wrong) = (0, Vec::new());
    for folder in folders() {
        let layers = layers(&folder);
        modules += layers.len();
        let mut all = Vec::new();
        files(&folder, &mut all);
        for path in all.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
            let inside = path.strip_prefix(&folder).unwrap();
            let module = inside.components().next().unwrap().as_os_str().to_str().unwrap();
            let module = module.trim_end_matches(".rs").to_owned();
            let Some(&own) = layers.get(&module) else { continue };
            for other in named(&fs::read_to_string(path).unwrap()) {
                match layers.get(&other) {
                    Some(&layer) if other == module || layer < own => {}
                    Some(_) => wrong.push(format!("{}: `{other}` is not below `{module}`", path.display())),
                    None => wrong.push(format!("{}: `{other}` is no module", path.display())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(modules > 30, "{modules}: each `lib.rs` lists its modules");
}

#[test]
fn no_file_is_longer_than_four_hundred_lines() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(path, _)| (path, fs::read_to_string(path).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > 400)
        .map(|(path, lines)| format!("{}: {lines}", path.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    for folder in folders() {
        let imports = imports::imports(&folder);
        files += imports.len();
        for cycle in imports::cycles(&imports) {
            wrong.push(format!("{} files of {} import each other:", cycle.len(), folder.display()));
            for (file, targets) in imports.iter().filter(|(file, _)| cycle.contains(&file.as_str())) {
                for (target, names) in targets.iter().filter(|(target, _)| cycle.contains(&target.as_str())) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    wrong.push(format!("  {file} -> {target}: {}", names.join(", ")));
                }
            }
        }
    }
    assert!(files > 500, "the files of all crates are read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
