//! Documents as people have them: every format by its truth, damaged and hostile files by what is told of them.

use crate::command_line::run;
use crate::limits::{rewritten, rewritten_bytes};
use graphwright::domain::{LocatorKind, fingerprint, locator_at};
use graphwright::index::documents::{
    self, PageWish, ReadOptions, Reading, SameText, SourceDocument, SourceFile,
};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents").join(name)
}

fn read(name: &str) -> Reading {
    documents::read(&SourceFile { path: fixture(name), key: name.to_owned() }, &ReadOptions::default())
}

fn one(name: &str) -> SourceDocument {
    let mut reading = read(name);
    assert_eq!(reading.documents.len(), 1, "{name}: {:?}", reading.problems);
    reading.documents.remove(0)
}

/// What the report says, in whatever format.
const FACTS: [&str; 14] = [
    "two apprentices",
    "Ebenezer Scrooge and Dick Wilkins",
    "official affidavit was filed in 1843",
    "A footnote about the affidavit",
    "Ebenezer Scrooge, apprentice",
    "slept under the counter",
    "Mrs. Fezziwig, hostess",
    "Candles",
    "4.50",
    "Ledger books",
    "毛笔 brushes",
    "2.25",
    "曹操与刘备煮酒论英雄",
    "better than his word",
];

#[test]
fn the_report_says_the_same_in_every_format() {
    for name in [
        "report-pandoc.docx",
        "report-libreoffice.docx",
        "report-pandoc.odt",
        "report-libreoffice.odp",
        "report-pandoc.pptx",
        "report-libreoffice.pptx",
        "report-pandoc.epub",
        "report.pdf",
        "report-encrypted-empty-password.pdf",
    ] {
        let document = one(name);
        let text = document.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let missing: Vec<&&str> = FACTS.iter().filter(|fact| !text.contains(**fact)).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:?}:\n{}", document.text);
        let titles: Vec<&str> = document.headings.iter().map(|heading| heading.title.as_str()).collect();
        let is_slides = name.ends_with("pptx") || name.ends_with("odp");
        let headings: &[&str] = if is_slides {
            &["Overview", "Conclusion"]
        } else {
            &["Overview", "People", "Stock", "中文摘要", "Conclusion"]
        };
        for heading in headings {
            assert!(titles.contains(heading), "{name} lacks the heading {heading}: {titles:?}");
        }
        for heading in &document.headings {
            let at = usize::try_from(heading.offset).expect("small");
            let rest: String = document.text.chars().skip(at).collect();
            assert!(rest.starts_with(&heading.title), "{name}: {heading:?}");
        }
        let row = "| Ledger books | 12 | 30.00 |";
        assert!(document.text.contains(row), "{name}: no table\n{}", document.text);
    }
}

