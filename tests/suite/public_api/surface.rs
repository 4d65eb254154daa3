//! Every type in a public signature can be named by an embedder: it is of the standard library, or exported by the crate root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{
    Fields, FnArg, GenericArgument, GenericParam, Generics, ImplItem, Item, PathArguments, ReturnType, Signature,
    TraitItem, Type, TypeParamBound, UseTree, Visibility,
};

/// Crates whose types may stand in signatures.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

/// Where a type of another crate stands for what has an open form.
const OPEN: [(&str, &str); 2] = [("serde_json", "Value"), ("serde_json", "Map")];

/// The only module that is exported.
const RESULTS: &str = "results";

/// The names that every file knows.
const PRELUDE: [&str; 34] = [
    "Option",
    "Vec",
    "String",
    "Box",
    "Result",
    "Self",
    "Iterator",
    "IntoIterator",
    "Fn",
    "FnMut",
    "FnOnce",
    "Into",
    "From",
    "AsRef",
    "Send",
    "Sync",
    "Sized",
    "Clone",
    "ToString",
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i32",
    "i64",
    "i128",
    "f32",
    "f64",
    "Unpin",
];

/// A source file of the workspace.
struct File {
    /// The crate, as a path in code names it.
    package: String,
    path: PathBuf,
    /// The first segments of what it imports, and the name there, by the name here.
    imports: BTreeMap<String, (String, String)>,
    items: Vec<Item>,
}

/// What the crate root exports, by the public name.
type Exports = BTreeMap<String, Export>;

/// An exported item: its crate, its room in it, and its name there.
struct Export {
    package: String,
    room: String,
    name: String,
}

impl Export {
    fn is_in(&self, file: &File) -> bool {
        let mut folders = file.path.iter().skip_while(|part| *part != "src").skip(1);
        let first = folders.next().map(|part| Path::new(part).with_extension(""));
        file.package == self.package && first.is_some_and(|first| first == Path::new(&self.room))
    }
}

fn source_files() -> Vec<File> {
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for root in crates.chain([PathBuf::from(".")]) {
        let package = root.file_name().map_or("crate".into(), |name| name.to_string_lossy().replace('-', "_"));
        collect(&root.join("src"), &package, &mut files);
    }
    files
}

fn collect(folder: &Path, package: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, package, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut imports = BTreeMap::new();
            for item in &parsed.items {
                if let Item::Use(used) = item {
                    imported(&used.tree, &[], &mut |public, path| {
                        imports.insert(public, (path[0].clone(), path[path.len() - 1].clone()));
                    });
                }
            }
            files.push(File { package: package.to_owned(), path, imports, items: parsed.items });
        }
    }
}

/// Calls for each name that a `use` brings, with its whole path.
fn imported(tree: &UseTree, before: &[String], found: &mut impl FnMut(String, &[String])) {
    let with = |segment: &syn::Ident| [before, &[segment.to_string()]].concat();
    match tree {
        UseTree::Path(path) => imported(&path.tree, &with(&path.ident), found),
        UseTree::Name(name) if name.ident == "self" => found(before[before.len() - 1].clone(), before),
        UseTree::Name(name) => found(name.ident.to_string(), &with(&name.ident)),
        UseTree::Rename(renamed) => found(renamed.rename.to_string(), &with(&renamed.ident)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, before, found)),
        UseTree::Glob(_) => {}
    }
}

/// The exports of the crate root, without what only tests of this repository see.
fn exports(files: &[File]) -> Exports {
    let root = files.iter().find(|file| file.path.ends_with("src/lib.rs") && file.package == "crate").unwrap();
    let mut exports = Exports::new();
    for item in &root.items {
        let Item::Use(used) = item else { continue };
        let is_internal = used.attrs.iter().any(|attribute| {
            matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().contains("internals"))
        });
        if matches!(used.vis, Visibility::Public(_)) && !is_internal {
            imported(&used.tree, &[], &mut |public, path| {
                let package = if path[0] == "modules" { "crate" } else { &path[0] };
                let (room, name) = (path[1].clone(), path[path.len() - 1].clone());
                if public == RESULTS {
                    let module = Path::new(&room).join(name).with_extension("rs");
                    results(files, package, &module, &mut exports);
                } else {
                    exports.insert(public, Export { package: package.to_owned(), room, name });
                }
            });
        }
    }
    exports
}

