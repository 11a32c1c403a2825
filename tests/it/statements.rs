//! What the statements in `cypher/` must keep to (docs/internals/graph.md, "Statements").

use std::fs;
use std::path::Path;

/// Looking a node up by id beside its workspace lets Neo4j read the whole page index of its label for every row.
#[test]
fn a_node_looked_up_by_id_does_not_offer_the_page_index() {
    let cypher = Path::new(env!("CARGO_MANIFEST_DIR")).join("cypher");
    let schema = fs::read_to_string(cypher.join("schema.cypher")).expect("readable");
    let page_indexes =
        schema.split(';').filter_map(|statement| statement.split_once(") ON (n.workspace, n.id)"));
    let labels: Vec<String> =
        page_indexes.filter_map(|(before, _)| Some(before.rsplit_once("(n:")?.1.to_owned())).collect();
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
        .map(|file| file.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("readable")))
        .collect()
}

/// What several methods share: parts of a document's replacement, of evidence, of the lease, of a removal.
const SHARED: [&str; 22] = [
    "leader",
    "lock_",
    "mark_entities_dirty",
    "mark_relationships_dirty",
    "mark_unreported",
    "migrate_",
    "names_",
    "parents_",
    "remove_claims",
    "remove_communities",
    "remove_tree_nodes",
    "remove_units",
    "remove_unused_periods",
    "save_periods",
    "save_tombstones",
    "transaction_name",
    "transactions_",
    "units_evidence",
    "server_version",
    "worker_",
    "workers_",
    "save_labels_",
];

/// A statement is found by the name of the method that sends it.
#[test]
fn a_statement_bears_the_name_of_its_method() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut methods: Vec<String> = Vec::new();
    for (_, text) in texts(&root.join("src/stores/graph")) {
        let names = text.lines().filter_map(|line| line.strip_prefix("    async fn ")?.split('(').next());
        methods.extend(names.map(str::to_owned));
    }
    assert!(methods.iter().any(|method| method == "replace_document"), "{methods:?}");
    let mut found = Vec::new();
    for folder in ["store", "live"] {
        for file in fs::read_dir(root.join("cypher").join(folder)).expect("a readable folder") {
            let name = file.expect("an entry").file_name().display().to_string();
            let stem = name.trim_end_matches(".cypher");
            let of_method = methods.iter().any(|method| {
                stem.strip_prefix(method.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            });
            if !of_method && !SHARED.iter().any(|shared| stem.starts_with(shared)) {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// An entity may bear any label in a database that an older version, or a person, has written.
#[test]
fn what_is_found_by_its_label_alone_is_no_entity() {
    let cypher = Path::new(env!("CARGO_MANIFEST_DIR")).join("cypher");
    let (mut found, mut scans) = (Vec::new(), 0);
    for (name, text) in ["store", "live", "doctor"].iter().flat_map(|folder| texts(&cypher.join(folder))) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (start, _) in text.match_indices("MATCH (") {
            let rest = &text[start + "MATCH (".len()..];
            let Some((node, after)) = rest.split_once(')') else { continue };
            let Some((variable, label)) = node.split_once(':') else { continue };
            if label.contains("id: ") {
                continue;
            }
            let by_workspace = format!(" WHERE {variable}.workspace = $workspace");
            let asked = match after.strip_prefix(&by_workspace) {
                Some(further) => further.starts_with(" AND "),
                None if label.ends_with("{workspace: $workspace}") => after.starts_with(" WHERE "),
                None => continue,
            };
            scans += 1;
            // of the workspace's own node there is one, and what is wiped is wiped
            if !asked
                && !label.starts_with("__")
                && !label.starts_with("Graphwright")
                && !name.contains("wipe_")
            {
                found.push(format!("{name}: MATCH ({node})"));
            }
        }
    }
    assert!(scans > 50, "{scans}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
