//! What the statements in `cypher/` must keep to (src/ARCHITECTURE.md, "Statements").

use std::fs;
use std::path::Path;

/// Looking a node up by id beside its workspace lets Neo4j read the whole page index of its label for every row.
#[test]
fn a_node_looked_up_by_id_does_not_offer_the_page_index() {
    let cypher = Path::new(env!("CARGO_MANIFEST_DIR")).join("cypher");
    let labels: Vec<String> = texts(&cypher.join("schema"))
        .iter()
        .filter_map(|(_, text)| {
            let (before, _) = text.split_once(") ON (n.workspace, n.id)")?;
            Some(before.rsplit_once("(n:")?.1.to_owned())
        })
        .collect();
    assert!(labels.iter().any(|label| label == "__Entity__"), "{labels:?}");
    let mut found = Vec::new();
    for (name, text) in texts(&cypher.join("store")) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (start, _) in text.match_indices("MATCH (") {
            let rest = &text[start + "MATCH (".len()..];
            let Some((node, after)) = rest.split_once(')') else { continue };
            let Some((variable, pattern)) = node.split_once(':') else { continue };
            let label = pattern.split(' ').next().unwrap_or_default();
            let by_id = pattern.contains("{id:") && labels.iter().any(|other| other == label);
            if by_id && after.starts_with(&format!(" WHERE {variable}.workspace =")) {
                found.push(format!("{name}: MATCH ({node})"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let files = fs::read_dir(folder).expect("a readable folder");
    files
        .map(|file| {
            let path = file.expect("an entry").path();
            (path.display().to_string(), fs::read_to_string(&path).expect("readable"))
        })
        .collect()
}
