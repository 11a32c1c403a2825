//! Web pages: their visible text.

use super::Heading;
use scraper::{ElementRef, Html, Node};
use std::collections::BTreeMap;

/// What a page shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// `<title>`, else the first `<h1>`.
    pub title: Option<String>,
    /// Visible text; block elements stand on lines of their own, paragraphs apart by a blank line.
    pub text: String,
    /// `<meta>` author, date, description and keywords, and the page's language.
    pub metadata: BTreeMap<String, String>,
    /// `<h1>` to `<h6>`.
    pub headings: Vec<Heading>,
}

/// Elements whose content nobody reads as text.
const HIDDEN: [&str; 17] = [
    "head", "script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object", "canvas",
    "select", "button", "dialog", "audio", "video", "textarea",
];

/// Elements that stand on lines of their own with a blank line around.
const PARAGRAPHS: [&str; 20] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "ul",
    "ol",
    "dl",
    "table",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "figure",
    "hr",
];

/// Elements that stand on lines of their own.
const LINES: [&str; 13] = [
    "div",
    "li",
    "dt",
    "dd",
    "tr",
    "caption",
    "figcaption",
    "address",
    "aside",
    "form",
    "fieldset",
    "details",
    "summary",
];

/// Reads a page. Markup of any kind gives some page: errors are mended as browsers do.
pub(super) fn read(markup: &str) -> Page {
    let html = Html::parse_document(markup);
    let mut reader = Reader::default();
    let mut node = *html.root_element();
    let root = node.id();
    reader.read_head(&html);
    loop {
        let is_open = match node.value() {
            Node::Element(element) => {
                let is_hidden = HIDDEN.contains(&element.name()) || element.attr("hidden").is_some();
                if !is_hidden {
                    reader.open(element.name());
                }
                !is_hidden
            }
            Node::Text(text) => {
                reader.write(text);
                false
            }
            _ => false,
        };
        if let Some(child) = node.first_child().filter(|_| is_open) {
            node = child;
            continue;
        }
        if is_open && let Node::Element(element) = node.value() {
            reader.close(element.name());
        }
        loop {
            if node.id() == root {
                return reader.finish();
            }
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return reader.finish() };
            node = parent;
            if let Node::Element(element) = node.value() {
                reader.close(element.name());
            }
        }
    }
}

/// Collects text as a browser would lay it out.
#[derive(Default)]
struct Reader {
    page: Page,
    characters: u64,
    /// Line breaks to write before the next word.
    breaks: usize,
    needs_space: bool,
    needs_tab: bool,
    preformatted: usize,
    heading: Option<Heading>,
}

impl Reader {
    fn read_head(&mut self, html: &Html) {
        if let Some(language) = html.root_element().attr("lang").filter(|language| !language.is_empty()) {
            self.page.metadata.insert("language".into(), language.to_owned());
        }
        let Some(head) = html.root_element().child_elements().find(|child| child.value().name() == "head")
        else {
            return;
        };
        for element in head.child_elements() {
            match element.value().name() {
                "title" if self.page.title.is_none() => {
                    self.page.title = Some(one_line(&element)).filter(|title| !title.is_empty());
                }
                "meta" => self.read_meta(&element),
                _ => {}
            }
        }
    }

    fn read_meta(&mut self, element: &ElementRef<'_>) {
        let name = element.attr("name").unwrap_or("").to_lowercase();
        if let Some(content) = element.attr("content").map(str::trim)
            && ["author", "date", "description", "keywords"].contains(&name.as_str())
            && !content.is_empty()
        {
            self.page.metadata.insert(name, content.to_owned());
        }
    }

    fn open(&mut self, name: &str) {
        self.break_for(name);
        match name {
            "pre" => self.preformatted += 1,
            "br" => self.breaks = (self.breaks + 1).min(2),
            _ => {}
        }
        if let Some(level) = heading_level(name) {
            self.heading = Some(Heading { offset: u64::MAX, level, title: String::new() });
        }
    }

    fn close(&mut self, name: &str) {
        self.break_for(name);
        match name {
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            "td" | "th" => self.needs_tab = true,
            _ => {}
        }
        if heading_level(name).is_some()
            && let Some(heading) = self.heading.take().filter(|heading| !heading.title.is_empty())
        {
            if heading.level == 1 && self.page.title.is_none() {
                self.page.title = Some(heading.title.clone());
            }
            self.page.headings.push(heading);
        }
    }

    fn break_for(&mut self, name: &str) {
        let breaks = if PARAGRAPHS.contains(&name) { 2 } else { usize::from(LINES.contains(&name)) };
        self.breaks = self.breaks.max(breaks);
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.push(text.trim_end_matches('\n'));
            let end = text.len() - text.trim_end_matches('\n').len();
            self.breaks = self.breaks.max(end.min(2));
            return;
        }
        for (place, word) in text.split([' ', '\t', '\n', '\r', '\u{c}']).enumerate() {
            self.needs_space |= place > 0;
            self.push(word);
        }
    }

    fn push(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if !self.page.text.is_empty() {
            let (filler, count) = match (self.breaks, self.needs_tab, self.needs_space) {
                (0, true, _) => ("\t", 1),
                (0, false, true) => (" ", 1),
                (breaks, _, _) => ("\n", breaks),
            };
            for _ in 0..count {
                self.page.text.push_str(filler);
            }
            self.characters += count as u64;
        }
        if let Some(heading) = self.heading.as_mut() {
            heading.offset = heading.offset.min(self.characters);
            if !heading.title.is_empty() && (self.needs_space || self.breaks > 0) {
                heading.title.push(' ');
            }
            heading.title.push_str(word);
        }
        (self.breaks, self.needs_space, self.needs_tab) = (0, false, false);
        self.page.text.push_str(word);
        self.characters += word.chars().count() as u64;
    }

    fn finish(self) -> Page {
        self.page
    }
}

fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

fn one_line(element: &ElementRef<'_>) -> String {
    element.text().flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_visible_text() {
        let page = read(
            "<!doctype html><html lang=en><head><title> A  page </title><meta name=author content=Ann>\
             <style>x</style></head><body><nav>menu</nav><h1>Big <em>é</em> news</h1><p>One\n two&nbsp;&amp; <b>th</b>ree.\
             <br>Line.</p><script>no()</script><ul><li>a</li><li>b</li></ul><table><tr><td>1</td><td>2</td></tr></table>\
             <pre>x\n  y\n</pre><div hidden>gone</div><h2></h2><h2>Next</h2>end",
        );
        assert_eq!(page.title.as_deref(), Some("A page"));
        assert_eq!(
            page.text,
            "Big é news\n\nOne two\u{a0}& three.\nLine.\n\na\nb\n\n1\t2\n\nx\n  y\n\nNext\n\nend"
        );
        assert_eq!(page.metadata.get("author").map(String::as_str), Some("Ann"));
        let headings: Vec<(u64, &str)> = page.headings.iter().map(|h| (h.offset, h.title.as_str())).collect();
        let next = page.text.chars().collect::<String>().find("Next").unwrap();
        let next = page.text[..next].chars().count() as u64;
        assert_eq!(headings, [(0, "Big é news"), (next, "Next")]);
    }

    #[test]
    fn broken_or_deep_markup_does_no_harm() {
        assert_eq!(read("just text < 3 & more").text, "just text < 3 & more");
        assert_eq!(read("").text, "");
        assert_eq!(read(&("<div>".repeat(20_000) + "deep")).text, "deep");
        assert_eq!(read("<h1>Only</h1>").title.as_deref(), Some("Only"));
    }
}
