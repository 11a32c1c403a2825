//! What this build of the program has: a first look is compiled without servers, to be there sooner.

/// What a build may lack: the feature that brings it, its name for users, what to do without it, whether it is here.
const PARTS: [(&str, &str, &str, bool); 3] = [
    (
        "neo4j",
        "Neo4j",
        "`--graph embedded` keeps the graph in a file (NEO4J_URI or `[graph] url` may ask for a server)",
        cfg!(feature = "neo4j"),
    ),
    (
        "qdrant",
        "Qdrant",
        "`--vectors embedded` keeps vectors in a file (QDRANT_URL or `[vectors] url` may ask for a server)",
        cfg!(feature = "qdrant"),
    ),
    ("serve", "the server (serve, mcp, token, demo --serve)", "all else is here", cfg!(feature = "serve")),
];

/// Something was asked for that this build does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "this program is a first look, made without {name}; {instead}. The whole program: `cargo install --path . --locked` \
     in the folder of its source, and what is indexed stays"
)]
pub(crate) struct NotInBuild {
    name: &'static str,
    instead: &'static str,
}

/// The version, and what this build lacks.
pub(crate) fn version() -> String {
    let lacking: Vec<&str> = PARTS.iter().filter(|(.., here)| !here).map(|(_, name, ..)| *name).collect();
    if lacking.is_empty() {
        return env!("CARGO_PKG_VERSION").to_owned();
    }
    format!("{} (a first look, without {})", env!("CARGO_PKG_VERSION"), lacking.join(", "))
}

/// Whether what a feature brings is here.
pub(crate) fn has(feature: &str) -> bool {
    PARTS.iter().any(|(brings, _, _, here)| *brings == feature && *here)
}

/// What to say where something is asked for that `feature` would bring.
#[cfg_attr(
    all(feature = "neo4j", feature = "qdrant", feature = "serve", not(test)),
    expect(dead_code, reason = "nothing is lacking")
)]
pub(crate) fn lacks(feature: &str) -> NotInBuild {
    let part = PARTS.iter().find(|(brings, ..)| *brings == feature);
    let (name, instead) = part.map_or(("this", ""), |(_, name, instead, _)| (*name, *instead));
    NotInBuild { name, instead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_lacks_is_named_with_the_way_to_it() {
        for feature in ["neo4j", "qdrant", "serve"] {
            let told = lacks(feature).to_string();
            assert!(told.contains("without ") && told.contains("cargo install"), "{told}");
            assert_eq!(has(feature), !version().contains(lacks(feature).name));
        }
        assert!(!has("nothing"));
    }
}
