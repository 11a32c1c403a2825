// Small changes to whatever lies in a corpus; included by every test that mutates one.

include!("cases.rs");

/// The files of a corpus, by name.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    files_of(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name))
}

/// The files of a folder, by name.
fn files_of(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// One change: bytes put in place of others.
type Change = (proptest::sample::Index, usize, Vec<u8>);

fn changes() -> impl proptest::strategy::Strategy<Value = Vec<Change>> {
    use proptest::prelude::{Strategy, any, prop_oneof};
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..6),
        "[<>/{}\\[\\]\",:;#|=-]{1,4}|---\n|\\\\u0000|\r\n|&#x10ffff;|<b>|<table>|<!--|99999999999999999999|-1|\\.\\./"
            .prop_map(String::into_bytes),
        "\\PC{1,4}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec((any::<proptest::sample::Index>(), 0..8_usize, bytes), 1..12)
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, length, new) in changes {
        let at = at.index(bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}
