//! Which file of `src/` imports which, read from `use` declarations and paths.
//!
//! An import is an edge to the file that *defines* the imported item: `use` of a re-export leads to the file behind the
//! re-export, and a module that is only passed through on the way to an item is not imported.
//!
//! A file owns the files in its folder: it declares them with `mod`, lists them in a table, re-exports their items and
//! calls them. Such an edge from a file to its own child is not an import. The other direction is: a child imports from
//! its parent, such as the type of the descriptors in the parent's table, and from the files beside it. So a table and
//! its entries are no cycle, but two entries that import each other are, and so is a detour through another folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A path of a module or item, from the crate root.
type ItemPath = Vec<String>;

/// The names that each file imports from each other file.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// One file, as far as imports are concerned.
#[derive(Default)]
struct Module {
    /// `check/error/name.rs`
    file: String,
    /// Names that `use` declarations bind, with their paths.
    uses: BTreeMap<String, ItemPath>,
    /// Modules of which everything is imported.
    globs: Vec<ItemPath>,
    /// Child modules.
    children: BTreeSet<String>,
    /// Paths outside `use` declarations.
    paths: Vec<ItemPath>,
}

/// Reads the imports of all files below a folder.
pub(crate) fn imports(root: &Path) -> Imports {
    let mut files = Vec::new();
    super::files(root, &mut files);
    let mut modules = BTreeMap::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
        if !is_test && file != "main.rs" {
            let at = module_path(&file);
            modules.insert(at.clone(), Module::read(file, &at, &fs::read_to_string(path).unwrap()));
        }
    }
    let mut found = Imports::new();
    for (at, module) in &modules {
        let targets = found.entry(module.file.clone()).or_default();
        let paths = module.paths.iter().filter_map(|path| absolute(path, at, &modules));
        for path in paths.chain(module.uses.values().cloned()) {
            if let Some((owner, name)) = definition(&path, &modules, 0)
                && !owns(&module.file, &owner)
            {
                targets.entry(owner).or_default().insert(name);
            }
        }
        for glob in &module.globs {
            if let Some(other) = modules.get(glob)
                && !owns(&module.file, &other.file)
            {
                targets.entry(other.file.clone()).or_default().insert("*".to_owned());
            }
        }
    }
    found
}

