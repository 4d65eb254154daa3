//! Compilation of policy files: loading, parsing and checking.
//!
//! A file is parsed, the files that it uses are loaded and parsed in turn, and all of them are checked together. This
//! module reads no files: a [`SourceLoader`] supplies the texts behind `use`.

#[cfg(feature = "lint")]
pub mod assertion;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "lint")]
pub mod sweep;

use std::collections::{BTreeMap, HashMap, HashSet};

#[cfg(feature = "lint")]
use trimtab_analysis::system::{self, Recognition};
use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::source::{
    NoSources, Source, SourceFormat, SourceId, SourceLoader, SourceMap, Span, Spanned, normalized_path,
};
use trimtab_language::check::{self, CheckedFile, ResolvedUse, SourceUnit};
use trimtab_syntax::syntax::{self, tree};

#[cfg(feature = "lint")]
pub use self::lint::{all_findings, sort_findings};

/// The longest chain of files that use each other.
const MAX_DEPTH: usize = 64;

/// The result of compiling a policy file.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The texts that diagnostics point into: the file itself first, then those that it uses.
    pub sources: SourceMap,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// The checked file, or `None` if there are errors.
    pub checked: Option<CheckedFile>,
}

impl Compiled {
    /// Whether there are errors.
    #[cfg(any(test, feature = "internals"))]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Compiles a policy text. A name that ends in `.yaml` or `.yml` is read as YAML.
///
/// A `use` in the text is an error; see [`compile_with`].
#[cfg(any(test, feature = "internals"))]
pub fn compile(name: &str, text: &str) -> Compiled {
    compile_with(name, text, &mut NoSources)
}

/// Compiles a policy text together with the files that it uses.
pub fn compile_with(name: &str, text: &str, sources: &mut dyn SourceLoader) -> Compiled {
    let mut compiler = Compiler::default();
    let checked = compiler.compile(name, text, sources).checked;
    let (sources, diagnostics) = compiler.finish();
    Compiled { sources, diagnostics, checked }
}

/// Compiles several policy files. Files that they share are parsed once, and their errors are reported once.
#[derive(Debug, Default)]
pub struct Compiler {
    sources: SourceMap,
    /// The tree of each source.
    trees: Vec<tree::File>,
    /// The index of each source by its normalized path.
    names: HashMap<String, usize>,
    diagnostics: Vec<Diagnostic>,
}

/// One file that a [`Compiler`] has compiled.
#[derive(Clone, Debug)]
pub struct CompiledFile {
    /// Its source.
    pub id: SourceId,
    /// The checked file, or `None` if it or a file that it uses has errors.
    pub checked: Option<CheckedFile>,
}

/// The files that one file uses, directly or through others.
#[derive(Default)]
struct UseGraph {
    /// The files whose `use` items are being resolved, outermost first.
    open: Vec<usize>,
    /// The files in an order in which each follows those that it uses, with its resolved `use` items.
    order: Vec<(usize, Vec<ResolvedUse>)>,
    /// The position of each file in that order.
    positions: BTreeMap<usize, usize>,
}

impl Compiler {
    /// Compiles one file. A settings file is only checked for errors.
    pub fn compile(&mut self, name: &str, text: &str, sources: &mut dyn SourceLoader) -> CompiledFile {
        let first = self.add(name, text);
        let id = self.trees[first].source;
        if is_settings(name) {
            return CompiledFile { id, checked: None };
        }
        let mut graph = UseGraph::default();
        self.resolve(first, sources, &mut graph);
        let units = graph.order.iter().map(|(at, uses)| SourceUnit { file: &self.trees[*at], uses });
        let (checked, found) = check::check_all(&units.collect::<Vec<_>>());
        // What is wrong with a name that a fix puts in quotes follows from the error about the quotes.
        let is_in_quotes = |known: &&Diagnostic| {
            let mut edits = known.fixes.iter().flat_map(|fix| &fix.edits);
            edits.any(|edit| edit.span == known.primary.span && edit.text.starts_with('"'))
        };
        let in_quotes: HashSet<Span> =
            self.diagnostics.iter().filter(is_in_quotes).map(|known| known.primary.span).collect();
        let found = found.into_iter().map(|finding| self.after_byte_order_mark(finding));
        let found: Vec<Diagnostic> = found.filter(|finding| !in_quotes.contains(&finding.primary.span)).collect();
        self.diagnostics.extend(found);
        let is_error_here = |finding: &Diagnostic| {
            finding.severity == Severity::Error
                && graph.positions.contains_key(&(finding.primary.span.source.0 as usize))
        };
        CompiledFile { id, checked: checked.filter(|_| !self.diagnostics.iter().any(is_error_here)) }
    }

    /// The errors and warnings so far, in the order in which they were found. Lint findings are not included.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The sources so far.
    pub const fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The syntax tree of the source with this name.
    #[cfg(any(test, feature = "internals"))]
    pub fn tree(&self, name: &str) -> Option<&tree::File> {
        self.names.get(&normalized_path(name)).and_then(|&at| self.trees.get(at))
    }

    /// All sources, and all errors and warnings sorted by position.
    pub fn finish(mut self) -> (SourceMap, Vec<Diagnostic>) {
        diagnostic::sort(&mut self.diagnostics);
        (self.sources, self.diagnostics)
    }

