//! The stages in a chain: policy texts to checked files.
//!
//! In: names and texts, and who has the texts that they use. Out: checked files and everything that was found on the
//! way. It reads no file; a door hands it the texts.

#[cfg(feature = "lint")]
mod lint;

use std::collections::{BTreeMap, HashMap};

use crate::check::{self, Checked, Unit, Used};
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::source::{NoSources, Source, SourceFormat, SourceId, SourceLoader, SourceMap, Span, normalized_path};
use crate::syntax::{self, tree};

/// How many files may use each other in a chain.
const DEEPEST: usize = 64;

/// A policy file as far as the stages could take it.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The texts, for showing what was found in them: the file itself first, then what it uses.
    pub sources: SourceMap,
    /// What was found, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The checked file; none when an error was found.
    pub checked: Option<Checked>,
}

impl Compiled {
    /// Whether an error was found.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|one| one.severity == Severity::Error)
    }
}

/// Takes one policy text through parser and checker. A name that ends in `.yaml` or `.yml` is read as YAML.
///
/// A `use` in it is an error, since nobody is there to follow it: see [`compile_with`].
pub fn compile(name: &str, text: &str) -> Compiled {
    compile_with(name, text, &mut NoSources)
}

/// Takes a policy text and those that it uses through parser and checker.
pub fn compile_with(name: &str, text: &str, sources: &mut dyn SourceLoader) -> Compiled {
    let mut compiler = Compiler::default();
    let checked = compiler.compile(name, text, sources).checked;
    let (sources, diagnostics) = compiler.done();
    Compiled { sources, diagnostics, checked }
}

/// Takes several policy files through the stages. What they use in common is parsed once, and what is wrong with it is
/// said once.
#[derive(Debug, Default)]
pub struct Compiler {
    sources: SourceMap,
    /// A tree for each source.
    trees: Vec<tree::File>,
    /// The sources by their names.
    names: HashMap<String, usize>,
    found: Vec<Diagnostic>,
}

/// One file that a compiler has taken through the stages.
#[derive(Clone, Debug)]
pub struct One {
    /// The file.
    pub id: SourceId,
    /// The checked file; none when it, or what it uses, has errors.
    pub checked: Option<Checked>,
}

/// What one file uses, directly and through others.
#[derive(Default)]
struct Walk {
    /// The files whose uses are being followed.
    path: Vec<usize>,
    /// The files in the order in which they can be checked, each with what became of its uses.
    order: Vec<(usize, Vec<Used>)>,
    /// Where in that order a file stands.
    places: BTreeMap<usize, usize>,
}

impl Compiler {
    /// Takes one file through the stages. A file of settings is only looked through.
    pub fn compile(&mut self, name: &str, text: &str, sources: &mut dyn SourceLoader) -> One {
        let first = self.add(name, text);
        let id = self.trees[first].source;
        if self.sources.get(id).is_some_and(|source| source.format() == SourceFormat::Settings) {
            return One { id, checked: None };
        }
        let mut walk = Walk::default();
        self.follow(first, sources, &mut walk);
        let units = walk.order.iter().map(|(at, uses)| Unit { file: &self.trees[*at], uses });
        let (checked, found) = check::check_all(&units.collect::<Vec<_>>());
        let found: Vec<Diagnostic> = found.into_iter().map(|one| self.behind_mark(one)).collect();
        self.found.extend(found);
        let is_broken = |one: &Diagnostic| {
            one.severity == Severity::Error && walk.places.contains_key(&(one.primary.span.source.0 as usize))
        };
        One { id, checked: checked.filter(|_| !self.found.iter().any(is_broken)) }
    }

    /// What was found so far, apart from advice, in the order found.
    pub fn found(&self) -> &[Diagnostic] {
        &self.found
    }

    /// The texts so far.
    pub const fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The tree of the text of this name, for who reads more from it than its meaning.
    pub fn tree(&self, name: &str) -> Option<&tree::File> {
        self.names.get(&normalized_path(name)).and_then(|&at| self.trees.get(at))
    }

