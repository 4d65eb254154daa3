//! `trimtab recall`; the proxy tests have what it prints.

use super::Run;

#[test]
fn an_unknown_id_is_no_path() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["../decisions/x", "r17", "0123456789AB", "0123456789abc"] {
        let output = Run::line("recall --state").arg(folder.path()).arg(id).output().exits_with(2);
        assert!(output.err.contains("is not an id"), "{}", output.err);
    }
    let output = Run::line("recall 0123456789ab --state").arg(folder.path()).output().exits_with(2);
    assert!(output.err.contains("no offloaded content `0123456789ab`"), "{}", output.err);
}
