//! What of a web page is its own text. Navigation, notices and lists of links around it are told by the file alone: by its
//! elements and roles, by names that such parts go by, and by how much of a part's text is links.

use super::is_cjk;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use rustc_hash::{FxHashMap, FxHashSet};
use scraper::node::Element;
use scraper::{Html, Node};

/// Elements whose content nobody reads as text.
const HIDDEN: [&str; 19] = [
    "head", "script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object", "canvas",
    "select", "button", "dialog", "audio", "video", "textarea", "rt", "rp",
];

/// Roles of parts that are not the page's own text.
const ROLES: [&str; 8] =
    ["navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu"];

/// First or last words of classes and ids that parts around the text go by.
const NAMES: [&str; 42] = [
    "cookie",
    "cookies",
    "consent",
    "gdpr",
    "newsletter",
    "subscribe",
    "subscription",
    "social",
    "share",
    "sharing",
    "breadcrumb",
    "breadcrumbs",
    "sidebar",
    "advert",
    "advertisement",
    "ads",
    "promo",
    "sponsored",
    "related",
    "recommended",
    "recommendations",
    "popup",
    "modal",
    "paywall",
    "pagination",
    "pager",
    "footer",
    "nav",
    "navbar",
    "navigation",
    "menu",
    "mostread",
    "crumb",
    "crumbs",
    "relate",
    "topbar",
    "topnav",
    "foot",
    "copyright",
    "rank",
    "ranking",
    "recommend",
];

/// Elements that may be a part of a page.
const PARTS: [&str; 12] =
    ["div", "section", "aside", "ul", "ol", "table", "form", "header", "footer", "td", "dl", "details"];

/// A part with more than this share of the page's text is no part around it.
const LARGEST_PART: f64 = 0.4;
/// The main element holds at least this share of what is not left out by then.
const SMALLEST_MAIN: f64 = 0.4;
/// Share of a list of links that is links.
const LINKED: f64 = 0.75;
/// Links of a list of links.
const LINKS: usize = 3;
/// Characters outside of links that a page has whose lists of links are not what it is for.
const PROSE: usize = 400;
/// Characters that have to be left, where leaving something out takes more than half.
const LEFT: usize = 200;

/// Letters that an ideograph counts for.
const IDEOGRAPH: usize = 3;

/// Characters of a node, white space not counted.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    text: usize,
    linked: usize,
    links: usize,
}

impl Weight {
    fn add(&mut self, other: Self) {
        self.text += other.text;
        self.linked += other.linked;
        self.links += other.links;
    }

    #[expect(clippy::cast_precision_loss, reason = "no page has 2^52 characters")]
    fn share_of(self, whole: usize) -> f64 {
        self.text as f64 / whole.max(1) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "no page has 2^52 characters")]
    fn is_list_of_links(self) -> bool {
        self.links >= LINKS && self.linked as f64 >= LINKED * self.text as f64
    }
}

/// The elements that are left out of the page's text, with all that is in them. A page that is all navigation keeps it.
pub(super) fn left_out(html: &Html) -> FxHashSet<NodeId> {
    let weights = weigh(html, &FxHashSet::default());
    let whole = weights.get(&html.tree.root().id()).copied().unwrap_or_default();
    let mut out = around(html, &weights, whole);
    let rest = weigh(html, &out);
    let main = main_element(html, &rest);
    if let Some(main) = main {
        out.extend(beside(html, main, &out));
    } else if whole.text.saturating_sub(whole.linked) >= PROSE {
        out.extend(lists_of_links(html, &rest, whole));
    }
    let left = weigh(html, &out).get(&html.tree.root().id()).map_or(0, |left| left.text);
    if left < LEFT && left * 2 < whole.text { FxHashSet::default() } else { out }
}

/// How much text each element holds; what is hidden or left out holds none.
fn weigh(html: &Html, out: &FxHashSet<NodeId>) -> FxHashMap<NodeId, Weight> {
    let mut weights: FxHashMap<NodeId, Weight> = FxHashMap::default();
    let mut open: Vec<Weight> = Vec::new();
    let (mut hidden, mut links) = (0_usize, 0_usize);
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => {
                let mut own = Weight::default();
                match node.value() {
                    Node::Element(element) => {
                        hidden += usize::from(is_unseen(element) || out.contains(&node.id()));
                        let is_link = element.name() == "a";
                        links += usize::from(is_link);
                        own.links = usize::from(is_link && hidden == 0);
                    }
                    Node::Text(text) if hidden == 0 => {
                        own.text = text.chars().map(weight_of).sum();
                        own.linked = if links > 0 { own.text } else { 0 };
                    }
                    _ => {}
                }
                open.push(own);
            }
            Edge::Close(node) => {
                let weight = open.pop().unwrap_or_default();
                if let Node::Element(element) = node.value() {
                    hidden -= usize::from(is_unseen(element) || out.contains(&node.id()));
                    links -= usize::from(element.name() == "a");
                }
                if let Some(parent) = open.last_mut() {
                    parent.add(weight);
                }
                if !node.value().is_text() {
                    weights.insert(node.id(), weight);
                }
            }
        }
    }
    weights
}

