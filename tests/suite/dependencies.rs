//! The dependencies keep the rules of `deny.toml`: licences, one version of each, crates.io only, no known vulnerability.
//!
//! Advisories are read from `ci/advisories.toml`, an extract of the `RustSec` database for the packages in `Cargo.lock`.
//! `TRIMTAB_ADVISORY_DB=CHECKOUT cargo test --test suite dependencies` renews it from a checkout of
//! <https://github.com/rustsec/advisory-db>.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use semver::{Version, VersionReq};
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

const EXTRACT: &str = "ci/advisories.toml";

/// The text of a TOML file as JSON.
fn toml(text: &str) -> Json {
    table(DeTable::parse(text).expect("TOML").get_ref())
}

fn table(table: &DeTable<'_>) -> Json {
    Json::Object(table.iter().map(|(key, value)| (key.get_ref().to_string(), value_of(value.get_ref()))).collect())
}

fn value_of(value: &DeValue<'_>) -> Json {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Array(items) => items.iter().map(|item| value_of(item.get_ref())).collect(),
        DeValue::Table(inner) => table(inner),
        other => format!("{other:?}").into(),
    }
}

fn file(path: &str) -> Json {
    toml(&fs::read_to_string(path).unwrap())
}

fn texts(json: &Json) -> Vec<&str> {
    json.as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

/// Every locked package: its name, version and source.
fn locked() -> Vec<(String, Version, Option<String>)> {
    let lock = file("Cargo.lock");
    let text = |package: &Json, key: &str| package[key].as_str().map(str::to_owned);
    let package = |package: &Json| {
        let version = text(package, "version").unwrap();
        (text(package, "name").unwrap(), Version::parse(&version).unwrap(), text(package, "source"))
    };
    lock["package"].as_array().unwrap().iter().map(package).collect()
}

/// The packages that Cargo knows, with their licences, and whether they are those of all platforms: without the network, those
/// of other platforms are known only after `cargo fetch`.
fn metadata() -> (Json, bool) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |extra: &[&str]| {
        let arguments = ["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"];
        let output = Command::new(&cargo).args(arguments).args(extra).output().unwrap();
        output.status.success().then(|| serde_json::from_slice::<Json>(&output.stdout).unwrap())
    };
    let host = || {
        let output = Command::new(&cargo).arg("-vV").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)).unwrap()
    };
    let of_host = || run(&["--filter-platform", &host()]).map(|metadata| (metadata, false));
    run(&[]).map(|metadata| (metadata, true)).or_else(of_host).expect("the metadata of the package")
}

/// Whether an SPDX expression is satisfied by licences.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let result = any_of(&mut words, allowed);
    result && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut result = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        result |= all_of(words, allowed);
    }
    result
}

fn all_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut result = licence(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        result &= licence(words, allowed);
    }
    result
}

fn licence(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let result = match words.next() {
        Some("(") => {
            let inner = any_of(words, allowed);
            words.next_if_eq(&")").is_some() && inner
        }
        Some(name) => allowed.contains(name),
        None => false,
    };
    // An exception permits more than the licence.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    result
}

