// What holds of any table of an export; included by the fuzz target and by the test that replays its corpus.

/// A table is read or refused, and gives the same rows twice.
fn check_table(bytes: &[u8]) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("table.parquet");
    std::fs::write(&path, bytes).expect("written");
    let read = || {
        let mut rows = Vec::new();
        let result = parquet_rows::read(&path, 16, |row| {
            rows.push(row);
            Ok(())
        });
        (rows, result.map_err(|error| format!("{error:#}")))
    };
    let (rows, result) = read();
    assert_eq!(read(), (rows.clone(), result), "a table is read alike twice");
    rows.len()
}