/// How much a character says: an ideograph as much as a short word.
fn weight_of(character: char) -> usize {
    match character {
        character if character.is_whitespace() => 0,
        character if is_cjk(character) => IDEOGRAPH,
        _ => 1,
    }
}

/// Whether nobody sees an element.
pub(super) fn is_unseen(element: &Element) -> bool {
    HIDDEN.contains(&element.name())
        || element.attr("hidden").is_some()
        || element.attr("style").is_some_and(|style| {
            let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
            style.to_ascii_lowercase().contains("display:none")
        })
}

/// Parts that say by role or name that they stand around the text.
fn around(html: &Html, weights: &FxHashMap<NodeId, Weight>, whole: Weight) -> FxHashSet<NodeId> {
    let mut out = FxHashSet::default();
    // those open elements that are the text itself: what stands in them is only left out by its name
    let mut articles = 0_usize;
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => {
                let Node::Element(element) = node.value() else { continue };
                articles += usize::from(is_text(element));
                let is_small =
                    weights.get(&node.id()).is_some_and(|w| w.share_of(whole.text) <= LARGEST_PART);
                let is_around = has_role(element)
                    || (PARTS.contains(&element.name()) && has_name(element))
                    || (articles == 0 && ["footer", "aside"].contains(&element.name()));
                if is_small && is_around {
                    out.insert(node.id());
                }
            }
            Edge::Close(node) => {
                if let Node::Element(element) = node.value() {
                    articles -= usize::from(is_text(element));
                }
            }
        }
    }
    out
}

fn is_text(element: &Element) -> bool {
    ["main", "article"].contains(&element.name()) || element.attr("role") == Some("main")
}

fn has_role(element: &Element) -> bool {
    element.attr("role").is_some_and(|role| ROLES.contains(&role.trim().to_ascii_lowercase().as_str()))
}

fn has_name(element: &Element) -> bool {
    let names = element.classes().chain(element.id());
    names.flat_map(str::split_whitespace).any(|name| {
        let name = name.to_ascii_lowercase();
        let words: Vec<&str> = name.split(['-', '_']).filter(|word| !word.is_empty()).collect();
        let ends = [words.first(), words.last()];
        ends.into_iter().flatten().any(|word| NAMES.contains(word)) || words.ends_with(&["most", "read"])
    })
}

/// The one element that says it is the page's text, and holds much of it.
fn main_element(html: &Html, weights: &FxHashMap<NodeId, Weight>) -> Option<NodeId> {
    let rest = weights.get(&html.tree.root().id())?.text;
    let is_main = |element: &Element| element.name() == "main" || element.attr("role") == Some("main");
    let is_article = |element: &Element| element.name() == "article";
    [&is_main as &dyn Fn(&Element) -> bool, &is_article].into_iter().find_map(|is_wanted| {
        let mut found = html.tree.nodes().filter(|node| {
            matches!(node.value(), Node::Element(element) if is_wanted(element))
                && weights.get(&node.id()).is_some_and(|weight| weight.text > 0)
        });
        let first = found.next()?;
        let is_alone = found.next().is_none();
        let holds = weights.get(&first.id())?.share_of(rest);
        (is_alone && holds >= SMALLEST_MAIN).then(|| first.id())
    })
}

/// What stands beside the way down to the main element; the page's heading stays where the main element has none.
fn beside(html: &Html, main: NodeId, out: &FxHashSet<NodeId>) -> FxHashSet<NodeId> {
    let Some(main) = html.tree.get(main) else { return FxHashSet::default() };
    let is_heading = |node: &ego_tree::NodeRef<'_, Node>| matches!(node.value(), Node::Element(element) if element.name() == "h1");
    let mut kept: FxHashSet<NodeId> = main.ancestors().map(|node| node.id()).collect();
    kept.insert(main.id());
    if !main.descendants().any(|node| is_heading(&node)) {
        let is_out = |node: &ego_tree::NodeRef<'_, Node>| {
            out.contains(&node.id()) || node.ancestors().any(|above| out.contains(&above.id()))
        };
        if let Some(heading) = html.tree.nodes().find(|node| is_heading(node) && !is_out(node)) {
            kept.insert(heading.id());
            kept.extend(heading.ancestors().map(|node| node.id()));
        }
    }
    let ways = kept.iter().filter_map(|id| html.tree.get(*id));
    let ways = ways.filter(|node| node.id() != main.id() && !is_heading(node));
    ways.flat_map(|node| node.children().collect::<Vec<_>>())
        .map(|child| child.id())
        .filter(|id| !kept.contains(id))
        .collect()
}