#[test]
fn comments_stand_behind_their_paragraph_or_are_told_as_left_out() {
    let read = |name: &str, bytes: Vec<u8>| -> Reading {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        documents::read(&SourceFile { path, key: name.to_owned() }, &ReadOptions::default())
    };
    let word = |document: &str, name: &str| -> Reading {
        let bytes = rewritten("report-pandoc.docx", "word/comments.xml", |text| {
            let comment = "<w:comment w:id=\"7\" w:author=\"Bob Cratchit\"><w:p><w:r><w:t>Three, surely.</w:t></w:r></w:p>\
                           <w:p><w:r><w:t>Ask Dick.</w:t></w:r></w:p></w:comment>";
            let from = text.find("<w:comments").expect("comments");
            let end = from + text[from..].find('>').expect("an end");
            format!("{}>{comment}</w:comments>", text[..end].trim_end_matches('/'))
        });
        let changed = rewritten_bytes(bytes, "word/document.xml", |text| {
            text.replacen("two apprentices</w:t></w:r>", &format!("two apprentices</w:t></w:r>{document}"), 1)
        });
        read(name, changed)
    };
    let kept = word("<w:r><w:commentReference w:id=\"7\"/></w:r>", "kept.docx");
    let text = &kept.documents[0].text;
    let behind = "filed in 1843.";
    let comment = "[comment by Bob Cratchit: Three, surely. Ask Dick.]";
    assert!(text.contains(comment), "{text}");
    assert!(text.find(behind).expect("the paragraph") < text.find(comment).expect("the comment"), "{text}");
    assert_eq!(kept.all_problems().count(), 0);
    let deleted = "<w:del><w:r><w:commentReference w:id=\"7\"/></w:r></w:del>";
    let lost = word(deleted, "lost.docx");
    assert!(!lost.documents[0].text.contains("surely"));
    let told: Vec<String> = lost.all_problems().map(ToString::to_string).collect();
    assert!(
        told.len() == 1
            && told[0].contains(
                "comments at no text that is read (deleted text, headers, footnotes) were left out (1)"
            ),
        "{told:?}"
    );

    let annotation = "<office:annotation><dc:creator>Bob Cratchit</dc:creator><dc:date>1843-12-24</dc:date>\
                      <text:p>Three, surely.</text:p></office:annotation>";
    let open = rewritten("report-pandoc.odt", "content.xml", |text| {
        text.replacen("two apprentices", &format!("two apprentices{annotation}"), 1)
    });
    let text = &read("kept.odt", open).documents[0].text;
    assert!(
        text.contains("[comment by Bob Cratchit: Three, surely.]") && !text.contains("1843-12-24"),
        "{text}"
    );
    let told = |name: &str, bytes: Vec<u8>| -> String {
        read(name, bytes).all_problems().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let slides = rewritten("report-pandoc.pptx", "ppt/slides/_rels/slide2.xml.rels", |text| {
        let relation = "<Relationship Id=\"rId9\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
                        relationships/comments\" Target=\"../comments/comment1.xml\"/></Relationships>";
        text.replace("</Relationships>", relation)
    });
    let slides = told("slides.pptx", slides);
    assert!(slides.contains("slide 2 has comments, which are not read"), "{slides}");
    let cells = rewritten("stock.ods", "content.xml", |text| {
        text.replacen("<text:p>Candles", &format!("{annotation}<text:p>Candles"), 1)
    });
    let cells = told("stock.ods", cells);
    assert!(cells.contains("comments stand at some cells and were left out"), "{cells}");
}

#[test]
fn what_a_file_says_of_itself_is_kept() {
    let said = |name: &str, field: &str| one(name).metadata.get(field).cloned().unwrap_or_default();
    for (name, language) in [("report.pdf", "en-US"), ("kangxi-radicals.pdf", "zh-CN")] {
        assert_eq!(said(name, "language"), language, "{name}");
    }
    for name in ["report.pdf", "report-pandoc.docx", "report-pandoc.odt", "report-pandoc.pptx"] {
        assert_eq!(said(name, "author"), "Graphwright Tests", "{name}");
        assert!(said(name, "created").starts_with("2026-11-22"), "{name}: {:?}", one(name).metadata);
    }
}

#[test]
fn sheets_give_rows_with_their_places() {
    for name in ["stock.xlsx", "stock.xls", "stock.ods"] {
        let reading = read(name);
        let document = &reading.documents[0];
        assert!(document.text.contains("139") && document.text.contains("2024-"), "{}", document.text);
        assert!(!document.text.contains("45627"), "dates are dates");
        let hidden: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        assert!(hidden.len() == 1 && hidden[0].contains("is hidden and was left out"), "{hidden:?}");
        let row = document.text.lines().find(|line| line.contains("Candles")).expect("a row");
        let at = document.text.find(row).map(|byte| document.text[..byte].chars().count()).expect("there");
        let place = locator_at(&document.locators, at as u64).expect("a place");
        assert!(place.kind == LocatorKind::Row && place.number > 1 && !place.label.is_empty(), "{place:?}");
    }
}

#[test]
fn mail_transcripts_and_archives_are_read_in_their_parts() {
    let mail = read("mail.eml");
    let keys: Vec<&str> = mail.documents.iter().map(|document| document.key.as_str()).collect();
    assert_eq!(keys, ["mail.eml", "mail.eml#coal.txt"]);
    let letter = &mail.documents[0];
    assert_eq!(letter.title, "关于圣诞节的假期 / Christmas leave");
    assert_eq!(letter.metadata["from"], "Bob Cratchit <bob@example.org>");
    assert!(letter.metadata["date"].starts_with("1843-12-24T17:00:00"));
    assert!(letter.text.contains("> It is not convenient") && !letter.text.contains("Clerk, Scrooge"));
    assert!(mail.documents[1].text.contains("3 shovels"));

    let mailbox = read("mail.mbox");
    let second = mailbox.documents.iter().find(|document| document.title == "Dinner").expect("the second");
    assert!(second.text.contains("\nFrom Fred, with love."), "{}", second.text);
    assert_eq!(second.locators[0].locator.to_string(), "message 2");
    assert_eq!(second.metadata["in_reply_to"], "1@example.org");

    for name in ["talk.vtt", "talk.srt"] {
        let talk = one(name);
        assert!(talk.text.contains("Yo ho, my boys!") && talk.text.contains("Christmas Eve, Ebenezer!"));
        assert!(!talk.text.contains("NOTE") && !talk.text.contains('<'), "{}", talk.text);
        assert_eq!(talk.locators[1].locator.to_string(), "00:00:04");
    }

    let bundle = read("bundle.zip");
    let keys: Vec<&str> = bundle.documents.iter().map(|document| document.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "bundle.zip#mail.eml",
            "bundle.zip#mail.eml#coal.txt",
            "bundle.zip#report.docx",
            "bundle.zip#talk.vtt",
            "bundle.zip#多层/内层.txt"
        ]
    );
    assert!(
        bundle.problems[0].to_string().contains("evil.txt: leads out of the archive"),
        "{:?}",
        bundle.problems
    );
}