    /// Moves a finding at the start of a text after its byte order mark, which must stay first.
    fn after_byte_order_mark(&self, mut finding: Diagnostic) -> Diagnostic {
        let edits = finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        for span in edits.chain([&mut finding.primary.span]).filter(|span| span.end == 0) {
            let text = self.sources.get(span.source).map(Source::text).unwrap_or_default();
            let mark = text.len() - text.trim_start_matches('\u{FEFF}').len();
            *span = Span::new(span.source, mark, mark);
        }
        finding
    }

    /// Parses a text, unless a source with this name has been parsed.
    fn add(&mut self, name: &str, text: &str) -> usize {
        let key = normalized_path(name);
        if let Some(&at) = self.names.get(&key) {
            return at;
        }
        let id = self.sources.add(name, text);
        let (tree, found) = self.parse(id);
        self.diagnostics.extend(found);
        self.trees.push(tree);
        self.names.insert(key, self.trees.len() - 1);
        self.trees.len() - 1
    }

    fn parse(&self, id: SourceId) -> (tree::File, Vec<Diagnostic>) {
        let empty = tree::File { source: id, items: Vec::new() };
        let Some(source) = self.sources.get(id) else { return (empty, Vec::new()) };
        match source.format() {
            #[cfg(feature = "lint")]
            SourceFormat::Settings => (empty, trimtab_analysis::config::read(source).1),
            #[cfg(feature = "lint")]
            SourceFormat::SystemSettings | SourceFormat::Yaml => system_settings(source),
            _ => syntax::parse(source),
        }
    }

    /// Resolves the `use` items of a file, and adds the file to the order after the files that it uses.
    fn resolve(&mut self, file: usize, sources: &mut dyn SourceLoader, graph: &mut UseGraph) -> usize {
        if let Some(&position) = graph.positions.get(&file) {
            return position;
        }
        graph.open.push(file);
        let paths = self.trees[file].items.iter().filter_map(|item| match item {
            tree::Item::Use(import) => Some(import.path.value.clone()),
            _ => None,
        });
        let paths: Vec<String> = paths.collect();
        let uses = paths.iter().map(|path| self.resolve_use(file, path, sources, graph)).collect();
        graph.open.pop();
        graph.order.push((file, uses));
        graph.positions.insert(file, graph.order.len() - 1);
        graph.order.len() - 1
    }

    fn resolve_use(
        &mut self,
        from: usize,
        path: &str,
        sources: &mut dyn SourceLoader,
        graph: &mut UseGraph,
    ) -> ResolvedUse {
        let loaded = match sources.load(&self.name(from), path) {
            Ok(loaded) => loaded,
            Err(error) => return ResolvedUse::Refused(error.to_string()),
        };
        if SourceFormat::from_name(&loaded.name) == SourceFormat::Yaml {
            return ResolvedUse::Refused("only `.trim` files can be imported, not YAML".to_owned());
        }
        let file = self.add(&loaded.name, &loaded.text);
        if let Some(at) = graph.open.iter().position(|open| *open == file) {
            let chain = graph.open[at..].iter().chain([&file]).map(|open| self.name(*open));
            return ResolvedUse::Cycle(chain.collect());
        }
        if graph.open.len() >= MAX_DEPTH {
            return ResolvedUse::Refused(format!("the chain of imports is longer than {MAX_DEPTH} files"));
        }
        ResolvedUse::Unit(self.resolve(file, sources, graph))
    }

    fn name(&self, file: usize) -> String {
        let id = SourceId(u32::try_from(file).unwrap_or(u32::MAX));
        self.sources.get(id).map(|source| source.name().to_owned()).unwrap_or_default()
    }
}

/// Parses settings of another system, or a list of effects in YAML.
#[cfg(feature = "lint")]
fn system_settings(source: &Source) -> (tree::File, Vec<Diagnostic>) {
    let names = |systems: &[&system::System]| systems.iter().map(|system| system.name).collect::<Vec<_>>();
    let errors = match system::recognise(source) {
        Recognition::Of(system) => {
            let import = system::import(source, system);
            return (import.tree, import.diagnostics);
        }
        _ if source.format() == SourceFormat::Yaml => return syntax::parse(source),
        Recognition::Unreadable(errors) => errors,
        Recognition::Ambiguous(systems) => vec![system::error::not_recognised(source, &names(&systems), true)],
        Recognition::Unknown => vec![system::error::not_recognised(source, &names(system::SYSTEMS), false)],
    };
    // As in a list of effects: settings need no edition, and nothing but the error is reported.
    let start = Span::new(source.id(), 0, 0);
    let edition = tree::Edition { year: Spanned::new(2026, start), span: start };
    let broken = tree::Broken { name: None, span: source.span() };
    (tree::File { source: source.id(), items: vec![tree::Item::Edition(edition), tree::Item::Broken(broken)] }, errors)
}

/// Whether a file of this name holds project settings. Without the `lint` feature every file is a policy.
fn is_settings(name: &str) -> bool {
    cfg!(feature = "lint") && SourceFormat::from_name(name) == SourceFormat::Settings
}