/// Parts whose text is links.
fn lists_of_links(html: &Html, weights: &FxHashMap<NodeId, Weight>, whole: Weight) -> FxHashSet<NodeId> {
    let parts = html.tree.nodes().filter(|node| {
        matches!(node.value(), Node::Element(element) if PARTS.contains(&element.name()))
            && weights.get(&node.id()).is_some_and(|weight| {
                weight.is_list_of_links() && weight.share_of(whole.text) <= LARGEST_PART
            })
    });
    parts.map(|node| node.id()).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::LimitsConfig;
    use crate::index::documents::html;

    const STORY: &str = "The harbour of Esk was opened in 1843 after nine years of work by four hundred people from \
        the valley. Its first ship carried salt and wool to Bergen, and came back with timber for the new school. \
        The light on its pier was the first of the coast that burned gas, which the town made of its own coal.";

    fn own_text(body: &str) -> String {
        let markup = format!("<html><head><title>T</title></head><body>{body}</body></html>");
        html::read_page(&markup, &LimitsConfig::default()).unwrap().text
    }

    #[test]
    fn a_page_is_its_main_element_and_its_heading() {
        let text = own_text(&format!(
            "<div class='cookie-banner'><p>We use cookies. <a href=x>Accept all</a></p></div>\
             <header><a href=/>Home</a><h1>The harbour</h1></header>\
             <div class=page><main><p>{STORY}</p><aside>A note.</aside><div class='share-bar'>Share this</div></main>\
             <div><h2>Most read</h2><ul><li><a href=1>Cats</a></li></ul></div></div>\
             <footer>All rights reserved</footer>"
        ));
        assert_eq!(text, format!("The harbour\n\n{STORY}\n\nA note."));
    }

    #[test]
    fn without_a_main_element_parts_around_and_lists_of_links_go() {
        let text = own_text(&format!(
            "<div id=top-menu><a href=1>News</a></div><h1>The harbour</h1><div><p>{STORY}</p><p>{STORY}</p></div>\
             <div><h3>Most read</h3><ul><li><a href=1>A cat that swam to the island</a></li>\
             <li><a href=2>The mayor and the missing clock</a></li><li><a href=3>What to eat in May</a></li></ul></div>\
             <aside>Weather: rain</aside><footer>All rights reserved</footer>"
        ));
        assert_eq!(text, format!("The harbour\n\n{STORY}\n\n{STORY}"));
    }

    #[test]
    fn a_page_that_is_all_links_or_wrapped_in_a_named_part_keeps_its_text() {
        let links = "<ul><li><a href=1>One thing</a></li><li><a href=2>Another</a></li><li><a href=3>Third</a></li></ul>";
        assert_eq!(own_text(links), "- One thing\n- Another\n- Third");
        let text = own_text(&format!("<div class='with-sidebar'><p>{STORY}</p></div>"));
        assert_eq!(text, STORY);
        assert_eq!(own_text("<footer>Only this</footer>"), "Only this");
        // two articles: none is the page
        let text = own_text(&format!("<article><p>{STORY}</p></article><article><p>Second.</p></article>"));
        assert!(text.ends_with("Second."), "{text}");
    }

    #[test]
    fn a_short_chinese_article_is_a_page_of_its_own() {
        let story = "东海市港务局昨日宣布，灯塔修缮工程正式启动，预计投资四百五十万元，工期十八个月。港务局局长林海波表示，修缮之后的灯塔将对公众开放。该灯塔建于一九零二年，是东海沿岸现存最古老的灯塔之一，曾经历三次大修，最近的一次是在一九八七年。工程期间航标灯照常工作，港区船舶须听从值班员指挥，夜间不得靠泊北堤。";
        let text = own_text(&format!(
            "<div class=top><a href=1>首页</a><a href=2>新闻</a><a href=3>财经</a></div>\
             <div class=crumb>当前位置：首页 &gt; 新闻</div><h1>灯塔修缮</h1><p>{story}</p>\
             <div class=relate><h3>相关阅读</h3><ul><li><a href=4>地铁通车</a></li></ul></div>"
        ));
        assert_eq!(text, format!("灯塔修缮\n\n{story}"));
    }

    #[test]
    fn a_foot_note_in_an_article_stays() {
        let text = own_text(&format!(
            "<article><p>{STORY}</p><aside>1 See the log.</aside><footer>By Ann</footer></article>"
        ));
        assert!(
            text.ends_with("1 See the log.\n\nBy Ann") || text.ends_with("1 See the log.\nBy Ann"),
            "{text}"
        );
    }
}