#[test]
fn each_page_of_a_pdf_lies_in_its_span_and_the_same_file_gives_the_same_bytes() {
    let document = one("carol-two-columns.pdf");
    assert_eq!(document, one("carol-two-columns.pdf"));
    let pages: Vec<u64> = document.locators.iter().map(|mark| mark.locator.number).collect();
    assert_eq!(pages, [1, 2, 3, 4, 5, 6]);
    assert!(!document.text.contains("Page 3"), "footers are taken out");
    for (words, page) in [("Marley was dead", 1), ("deadest piece of ironmongery", 1)] {
        let at = document.text.find(words).map(|byte| document.text[..byte].chars().count()).expect("there");
        assert_eq!(
            locator_at(&document.locators, at as u64).map(|place| place.number),
            Some(page),
            "{words}"
        );
    }
}

/// Characters without white space.
fn dense(text: &str) -> Vec<char> {
    let text = text.replace(['’', '‘', '“', '”', '"'], "'").replace("--", "—");
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Share of the order that is right: 1 − edit distance, in a band that is wide enough for texts so alike.
fn order(truth: &str, text: &str) -> f64 {
    const BAND: usize = 900;
    let (a, b) = (dense(truth), dense(text));
    let far = a.len() + b.len();
    let mut before: Vec<usize> = (0..=b.len()).collect();
    for (row, x) in a.iter().enumerate() {
        let (from, to) = ((row + 1).saturating_sub(BAND), (row + 1 + BAND).min(b.len()));
        let mut now = vec![far; b.len() + 1];
        if from == 0 {
            now[0] = row + 1;
        }
        for column in from.max(1)..=to {
            let change = before[column - 1] + usize::from(*x != b[column - 1]);
            now[column] = change.min(before[column] + 1).min(now[column - 1] + 1);
        }
        before = now;
    }
    1.0 - before[b.len()] as f64 / a.len().max(b.len()) as f64
}

fn truth(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).expect("a file")
}

#[test]
fn chinese_lines_are_joined_without_spaces_and_radicals_are_folded() {
    let document = one("three-kingdoms-ch1.pdf");
    let right = order(&truth("three-kingdoms-ch1.truth.txt"), &document.text);
    assert!(right > 0.9999, "{right}");
    assert!(!document.text.contains("汉 ") || !document.text.contains(" 室"), "no space inside lines");
    let folded = one("kangxi-radicals.pdf");
    assert!(folded.text.contains("黄巾"), "{}", folded.text);
    assert!(!folded.text.chars().any(|character| ('\u{2e80}'..='\u{2fdf}').contains(&character)));
}

#[test]
fn two_columns_are_read_in_order_and_hyphens_by_the_documents_words() {
    let document = one("carol-two-columns.pdf");
    let truth = truth("carol-two-columns.truth.txt");
    let right = order(&truth, &document.text);
    assert!(right >= 0.985, "{right}");
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let text = text.replace("--", " ");
        text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase).collect()
    };
    let (known, found) = (words(&truth), words(&document.text));
    let lost: Vec<&String> = known.difference(&found).filter(|word| word.len() > 3).collect();
    assert!(lost.len() <= 1, "words of the truth that are divided or joined otherwise: {lost:?}");
    let made: Vec<&String> = found.difference(&known).filter(|word| word.contains('-')).collect();
    assert!(made.is_empty(), "hyphens that the truth does not have: {made:?}");
}

