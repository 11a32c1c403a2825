use super::*;

fn read_bytes_as(name: &str, bytes: &[u8]) -> Reading {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&SourceFile { path, key: format!("k/{name}") }, &ReadOptions::default())
}

fn check_refused(name: &str, bytes: &[u8], part: &str) {
    let reading = read_bytes_as(name, bytes);
    assert!(reading.documents.is_empty());
    let reasons: Vec<&str> = reading.problems.iter().map(|problem| problem.reason.as_str()).collect();
    assert!(reasons.len() == 1 && reasons[0].contains(part), "{reasons:?}");
}

#[test]
fn every_kind_of_file_becomes_documents() {
    let text = read_bytes_as("a-tale.txt", "\u{feff}It was.\r\nSo it was.".as_bytes());
    assert_eq!(text.documents[0].text, "It was.\r\nSo it was.");
    assert_eq!(
        (text.documents[0].key.as_str(), text.documents[0].title.as_str()),
        ("k/a-tale.txt", "A Tale")
    );
    let markdown = read_bytes_as("x.md", b"---\ntitle: T\ndate: 1843\n---\n## One\ntext");
    assert_eq!((markdown.documents[0].title.as_str(), markdown.documents[0].headings[0].offset), ("T", 28));
    assert_eq!(markdown.documents[0].metadata.get("date").map(String::as_str), Some("1843"));
    assert!(markdown.documents[0].text.starts_with("---\n"), "kept as it is");
    let page = read_bytes_as("x.HTM", "<meta charset=gb2312><p>刘备</p>".as_bytes());
    assert_eq!((page.documents[0].text.as_str(), page.documents[0].title.as_str()), ("刘备", "X"));
    let page =
        read_bytes_as("x.html", &encoding_rs::GBK.encode("<meta charset=gb2312><p>刘备，字玄德</p>").0);
    assert_eq!(page.documents[0].text, "刘备，字玄德");
    let rows = read_bytes_as("r.csv", b"text,n\na,1\nb,2\n");
    assert_eq!(
        rows.documents.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(),
        ["k/r.csv#1", "k/r.csv#2"]
    );
}

#[test]
fn each_bad_file_is_one_problem() {
    check_refused("a.txt", b"", "is empty");
    check_refused("a.txt", b" \r\n\t ", "holds only white space");
    check_refused("a.txt", b"\x7fELF\x02\x01", "is a program, not text");
    check_refused("a.md", b"abc\0\x01\x02defg", "is binary, not text");
    check_refused("a.txt", b"good \xff\xfe\xfd bad", "is not valid UTF-8 at byte 5");
    check_refused("a.html", b"<script>x</script>", "holds no visible text");
    check_refused("a.json", b"{oops", "is not valid JSON");
    check_refused("a.pdf", b"text", "is called .pdf, but what it holds is no pdf");
    check_refused("a.png", b"text", "is called .png, but what it holds is no png");
    check_refused(
        "a.png",
        b"\x89PNG\r\n\x1a\n",
        "is a picture (.png), which is read where [documents] ocr is",
    );
    check_refused("a.docx", b"PK\x03\x04 cut off", "is damaged");
    check_refused("a.doc", b"{\\rtf1 text}", "set [documents.converters] rtf");
    let gone = read(&SourceFile { path: "gone/a.txt".into(), key: "a.txt".into() }, &ReadOptions::default());
    assert_eq!(gone.problems[0].to_string(), "gone/a.txt: no such file or folder");
}

#[test]
fn a_file_beyond_the_limit_and_a_special_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "x".repeat(2000)).unwrap();
    let options = ReadOptions { max_bytes: 1000, ..ReadOptions::default() };
    let reading = read(&SourceFile { path, key: "a.txt".into() }, &options);
    assert!(reading.problems[0].reason.contains("is larger than"));
    assert_eq!(unreadable(&std::io::ErrorKind::PermissionDenied.into()), "cannot be read: permission denied");
    let folder = folder.path().join("b.txt");
    std::fs::create_dir(&folder).unwrap();
    let reading = read(&SourceFile { path: folder, key: "b.txt".into() }, &ReadOptions::default());
    assert_eq!(reading.problems[0].reason, "is a folder");
}

proptest::proptest! {
    #[test]
    fn headings_stand_in_order_inside_any_text(
        parts in proptest::collection::vec("[#*`\\[\\]()=-]{0,6}|CHAPTER [IVX]{1,3}|第[一二]{1,2}回|\n{1,2}|[A-Za-z ]{0,30}|<h[1-6]>|<p>|\\PC{0,8}", 0..40),
    ) {
        let text = parts.concat();
        let page = html::read(&text, &LimitsConfig::default()).unwrap();
        let found = [
            (headings::of_plain_text(&text), text.chars().count()),
            (headings::of_markdown(&text, 0), text.chars().count()),
            (page.headings, page.text.chars().count()),
        ];
        for (headings, characters) in found {
            proptest::prop_assert!(headings.windows(2).all(|pair| pair[0].offset < pair[1].offset));
            proptest::prop_assert!(headings.iter().all(|heading| heading.offset < characters as u64));
            proptest::prop_assert!(headings.iter().all(|heading| !heading.title.trim().is_empty()));
        }
    }
}
