// What holds of any file of any format; included by the test that replays the corpus and makes more of it. Returns how
// many documents the file gives.
fn check_file(name: &str, bytes: &[u8]) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let file = SourceFile { path, key: name.to_owned() };
    let reading = documents::read(&file, &ReadOptions::default());
    assert!(reading.documents.len() + reading.all_problems().count() > 0, "a file is read, or says why not");
    assert_eq!(reading, documents::read(&file, &ReadOptions::default()), "a file is read alike twice");
    for document in &reading.documents {
        check_document(document);
    }
    reading.documents.len()
}

// Splitting covers the text without a gap, sentences lie inside it, and what is read of a unit stands in it.
fn check_document(document: &SourceDocument) {
    let ids = Ids::new("fuzz");
    let id = ids.document(&document.key);
    let tokens = Tokens::O200kBase;
    let characters = document.text.chars().count() as u64;
    for heading in &document.headings {
        assert!(heading.offset < characters && !heading.title.trim().is_empty(), "{heading:?}");
    }
    let config = TextUnitsConfig { size: 32, overlap: 8, ..TextUnitsConfig::default() };
    let mut covered = 0;
    for unit in text_units::split(document, &id, &ids, tokens, &config) {
        assert!(unit.start_offset <= covered && covered <= unit.end_offset, "a gap before {unit:?}");
        covered = unit.end_offset;
        for sentence in sentences(&unit.text) {
            assert!(unit.text.get(sentence).is_some(), "a sentence outside of {unit:?}");
        }
        let read = UnitText {
            title: &document.title,
            headings: &unit.headings,
            text: &unit.text,
            header: &unit.header,
        };
        let records = extract(&read, &NlpSettings::default()).records;
        let names: Vec<String> = records
            .iter()
            .filter_map(|record| match record {
                Record::Entity(entity) => Some(name_key(&entity.name)),
                _ => None,
            })
            .collect();
        for record in &records {
            if let Record::Relationship(relationship) = record {
                for end in [&relationship.source, &relationship.target] {
                    assert!(names.contains(&name_key(end)), "{end} is no entity of {unit:?}");
                }
            }
        }
    }
    assert_eq!(covered, characters, "the text is covered to its end");
}