#[test]
fn nothing_is_silently_empty() {
    let told = |name: &str| -> String {
        let reading = read(name);
        reading.all_problems().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(told("scan-no-text-layer.pdf").contains("page 1 of 1 has no text layer (an image)"));
    assert!(told("report-encrypted-password-user.pdf").contains("asks for a password"));
    assert!(told("report-libreoffice.doc").contains("set [documents.converters] doc"));
    assert!(told("report-pandoc.rtf").contains("set [documents.converters] rtf"));
    assert!(told("report-damaged-00.pdf").contains("is damaged and cannot be opened"), "cut off");
    for name in ["report-damaged-01.pdf", "report-damaged-02.pdf", "report-damaged-03.pdf"] {
        assert!(one(name).text.contains("Mr. Fezziwig"), "{name} can be read in part");
    }
}

#[test]
fn the_program_reads_foreign_files_in_children_and_names_what_it_could_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("a folder");
    for name in [
        "report.pdf",
        "report-pandoc.docx",
        "stock.xlsx",
        "mail.eml",
        "bundle.zip",
        "scan-no-text-layer.pdf",
        "page-tree-cycle.pdf",
        "bomb-text-64m.pdf",
        "bomb-forms-2e30.pdf",
        "report-encrypted-password-user.pdf",
    ] {
        std::fs::copy(fixture(name), docs.join(name)).expect("copied");
    }
    std::fs::copy(fixture("report-pandoc.odt"), docs.join("no-extension-odt.bin")).expect("copied");
    std::fs::write(docs.join("report.pdf.meta.json"), "{\"author\": \"Fezziwig\", \"year\": 1843}")
        .expect("written");
    std::fs::write(folder.path().join("graphwright.toml"), "[limits]\nreader_s = 20\nreader_mb = 1500\n")
        .expect("written");
    let index = run(folder.path(), &["index", "docs", "--json"]);
    assert_eq!(index.code, 4, "{}", index.stderr);
    let report: serde_json::Value = serde_json::from_str(&index.stdout).expect("JSON");
    let problems = report["problems"].to_string();
    for part in [
        "docs/scan-no-text-layer.pdf: page 1 of 1 has no text layer",
        "docs/report-encrypted-password-user.pdf: asks for a password",
        "docs/bomb-text-64m.pdf: ",
        "docs/bomb-forms-2e30.pdf: ",
        "docs/page-tree-cycle.pdf: page 2 cannot be read: damaged",
        "the sheet",
    ] {
        assert!(problems.contains(part), "{part} in {problems}");
    }
    assert_eq!(report["pages_without_text"], 1);
    let query = run(
        folder.path(),
        &["query", "Who was the hostess at the warehouse?", "--method", "basic", "--json"],
    );
    let answer: serde_json::Value = serde_json::from_str(&query.stdout).expect("JSON");
    let citations = answer["citations"].as_array().expect("a list");
    let paged = citations.iter().find(|citation| citation["sentence"]["document"] == "docs/report.pdf");
    if let Some(paged) = paged {
        assert_eq!(paged["sentence"]["locator"]["kind"], "page", "{paged}");
        assert_eq!(paged["sentence"]["locator"]["number"], 1);
    }
    let sheet = ["index", "docs/stock.xlsx", "--workspace", "sheet"];
    assert_eq!(run(folder.path(), &sheet).code, 4, "the hidden sheet is told");
    let question = ["query", "How many candles are in stock?", "--method", "basic", "--workspace", "sheet"];
    let stock = run(folder.path(), &question);
    assert!(stock.stdout.contains("docs/stock.xlsx, sheet Stock, row 2"), "{}", stock.stdout);
    let source = run(folder.path(), &["source", "1", "--workspace", "sheet"]);
    assert!(source.stdout.contains("»| Candles | 120"), "{}", source.stdout);

    let again = run(folder.path(), &["sync", "docs", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(
        (&report["documents_added"], &report["documents_changed"]),
        (&0.into(), &0.into()),
        "{report}"
    );
    assert_eq!(report["documents_removed"], 0, "{report}");
    let scan = run(folder.path(), &["index", "docs/scan-no-text-layer.pdf", "--workspace", "scan"]);
    let summary = scan.stderr.find("1 of 1 pages has no text and is not indexed; the warnings name them");
    assert!(summary.is_some() && summary < scan.stderr.find("warning: "), "{}", scan.stderr);
    let named = run(folder.path(), &["index", "docs/report-encrypted-password-user.pdf"]);
    assert_eq!(named.code, 4);
    assert!(named.stderr.contains("asks for a password; save it without one"), "{}", named.stderr);
}

#[test]
fn every_stretch_of_a_pdf_has_boxes_on_the_page_that_it_names() {
    for name in ["carol-two-columns.pdf", "three-kingdoms-ch1.pdf", "kangxi-radicals.pdf", "report.pdf"] {
        let document = one(name);
        let characters: Vec<char> = document.text.chars().collect();
        let file = SourceFile { path: fixture(name), key: name.to_owned() };
        for start in (0..characters.len().saturating_sub(60)).step_by(characters.len() / 12 + 1) {
            let stretch: String = characters[start..start + 60].iter().collect();
            let span = start as u64..start as u64 + 60;
            let wish = wish(span.clone(), SameText::Stretch(stretch.clone()), None);
            let shown = documents::marked_pages(&file, wish, &ReadOptions::default());
            let pages = shown.unwrap_or_else(|error| panic!("{name}, {stretch:?}: {error}")).pages;
            let place = locator_at(&document.locators, span.start).expect("a page").number;
            assert_eq!(pages[0].page, place, "{name}, {stretch:?}");
            assert!(pages.iter().any(|page| !page.boxes.is_empty()), "{name}, {stretch:?}");
            for page in &pages {
                for [left, top, right, bottom] in &page.boxes {
                    let is_inside =
                        *left >= 0.0 && *top >= 0.0 && *right <= page.width && *bottom <= page.height;
                    assert!(is_inside && left < right && top < bottom, "{name}, {stretch:?}: {page:?}");
                }
            }
        }
        let asked =
            |proof, page| documents::marked_pages(&file, wish(0..3, proof, page), &ReadOptions::default());
        let wrong = asked(SameText::Stretch("xyz".to_owned()), None);
        assert!(wrong.is_err_and(|error| error.contains("has changed since")), "{name}");
        let other = asked(SameText::Whole(fingerprint(&["another text"])), Some(1));
        assert!(other.is_err_and(|error| error.contains("has changed since")), "{name}");
        let whole = || SameText::Whole(fingerprint(&[&document.text]));
        let last = asked(whole(), None).expect("shown").page_count;
        let shown = asked(whole(), Some(last)).expect("shown");
        assert_eq!(shown.pages.iter().map(|page| page.page).collect::<Vec<_>>(), [last], "{name}");
        let beyond = asked(whole(), Some(last + 1)).expect_err("no such page");
        assert_eq!(beyond, format!("has no page {}; it has {last}", last + 1), "{name}");
    }
}

fn wish(span: std::ops::Range<u64>, proof: SameText, page: Option<u64>) -> PageWish {
    PageWish { span, proof, pages: page.into_iter().collect(), with_picture: false, longest_px: None }
}

#[test]
fn a_cited_page_is_drawn_with_its_sentence_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    std::fs::copy(fixture("carol-two-columns.pdf"), docs.join("carol.pdf")).expect("copied");
    assert_eq!(run(folder.path(), &["index", "docs"]).code, 0);
    run(folder.path(), &["query", "What was Scrooge's nephew called?", "--method", "basic"]);
    let source = run(folder.path(), &["source", "1", "--json", "-o", "page.png"]);
    assert_eq!(source.code, 0, "{}", source.stderr);
    let told: serde_json::Value = serde_json::from_str(&source.stdout).expect("JSON");
    assert_eq!(told["pages"][0]["page"], told["locator"]["number"], "{told}");
    let picture = std::fs::read(folder.path().join("page.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG"));
    // the file has gone: the sentence is still told, and why its page is not
    std::fs::rename(docs.join("carol.pdf"), folder.path().join("moved.pdf")).expect("moved");
    let gone = run(folder.path(), &["source", "1"]);
    assert_eq!(gone.code, 0);
    assert!(gone.stderr.contains("is not there; name the file with --file"), "{}", gone.stderr);
    assert_ne!(run(folder.path(), &["source", "1", "-o", "page.png"]).code, 0);
    let found = run(folder.path(), &["source", "1", "--file", "moved.pdf", "-o", "again.png"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert_eq!(
        std::fs::read(folder.path().join("again.png")).expect("a picture"),
        picture,
        "same file, same bytes"
    );
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_same_text_in_other_formats_is_told_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    for name in ["report.pdf", "report-pandoc.docx", "talk.vtt", "carol-two-columns.pdf"] {
        std::fs::copy(fixture(name), docs.join(name)).expect("copied");
    }
    let first = run(folder.path(), &["index", "docs", "--json"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let report = json(&first.stdout);
    let pairs = report["near_duplicates"].as_array().expect("a list");
    assert_eq!(pairs.len(), 1, "{report}");
    let likeness = pairs[0]["likeness"].as_f64().expect("a number");
    assert_eq!(
        (&pairs[0]["document"], &pairs[0]["other"], &pairs[0]["same_text"]),
        (&"docs/report.pdf".into(), &"docs/report-pandoc.docx".into(), &false.into())
    );
    assert!((0.8..1.0).contains(&likeness), "{likeness}");
    assert_eq!(report["documents"], 4, "nothing is dropped");
    // later runs compare what is new with what is stored
    std::fs::copy(fixture("report-libreoffice.docx"), docs.join("a-copy.docx")).expect("copied");
    let second = run(folder.path(), &["index", "docs"]);
    let told = "docs/a-copy.docx says the same as docs/report-pandoc.docx";
    assert!(second.stderr.contains(told), "{}", second.stderr);
    let third = json(&run(folder.path(), &["index", "docs", "--json"]).stdout);
    assert!(third.get("near_duplicates").is_none(), "{third}");
}

#[test]
fn a_sentence_on_two_pages_is_cited_with_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    std::fs::copy(fixture("carol-two-columns.pdf"), docs.join("carol.pdf")).expect("copied");
    run(folder.path(), &["index", "docs"]);
    let question = ["query", "Was it his custom to double lock himself in?", "--method", "basic"];
    let printed = run(folder.path(), &question).stdout;
    assert!(printed.contains("docs/carol.pdf, pp. 5–6 ›"), "{printed}");
    let answer = json(&run(folder.path(), &[question.as_slice(), &["--json"]].concat()).stdout);
    let sentence = &answer["citations"][0]["sentence"];
    assert_eq!((&sentence["locator"]["number"], &sentence["last_locator"]["number"]), (&5.into(), &6.into()));
    let source = json(&run(folder.path(), &["source", "1", "--json"]).stdout);
    assert_eq!(source["last_locator"]["number"], 6, "{source}");
    let boxed: Vec<u64> =
        source["pages"].as_array().expect("a list").iter().filter_map(|page| page["page"].as_u64()).collect();
    assert_eq!(boxed, [5, 6], "{source}");
    let shown = run(folder.path(), &["source", "1"]);
    assert!(shown.stdout.contains("docs/carol.pdf, pp. 5–6"), "{}", shown.stdout);
    // a sentence on one page names no other
    let one = run(folder.path(), &["query", "Who was dead, to begin with?", "--method", "basic", "--json"]);
    assert!(json(&one.stdout)["citations"][0]["sentence"].get("last_locator").is_none(), "{}", one.stdout);
}

#[test]
fn a_question_may_be_asked_of_some_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    for name in ["carol-two-columns.pdf", "stock.xlsx"] {
        std::fs::copy(fixture(name), docs.join(name)).expect("copied");
    }
    run(folder.path(), &["index", "docs"]);
    let pages = |method: &str, filters: &[&str]| -> Vec<u64> {
        let mut arguments =
            vec!["query", "Who is Scrooge, and what is in stock?", "--method", method, "--json"];
        arguments.extend(filters.iter().flat_map(|filter| ["--filter", *filter]));
        let answer = run(folder.path(), &arguments);
        let answer = json(&answer.stdout);
        let citations = answer["citations"].as_array().cloned().unwrap_or_default();
        let number = |citation: &serde_json::Value| citation["sentence"]["locator"]["number"].as_u64();
        citations.iter().filter_map(number).collect()
    };
    for method in ["basic", "local", "source"] {
        let all = pages(method, &[]);
        assert!(!all.is_empty(), "{method}");
        // a text unit may begin on the page before, and end on the page behind
        let late = pages(method, &["page=5-6"]);
        assert!(!late.is_empty() && late.iter().all(|page| (4..=6).contains(page)), "{method}: {late:?}");
        let early = pages(method, &["page<=1"]);
        assert!(!early.is_empty() && early.iter().all(|page| *page <= 2), "{method}: {early:?}");
        assert_eq!(pages(method, &["slide=1"]), [0_u64; 0], "{method}");
    }
    let sheet = run(
        folder.path(),
        &["query", "How many candles are in stock?", "--method", "basic", "--filter", "sheet=stock"],
    );
    assert!(sheet.stdout.contains("docs/stock.xlsx, sheet Stock, row"), "{}", sheet.stdout);
    let wrong = run(folder.path(), &["query", "Who?", "--filter", "page=9-3"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("9 is behind 3"), "{} {}", wrong.code, wrong.stderr);
}

#[test]
fn what_an_earlier_reader_read_is_stale_until_it_is_refreshed() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    for name in ["report.pdf", "report-pandoc.docx"] {
        std::fs::copy(fixture(name), docs.join(name)).expect("copied");
    }
    run(folder.path(), &["index", "docs"]);
    let stale = || json(&run(folder.path(), &["status", "--json"]).stdout)["stale"]["documents"].clone();
    assert_eq!(stale(), 0);
    // as an earlier version would have left it: another text, of the same bytes
    let path = folder.path().join(".graphwright/default.sqlite");
    let file = rusqlite::Connection::open(path).expect("opened");
    let earlier = "UPDATE documents SET content_hash = 'of another text', origin = replace(origin, 'docx ', 'docx 0') \
                   WHERE key LIKE '%.docx'; DELETE FROM settings WHERE key = 'readers';";
    file.execute_batch(earlier).expect("changed");
    drop(file);
    assert_eq!(stale(), 1);
    let told = run(folder.path(), &["status"]);
    assert!(told.stdout.contains("1 documents: read by an earlier version"), "{}", told.stdout);
    let again = json(&run(folder.path(), &["index", "docs", "--json"]).stdout);
    assert_eq!(
        (&again["documents_changed"], &again["documents_unchanged"]),
        (&0.into(), &2.into()),
        "{again}"
    );
    assert_eq!(stale(), 1);
    // the files are found by themselves
    let refreshed = json(&run(folder.path(), &["index", "--refresh", "--json"]).stdout);
    assert_eq!(refreshed["documents_changed"], 1, "{refreshed}");
    assert_eq!(stale(), 0);
    // a file that has changed is read whatever read it before
    std::fs::copy(fixture("stock.xlsx"), docs.join("stock.xlsx")).expect("copied");
    std::fs::copy(fixture("report-libreoffice.docx"), docs.join("report-pandoc.docx")).expect("copied");
    let changed = json(&run(folder.path(), &["index", "docs", "--json"]).stdout);
    assert_eq!(
        (&changed["documents_changed"], &changed["documents_added"]),
        (&1.into(), &1.into()),
        "{changed}"
    );
}

#[test]
fn a_row_answers_among_prose_and_says_what_its_cells_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    for name in ["carol-two-columns.pdf", "stock.xlsx", "report.pdf"] {
        std::fs::copy(fixture(name), docs.join(name)).expect("copied");
    }
    run(folder.path(), &["index", "docs"]);
    for (question, row, cell) in [
        ("How many candles are in stock?", "| Candles | 120", "Item: Candles · Quantity: 120"),
        (
            "What is the price of ledger books?",
            "| Ledger books | 12",
            "Item: Ledger books · Quantity: 12 · Price: 30",
        ),
    ] {
        let answer = json(&run(folder.path(), &["query", question, "--method", "basic", "--json"]).stdout);
        assert_eq!(answer["found"], true, "{answer}");
        let text = answer["answer"].as_str().expect("a text");
        assert!(text.starts_with(cell), "{text}");
        let first = answer["citations"][0]["sentence"]["text"].as_str().expect("a text");
        assert!(first.starts_with(row), "the source is quoted as it stands: {first}");
    }
    let prose = run(folder.path(), &["query", "Who is Ebenezer Scrooge?", "--method", "basic"]);
    assert!(!prose.stdout.starts_with("Name:"), "{}", prose.stdout);
}
