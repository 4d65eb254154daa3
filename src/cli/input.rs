//! Files, directories and globs into a list of files.

use std::io::Read;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use ignore::WalkBuilder;

use super::console::Failure;

/// The files that some paths stand for: a file is itself, a directory its files with one of these endings, a glob what
/// it matches. Directories and globs come sorted, without what `.gitignore` leaves out; a file is listed once.
pub(super) fn files(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        let found = if path.as_os_str() == "-" || path.is_file() {
            vec![path.clone()]
        } else if path.is_dir() {
            walk(path, &|file| file.extension().is_some_and(|end| endings.iter().any(|ending| end == *ending)))
        } else {
            glob(path)?
        };
        files.extend(found.into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>());
    }
    Ok(files)
}

fn glob(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = pattern.to_string_lossy();
    if !text.contains(['*', '?', '[', '{']) {
        return Err(Failure::Said(format!("there is no file or directory `{text}`")));
    }
    let glob = GlobBuilder::new(&text).literal_separator(true).build();
    let glob = glob.map_err(|error| format!("`{text}` is no glob: {}", error.kind()))?.compile_matcher();
    let plain = |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let root: PathBuf = pattern.components().take_while(plain).collect();
    let here = root.as_os_str().is_empty();
    let found = walk(if here { Path::new(".") } else { &root }, &|_| true);
    let named = found.into_iter().map(|file| file.strip_prefix("./").map(Path::to_path_buf).unwrap_or(file));
    Ok(named.filter(|file| glob.is_match(file)).collect())
}

fn walk(root: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(root);
    let entries = builder.sort_by_file_path(Ord::cmp).build().flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.map(ignore::DirEntry::into_path).filter(|path| wanted(path)).collect()
}

/// The bytes of a file; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        return match std::io::stdin().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(format!("cannot read standard input: {error}")),
        };
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

/// The text of a policy file.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text: byte {at} begins no character")
    })
}

/// How a path is shown: `<stdin>` for `-`, unless the user names it.
pub(super) fn shown(path: &Path, stdin: Option<&str>) -> String {
    if path.as_os_str() == "-" { stdin.unwrap_or("<stdin>").to_owned() } else { path.display().to_string() }
}
