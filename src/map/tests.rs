use super::*;

/// What documents may hold to break out of a page or a file.
const HOSTILE: &str = "</script><script>alert(1)</script><!-- ]]> & \"'\u{2028}\u{2029}\u{0}\u{1b} <img src=x onerror=alert(1)>";

fn community(title: &str) -> MapCommunity {
    MapCommunity {
        level: 0,
        size: 2,
        colour: "#123456".to_owned(),
        title: title.to_owned(),
        summary: title.to_owned(),
        findings: vec![(title.to_owned(), title.to_owned())],
    }
}

/// Two entities, one relationship, one community: every text the same.
fn map_of(text: &str) -> Map {
    let node = |id: &str, x, y| MapNode {
        id: id.to_owned(),
        name: text.to_owned(),
        kind: text.to_owned(),
        description: text.to_owned(),
        degree: 1,
        x,
        y,
        communities: vec![Some(0)],
        sources: vec![0],
    };
    Map {
        workspace: text.to_owned(),
        levels: 1,
        nodes: vec![node("a", 0.0, 10.5), node("b", 1000.0, 3.25)],
        edges: vec![MapEdge {
            source: 0,
            target: 1,
            weight: 3,
            kind: text.to_owned(),
            description: text.to_owned(),
        }],
        communities: vec![community(text)],
        sources: vec![MapSource {
            document: text.to_owned(),
            key: text.to_owned(),
            headings: vec![text.to_owned()],
            place: String::new(),
            text: text.to_owned(),
        }],
        left_out: 0,
    }
}

fn data_of(page: &str) -> &str {
    let start = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(start).unwrap();
    rest.split_once("</script>").unwrap().0
}

#[test]
fn data_cannot_leave_its_block_of_the_page() {
    let page = map_of(HOSTILE).write(MapFormat::Html, 0).unwrap();
    let plain = map_of("plain").write(MapFormat::Html, 0).unwrap();
    for part in ["<script", "</script", "<!--", "\u{2028}", "\u{2029}", "<img", "alert(1)</"] {
        assert_eq!(page.matches(part).count(), plain.matches(part).count(), "{part}");
    }
    let read: serde_json::Value = serde_json::from_str(data_of(&page)).unwrap();
    assert_eq!(read["nodes"][0]["name"], HOSTILE);
    assert_eq!(read["communities"][0]["findings"][0][1], HOSTILE);
    assert_eq!(read["sources"][0]["text"], HOSTILE);
}

#[test]
fn the_page_runs_its_own_scripts_alone_and_asks_for_nothing() {
    let page = map_of("plain").write(MapFormat::Html, 0).unwrap();
    let (_, rest) = page.split_once("script-src 'nonce-").unwrap();
    let (nonce, _) = rest.split_once('\'').unwrap();
    assert!(nonce.len() == 64 && !data_of(&page).contains(nonce));
    assert!(
        page.contains(&format!("default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'"))
    );
    assert_eq!(page.matches(&format!("<script nonce=\"{nonce}\">")).count(), 2);
    assert_eq!(page.matches("<script").count(), 3);
    for part in ["unsafe-inline", "unsafe-eval", " src=\"http", "<link", "@import"] {
        assert!(!page.contains(part), "{part}");
    }
    let own = include_str!("assets/page.js");
    for part in
        ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "setAttribute(\"on"]
    {
        assert!(!own.contains(part), "{part}");
    }
    assert_ne!(page, map_of("other").write(MapFormat::Html, 0).unwrap());
}

