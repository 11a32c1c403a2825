//! What this build of the program has: a first look is compiled without servers, to be there sooner.

/// What a build may lack: the feature that brings it, its name for users, whether it is here.
const PARTS: [(&str, &str, bool); 3] = [
    ("neo4j", "Neo4j", cfg!(feature = "neo4j")),
    ("qdrant", "Qdrant", cfg!(feature = "qdrant")),
    ("serve", "the server (serve, mcp, token)", cfg!(feature = "serve")),
];

/// Something was asked for that this build does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "this is a first look at graphwright, made without {name}; the whole program comes with `cargo install --path . \
     --locked`, run in the folder of its source (what is indexed stays)"
)]
pub(crate) struct NotInBuild {
    name: &'static str,
}

/// The version, and what this build lacks.
pub(crate) fn version() -> String {
    let lacking = PARTS.iter().filter(|(.., is_here)| !is_here).map(|(_, name, _)| *name);
    match lacking.collect::<Vec<_>>().as_slice() {
        [] => env!("CARGO_PKG_VERSION").to_owned(),
        names => format!("{} (a first look, without {})", env!("CARGO_PKG_VERSION"), names.join(", ")),
    }
}

/// What to say where something is asked for that `feature` would bring.
#[cfg_attr(
    all(feature = "neo4j", feature = "qdrant", feature = "serve"),
    expect(dead_code, reason = "nothing is lacking")
)]
pub(crate) fn lacks(feature: &str) -> NotInBuild {
    let part = PARTS.iter().find(|(brings, ..)| *brings == feature);
    NotInBuild { name: part.map_or("this", |(_, name, _)| name) }
}