/// Adds the exports of the module of results.
fn results(files: &[File], package: &str, module: &Path, exports: &mut Exports) {
    let file = files.iter().find(|file| file.package == package && file.path.ends_with(module)).unwrap();
    let room = module.iter().next().unwrap().to_string_lossy().into_owned();
    for item in &file.items {
        let Item::Use(used) = item else { continue };
        if matches!(used.vis, Visibility::Public(_)) {
            imported(&used.tree, &[], &mut |public, path| {
                let name = path[path.len() - 1].clone();
                let export = Export { package: package.to_owned(), room: room.clone(), name };
                exports.insert(format!("{RESULTS}::{public}"), export);
            });
        }
    }
}

/// Checks the signatures of exported items.
struct Check<'a> {
    files: &'a [File],
    exports: &'a Exports,
    /// What cannot be named, with the signature in which it stands.
    unnameable: BTreeSet<String>,
    /// The exported items that were found.
    found: BTreeSet<String>,
}

impl Check<'_> {
    fn all(&mut self) {
        for (public, export) in self.exports {
            for file in self.files.iter().filter(|file| export.is_in(file)) {
                for item in &file.items {
                    self.item(public, &export.name, file, item);
                }
            }
        }
    }

    fn item(&mut self, public: &str, name: &str, file: &File, item: &Item) {
        let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
        match item {
            Item::Struct(one) if one.ident == name && is_public(&one.vis) => {
                self.found.insert(public.to_owned());
                let known = parameters(&one.generics, &[]);
                for field in one.fields.iter().filter(|field| is_public(&field.vis)) {
                    self.ty(&field.ty, &known, file, public);
                }
            }
            Item::Enum(one) if one.ident == name && is_public(&one.vis) => {
                self.found.insert(public.to_owned());
                let known = parameters(&one.generics, &[]);
                for variant in &one.variants {
                    let (Fields::Named(_) | Fields::Unnamed(_)) = variant.fields else { continue };
                    variant.fields.iter().for_each(|field| self.ty(&field.ty, &known, file, public));
                }
            }
            Item::Trait(one) if one.ident == name && is_public(&one.vis) => {
                self.found.insert(public.to_owned());
                let known = parameters(&one.generics, &[]);
                for item in &one.items {
                    if let TraitItem::Fn(function) = item {
                        self.signature(&function.sig, &known, file, public);
                    }
                }
            }
            Item::Type(one) if one.ident == name && is_public(&one.vis) => {
                self.found.insert(public.to_owned());
                self.ty(&one.ty, &parameters(&one.generics, &[]), file, public);
            }
            Item::Fn(one) if one.sig.ident == name && is_public(&one.vis) => {
                self.found.insert(public.to_owned());
                self.signature(&one.sig, &[], file, public);
            }
            Item::Const(one) if one.ident == name => {
                self.found.insert(public.to_owned());
            }
            Item::Macro(one) => {
                // Structs of figures are declared in a macro, whose text is that of structs.
                if let Ok(inner) = syn::parse2::<syn::File>(one.mac.tokens.clone()) {
                    inner.items.iter().for_each(|item| self.item(public, name, file, item));
                }
            }
            Item::Impl(one) if one.trait_.is_none() && is_of(&one.self_ty, name) => {
                let known = parameters(&one.generics, &[]);
                for item in &one.items {
                    if let ImplItem::Fn(function) = item
                        && is_public(&function.vis)
                    {
                        self.signature(&function.sig, &known, file, public);
                    }
                }
            }
            _ => {}
        }
    }

    fn signature(&mut self, signature: &Signature, known: &[String], file: &File, public: &str) {
        let known = parameters(&signature.generics, known);
        let place = format!("{public}::{}", signature.ident);
        for argument in &signature.inputs {
            if let FnArg::Typed(argument) = argument {
                self.ty(&argument.ty, &known, file, &place);
            }
        }
        if let ReturnType::Type(_, ty) = &signature.output {
            self.ty(ty, &known, file, &place);
        }
        for parameter in &signature.generics.params {
            if let GenericParam::Type(parameter) = parameter {
                self.bounds(&parameter.bounds, &known, file, &place);
            }
        }
    }

    fn ty(&mut self, ty: &Type, known: &[String], file: &File, place: &str) {
        match ty {
            Type::Reference(reference) => self.ty(&reference.elem, known, file, place),
            Type::Slice(slice) => self.ty(&slice.elem, known, file, place),
            Type::Array(array) => self.ty(&array.elem, known, file, place),
            Type::Paren(paren) => self.ty(&paren.elem, known, file, place),
            Type::Group(group) => self.ty(&group.elem, known, file, place),
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| self.ty(ty, known, file, place)),
            Type::ImplTrait(bounded) => self.bounds(&bounded.bounds, known, file, place),
            Type::TraitObject(object) => self.bounds(&object.bounds, known, file, place),
            Type::Path(path) => self.path(&path.path, known, file, place),
            Type::FnPtr(function) => {
                function.inputs.iter().for_each(|argument| self.ty(&argument.ty, known, file, place));
                if let ReturnType::Type(_, ty) = &function.output {
                    self.ty(ty, known, file, place);
                }
            }
            _ => {}
        }
    }

    fn bounds<'b>(
        &mut self,
        bounds: impl IntoIterator<Item = &'b TypeParamBound>,
        known: &[String],
        file: &File,
        place: &str,
    ) {
        for bound in bounds {
            if let TypeParamBound::Trait(bound) = bound {
                self.path(&bound.path, known, file, place);
            }
        }
    }

    fn path(&mut self, path: &syn::Path, known: &[String], file: &File, place: &str) {
        let first = path.segments[0].ident.to_string();
        let last = &path.segments[path.segments.len() - 1];
        for segment in &path.segments {
            match &segment.arguments {
                PathArguments::AngleBracketed(arguments) => {
                    for argument in &arguments.args {
                        match argument {
                            GenericArgument::Type(ty) => self.ty(ty, known, file, place),
                            GenericArgument::AssocType(bound) => self.ty(&bound.ty, known, file, place),
                            _ => {}
                        }
                    }
                }
                PathArguments::Parenthesized(arguments) => {
                    arguments.inputs.iter().for_each(|argument| self.ty(&argument.ty, known, file, place));
                    if let ReturnType::Type(_, ty) = &arguments.output {
                        self.ty(ty, known, file, place);
                    }
                }
                PathArguments::None => {}
            }
        }
        let name = last.ident.to_string();
        let (root, original) = match file.imports.get(&first) {
            Some((root, original)) if path.segments.len() == 1 => (root.clone(), original.clone()),
            Some((root, _)) => (root.clone(), name.clone()),
            None => (first.clone(), name.clone()),
        };
        let is_prelude = path.segments.len() == 1 && PRELUDE.contains(&first.as_str());
        let is_open = OPEN.contains(&(root.as_str(), original.as_str()));
        let is_standard = STANDARD.contains(&root.as_str());
        let package = if root.starts_with("trimtab_") { root.as_str() } else { file.package.as_str() };
        let is_exported = self.exports.values().any(|export| export.name == original && export.package == package);
        if !(is_prelude || known.contains(&first) || is_open || is_standard || is_exported) {
            self.unnameable.insert(format!("{place}: {name} ({})", file.path.display()));
        }
    }
}

/// The names of type parameters.
fn parameters(generics: &Generics, known: &[String]) -> Vec<String> {
    let own = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
        _ => None,
    });
    known.iter().cloned().chain(own).collect()
}

/// Whether a type has this name.
fn is_of(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

#[test]
fn every_type_in_a_public_signature_can_be_named() {
    let files = source_files();
    let exports = exports(&files);
    let mut check = Check { files: &files, exports: &exports, unnameable: BTreeSet::new(), found: BTreeSet::new() };
    check.all();
    let missing: Vec<&String> = exports.keys().filter(|name| !check.found.contains(*name)).collect();
    assert!(missing.is_empty(), "no item was found for {missing:?}");
    let all: Vec<&str> = check.unnameable.iter().map(String::as_str).collect();
    assert!(all.is_empty(), "export these, or use other types:\n{}", all.join("\n"));
}