#[test]
fn files_of_xml_are_well_formed_whatever_a_text_holds() {
    for (format, element) in
        [(MapFormat::Svg, "circle"), (MapFormat::GraphMl, "node"), (MapFormat::Gexf, "node")]
    {
        let text = map_of(HOSTILE).write(format, 0).unwrap();
        let mut reader = quick_xml::Reader::from_str(&text);
        let (mut elements, mut unknown) = (0, 0);
        loop {
            use quick_xml::events::Event;
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(start) | Event::Empty(start) => {
                    for attribute in start.attributes() {
                        attribute.unwrap();
                    }
                    elements += u32::from(start.name().as_ref() == element);
                    unknown += u32::from(["script", "img"].iter().any(|n| start.name().as_ref() == *n));
                }
                Event::Comment(_) | Event::CData(_) => unknown += 1,
                _ => {}
            }
        }
        assert_eq!((elements, unknown), (2, 0), "{format:?}");
        assert!(!text.contains(['\u{0}', '\u{1b}']), "{format:?}");
        assert!(text.contains("&lt;/script&gt;"), "{format:?}");
        assert!(text.contains("#123456"), "{format:?}");
    }
}

#[test]
fn files_are_known_by_their_extension() {
    assert_eq!(MapFormat::of(Path::new("a/Map.HTML")).unwrap(), MapFormat::Html);
    assert_eq!(MapFormat::of(Path::new("map.gexf")).unwrap(), MapFormat::Gexf);
    assert_eq!(MapFormat::of(Path::new("map.graphml")).unwrap(), MapFormat::GraphMl);
    let error = MapFormat::of(Path::new("map.png")).unwrap_err().to_string();
    assert!(error.contains("map.png") && error.contains(".graphml"), "{error}");
    let error = map_of("plain").write(MapFormat::Svg, 4).unwrap_err().to_string();
    assert!(error.contains("no level 4"), "{error}");
}

/// Rings of eight, each joined to the next, and some alone.
fn rings(count: usize, alone: usize) -> Map {
    let mut map = Map { levels: 1, ..Map::default() };
    for node in 0..count * 8 + alone {
        map.nodes.push(MapNode { id: format!("{node:04}"), degree: 2, ..MapNode::default() });
    }
    let mut join =
        |source, target| map.edges.push(MapEdge { source, target, weight: 1, ..MapEdge::default() });
    for ring in 0..count {
        for place in 0..8 {
            for step in 1..4 {
                join(ring * 8 + place, ring * 8 + (place + step) % 8);
            }
        }
        join(ring * 8, (ring + 1) % count * 8 + 1);
    }
    map
}

#[test]
fn who_belongs_together_stands_together() {
    let mut map = rings(6, 5);
    layout::lay_out(&mut map, None, 0).unwrap();
    let mut again = rings(6, 5);
    layout::lay_out(&mut again, None, 0).unwrap();
    assert_eq!(map, again);
    assert!(map.nodes.iter().all(|n| (0.0..=SIDE).contains(&n.x) && (0.0..=SIDE).contains(&n.y)));
    let distance = |a: &MapNode, b: &MapNode| (a.x - b.x).hypot(a.y - b.y);
    let mut right = 0;
    for place in 0..48 {
        let nearest = (0..48)
            .filter(|&other| other != place)
            .min_by(|&a, &b| {
                let to = |other: usize| distance(&map.nodes[place], &map.nodes[other]);
                to(a).total_cmp(&to(b))
            })
            .unwrap();
        right += usize::from(nearest / 8 == place / 8);
    }
    assert!(right >= 44, "{right} of 48 stand beside one of their ring");
    let foot = map.nodes[48..].iter().map(|n| n.y).fold(0.0, f64::max);
    assert!(map.nodes[..48].iter().all(|n| n.y > foot));
}

#[test]
fn vectors_that_are_given_are_used_and_few_nodes_will_do() {
    let mut map = rings(1, 1);
    let vectors = (0..8).map(|node| (node, vec![1.0, if node < 4 { 8.0 } else { -8.0 }])).collect();
    layout::lay_out(&mut map, Some(vectors), 0).unwrap();
    assert!(map.nodes.iter().all(|n| n.x.is_finite() && n.y.is_finite()));
    for (count, alone) in [(0, 1), (0, 3), (1, 0)] {
        let mut map = rings(count, alone);
        layout::lay_out(&mut map, None, 0).unwrap();
        assert!(map.nodes.iter().all(|n| (0.0..=SIDE).contains(&n.x) && (0.0..=SIDE).contains(&n.y)));
    }
}