/// Sets of files that import each other in a cycle, each with the edges inside it.
pub(crate) fn cycles(imports: &Imports) -> Vec<Vec<&str>> {
    let reach = |from: &str| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(file) = open.pop() {
            for next in imports.get(&file).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = imports.keys().map(|file| (file.as_str(), reach(file))).collect();
    let mut found: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (file, others) in &reached {
        if others.contains(*file) {
            let both = |other: &&&str| others.contains(**other) && reached[**other].contains(*file);
            found.insert(reached.keys().filter(both).copied().collect());
        }
    }
    found.into_iter().collect()
}

/// Whether a file is another one or the parent of it: `check.rs` owns `check/scope.rs`.
fn owns(file: &str, other: &str) -> bool {
    let folder = other.rsplit_once('/').map_or("lib", |(folder, _)| folder);
    file == other || file.trim_end_matches(".rs") == folder
}

/// `check/error/name.rs` as `check::error::name`.
fn module_path(file: &str) -> ItemPath {
    match file.trim_end_matches(".rs") {
        "lib" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// A path as seen from a module, from the crate root; `None` for a path into another crate or of a local item.
fn absolute(path: &[String], at: &[String], modules: &BTreeMap<ItemPath, Module>) -> Option<ItemPath> {
    let (first, rest) = path.split_first()?;
    let module = modules.get(at)?;
    let base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => at.to_vec(),
        "super" => {
            let parent = at.split_last()?.1;
            if rest.first().is_some_and(|next| next == "super") {
                let mut path = vec!["super".to_owned()];
                path.extend_from_slice(&rest[1..]);
                return absolute(&path, parent, modules);
            }
            parent.to_vec()
        }
        name if module.children.contains(name) => [at, &[name.to_owned()]].concat(),
        name => module.uses.get(name)?.clone(),
    };
    Some([base, rest.to_vec()].concat())
}

/// The file that defines what a path from the crate root names, and the item's name.
fn definition(path: &[String], modules: &BTreeMap<ItemPath, Module>, depth: usize) -> Option<(String, String)> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let module = &modules[&path[..length]];
    let (name, rest) = path[length..].split_first()?;
    if depth < 8
        && let Some(target) = module.uses.get(name)
    {
        return definition(&[target, rest].concat(), modules, depth + 1);
    }
    // Items of a file that is not read, such as an inline module, count as defined where the path ends.
    Some((module.file.clone(), name.clone()))
}

impl Module {
    fn read(file: String, at: &[String], text: &str) -> Self {
        let tokens = tokens(text);
        let mut module = Self { file, ..Self::default() };
        let mut next = 0;
        while next < tokens.len() {
            let word = tokens[next].as_str();
            match word {
                "mod" if tokens.get(next + 2).is_some_and(|end| end == ";") => {
                    module.children.insert(tokens[next + 1].clone());
                    next += 3;
                }
                "use" => next = module.read_use(&tokens, next + 1, at),
                _ if is_name(word) && tokens.get(next + 1).is_some_and(|token| token == "::") => {
                    let mut path = vec![word.to_owned()];
                    next += 1;
                    while tokens.get(next).is_some_and(|token| token == "::") && is_name(&tokens[next + 1]) {
                        path.push(tokens[next + 1].clone());
                        next += 2;
                    }
                    module.paths.push(path);
                    next = next.max(1);
                    if tokens.get(next).is_some_and(|token| token == "::") {
                        next += 1;
                    }
                }
                _ => next += 1,
            }
        }
        // Children are known only now: `use scope::Checker` in `check.rs` is relative to it.
        let children = module.children.clone();
        let relative = |path: &mut ItemPath| {
            if path.first().is_some_and(|first| children.contains(first)) {
                path.splice(0..0, at.iter().cloned());
            }
        };
        module.uses.values_mut().for_each(relative);
        module.globs.iter_mut().for_each(relative);
        module
    }

    /// Reads a `use` declaration up to its `;`; returns the index after it.
    fn read_use(&mut self, tokens: &[String], start: usize, at: &[String]) -> usize {
        let end = start + tokens[start..].iter().position(|token| token == ";").unwrap();
        self.read_tree(&tokens[start..end], &[], at);
        end + 1
    }

    fn read_tree(&mut self, tokens: &[String], prefix: &[String], at: &[String]) {
        let mut path = prefix.to_vec();
        let mut next = 0;
        while let Some(token) = tokens.get(next) {
            match token.as_str() {
                "::" => {}
                "{" => {
                    let mut depth = 0;
                    let mut start = next + 1;
                    for (place, token) in tokens.iter().enumerate().skip(next) {
                        match token.as_str() {
                            "{" => depth += 1,
                            "}" => depth -= 1,
                            _ => {}
                        }
                        if (token == "," && depth == 1) || depth == 0 {
                            self.read_tree(&tokens[start..place], &path, at);
                            start = place + 1;
                        }
                    }
                    return;
                }
                "*" => {
                    self.globs.extend(from_root(&path, at));
                    return;
                }
                "as" => {
                    self.bind(tokens[next + 1].clone(), &path, at);
                    return;
                }
                "self" if !path.is_empty() && path.last().is_none_or(|last| last != "super") => {}
                name => path.push(name.to_owned()),
            }
            next += 1;
        }
        if let Some(name) = path.last().cloned() {
            self.bind(name, &path, at);
        }
    }

    fn bind(&mut self, name: String, path: &[String], at: &[String]) {
        let path = from_root(path, at).unwrap_or_else(|| path.to_vec());
        // `use … as _` binds nothing but is an import.
        let name = if name == "_" { format!("_{}", self.uses.len()) } else { name };
        self.uses.insert(name, path);
    }
}

/// The path of a `use` declaration from the crate root; `None` when it begins at a crate or a child module.
fn from_root(path: &[String], at: &[String]) -> Option<ItemPath> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([at, rest].concat()),
        "super" => from_root(&[&["self".to_owned()], rest].concat(), at.split_last()?.1).map(|path| {
            let supers = rest.iter().take_while(|word| *word == "super").count();
            let base = &at[..at.len().saturating_sub(1 + supers)];
            [base, &path[path.len() - (rest.len() - supers)..]].concat()
        }),
        _ => None,
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The identifiers and symbols of a text without comments, strings and `mod tests`.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if first == '"' {
            string_length(rest)
        } else if first == '\'' {
            char_length(rest)
        } else if is_name(rest) {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or of the quote if it begins a lifetime.
fn char_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next(), chars.next()) {
        (Some((_, '\\')), Some(_), _) => text[3..].find('\'').map_or(1, |end| end + 4),
        (Some(_), Some((at, '\'')), _) => at + 1,
        _ => 1,
    }
}