#[test]
fn expressions_of_licences_are_evaluated() {
    let allowed = BTreeSet::from(["MIT", "Unicode-3.0"]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(Apache-2.0 OR GPL-3.0) AND MIT", false),
        ("MIT WITH LLVM-exception AND Unicode-3.0", true),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let (rules, (metadata, is_whole)) = (file("deny.toml"), metadata());
    let allowed: BTreeSet<&str> = texts(&rules["licenses"]["allow"]).into_iter().collect();
    let mut refused = Vec::new();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    let mut used = BTreeSet::new();
    for package in packages {
        let expression = package["license"].as_str().unwrap_or_default();
        if !is_allowed(expression, &allowed) {
            refused.push(format!("{} {}: `{expression}`", package["name"], package["version"]));
        }
        used.extend(allowed.iter().filter(|name| expression.contains(*name)));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    let unused: Vec<_> = allowed.difference(&used).collect();
    assert!(unused.is_empty() || !is_whole, "no dependency has the licences {unused:?}");
}

#[test]
fn no_dependency_needs_a_newer_rust_than_cargo_toml_promises() {
    let version = |text: &str| -> Vec<u64> { text.split('.').filter_map(|part| part.parse().ok()).collect() };
    let own = file("Cargo.toml")["workspace"]["package"]["rust-version"].as_str().map(version).unwrap();
    let packages = metadata().0["packages"].as_array().cloned().unwrap();
    let needs =
        |package: &&Json| package["rust_version"].as_str().is_some_and(|needed| version(needed)[..2] > own[..2]);
    let newer: Vec<_> =
        packages.iter().filter(needs).map(|package| (&package["name"], &package["rust_version"])).collect();
    assert!(newer.is_empty(), "{newer:?} need a newer Rust than {own:?}");
}

#[test]
fn every_package_is_from_the_registry_and_in_one_version_unless_there_is_a_reason() {
    let rules = file("deny.toml");
    let mut skipped = BTreeSet::new();
    for skip in rules["bans"]["skip"].as_array().unwrap() {
        assert!(skip["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{skip}");
        skipped.insert(skip["crate"].as_str().unwrap().to_owned());
    }
    let mut versions: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for (name, version, source) in locked() {
        let source = source.as_deref();
        let is_beside = ["trimtab-features", "trimtab-node", "trimtab-python"].contains(&name.as_str());
        let is_own = name == "trimtab" || is_beside || Path::new("crates").join(&name).is_dir();
        let is_own = is_own && source.is_none();
        let is_known = is_own || source == Some("registry+https://github.com/rust-lang/crates.io-index");
        assert!(is_known, "{name} is from {source:?}");
        versions.entry(name).or_default().push(version);
    }
    let mut repeated = BTreeSet::new();
    for (name, mut versions) in versions {
        versions.sort();
        versions.pop();
        repeated.extend(versions.into_iter().map(|version| format!("{name}@{version}")));
    }
    assert_eq!(repeated, skipped, "older versions of packages, and `bans.skip` in deny.toml");
}

#[test]
fn the_addon_for_node_has_the_lints_of_the_workspace() {
    let (workspace, own) = (file("Cargo.toml"), file("node/Cargo.toml"));
    let mut expected = workspace["workspace"]["lints"].clone();
    // What `napi` needs.
    expected["rust"]["unsafe_code"] = "deny".into();
    expected["rust"]["unreachable_pub"] = "allow".into();
    assert_eq!(own["lints"], expected);
}

/// Whether a version is affected by an advisory: neither patched nor older than the problem.
fn is_affected(version: &Version, advisory: &Json) -> bool {
    let fixed = ["patched", "unaffected"].into_iter().flat_map(|key| texts(&advisory[key]));
    !fixed.into_iter().any(|range| VersionReq::parse(range).unwrap().matches(version))
}

#[test]
fn no_locked_package_has_a_known_vulnerability() {
    if let Some(checkout) = std::env::var_os("TRIMTAB_ADVISORY_DB") {
        fs::write(EXTRACT, extract(Path::new(&checkout))).unwrap();
    }
    let (rules, extract) = (file("deny.toml"), file(EXTRACT));
    let ignored: BTreeSet<&str> =
        rules["advisories"]["ignore"].as_array().unwrap().iter().filter_map(|entry| entry["id"].as_str()).collect();
    let advisories = extract["advisory"].as_array().unwrap();
    assert!(advisories.len() > 20, "{} advisories", advisories.len());
    let mut found = BTreeSet::new();
    for (name, version, _) in locked() {
        let of_package = advisories.iter().filter(|advisory| advisory["package"] == name.as_str());
        let affecting = of_package.filter(|advisory| is_affected(&version, advisory));
        found.extend(affecting.map(|advisory| advisory["id"].as_str().unwrap()));
    }
    assert_eq!(found, ignored, "advisories on locked packages, and `advisories.ignore` in deny.toml");
}

#[test]
fn an_advisory_affects_the_versions_that_are_not_patched() {
    let advisory = serde_json::json!({ "patched": [">= 1.2.0", "^0.9.4"], "unaffected": ["< 0.5.0"] });
    for (version, expected) in [("1.2.0", false), ("1.1.9", true), ("0.9.5", false), ("0.4.0", false), ("0.6.0", true)]
    {
        assert_eq!(is_affected(&Version::parse(version).unwrap(), &advisory), expected, "{version}");
    }
}

/// The advisories of a checkout of the database on locked packages.
fn extract(checkout: &Path) -> String {
    let mut text = "# Advisories of the RustSec database (CC0-1.0) on packages in Cargo.lock, without their texts.\n\
                    # tests/suite/dependencies.rs says how to renew this file.\n"
        .to_owned();
    let names: BTreeSet<String> = locked().into_iter().map(|(name, ..)| name).collect();
    for name in names {
        let Ok(entries) = fs::read_dir(checkout.join("crates").join(&name)) else { continue };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let page = fs::read_to_string(&path).unwrap();
            let head =
                page.split("```toml\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("front matter");
            let head = toml(head);
            if head["advisory"]["withdrawn"].is_null() {
                text += &entry(&head);
            }
        }
    }
    text
}

fn entry(head: &Json) -> String {
    let advisory = &head["advisory"];
    let mut text = String::from("\n[[advisory]]\n");
    for key in ["id", "package", "informational", "url"] {
        if advisory[key].is_string() {
            writeln!(text, "{key} = {}", advisory[key]).unwrap();
        }
    }
    for key in ["patched", "unaffected"] {
        if head["versions"][key].as_array().is_some_and(|ranges| !ranges.is_empty()) {
            writeln!(text, "{key} = {}", head["versions"][key]).unwrap();
        }
    }
    text
}