    /// The texts so far, and what was found in them, by place.
    pub fn done(mut self) -> (SourceMap, Vec<Diagnostic>) {
        diagnostic::sort(&mut self.found);
        (self.sources, self.found)
    }

    /// A finding at the very beginning of a text stands behind its byte order mark, which must stay the first.
    fn behind_mark(&self, mut one: Diagnostic) -> Diagnostic {
        let edits = one.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        for span in edits.chain([&mut one.primary.span]).filter(|span| span.end == 0) {
            let text = self.sources.get(span.source).map(Source::text).unwrap_or_default();
            let mark = text.len() - text.trim_start_matches('\u{FEFF}').len();
            *span = Span::new(span.source, mark, mark);
        }
        one
    }

    /// Parses a text, unless one of this name is there.
    fn add(&mut self, name: &str, text: &str) -> usize {
        let key = normalized_path(name);
        if let Some(&at) = self.names.get(&key) {
            return at;
        }
        let id = self.sources.add(name, text);
        let (tree, found) = self.parse(id);
        self.found.extend(found);
        self.trees.push(tree);
        self.names.insert(key, self.trees.len() - 1);
        self.trees.len() - 1
    }

    fn parse(&self, id: SourceId) -> (tree::File, Vec<Diagnostic>) {
        match self.sources.get(id) {
            Some(source) if source.format() == SourceFormat::Settings => {
                (tree::File { source: id, items: Vec::new() }, settings_diagnostics(source))
            }
            Some(source) => syntax::parse(source),
            None => (tree::File { source: id, items: Vec::new() }, Vec::new()),
        }
    }

    /// Follows what a file uses, and puts the file behind it.
    fn follow(&mut self, file: usize, sources: &mut dyn SourceLoader, walk: &mut Walk) -> usize {
        if let Some(&place) = walk.places.get(&file) {
            return place;
        }
        walk.path.push(file);
        let paths = self.trees[file].items.iter().filter_map(|item| match item {
            tree::Item::Use(one) => Some(one.path.value.clone()),
            _ => None,
        });
        let paths: Vec<String> = paths.collect();
        let uses = paths.iter().map(|path| self.used(file, path, sources, walk)).collect();
        walk.path.pop();
        walk.order.push((file, uses));
        walk.places.insert(file, walk.order.len() - 1);
        walk.order.len() - 1
    }

    /// What becomes of one `use`.
    fn used(&mut self, from: usize, path: &str, sources: &mut dyn SourceLoader, walk: &mut Walk) -> Used {
        let loaded = match sources.load(&self.name(from), path) {
            Ok(loaded) => loaded,
            Err(reason) => return Used::Refused(reason.to_string()),
        };
        if SourceFormat::from_name(&loaded.name) == SourceFormat::Yaml {
            return Used::Refused("a YAML policy cannot be used, only `.trim` files".to_owned());
        }
        let file = self.add(&loaded.name, &loaded.text);
        if let Some(at) = walk.path.iter().position(|one| *one == file) {
            let chain = walk.path[at..].iter().chain([&file]).map(|one| self.name(*one));
            return Used::Circle(chain.collect());
        }
        if walk.path.len() >= DEEPEST {
            return Used::Refused(format!("more than {DEEPEST} files use each other in a chain"));
        }
        Used::Unit(self.follow(file, sources, walk))
    }

    fn name(&self, file: usize) -> String {
        let id = SourceId(u32::try_from(file).unwrap_or(u32::MAX));
        self.sources.get(id).map(|source| source.name().to_owned()).unwrap_or_default()
    }
}

#[cfg(feature = "lint")]
fn settings_diagnostics(source: &Source) -> Vec<Diagnostic> {
    crate::config::read(source).1
}

/// Without the `lint` feature, settings are not checked.
#[cfg(not(feature = "lint"))]
fn settings_diagnostics(_: &Source) -> Vec<Diagnostic> {
    Vec::new()
}
