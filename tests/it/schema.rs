//! A schema of types and relationships: asked for in the prompt, held to afterwards, what is left out counted.

use crate::by_script::{Endpoint, report};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::config::{Config, SchemaConfig};

const RECORDS: &str = "entity<|>Bob Cratchit<|>PERSON<|>A clerk.\n\
    entity<|>Ebenezer Scrooge<|>person<|>A miser.\n\
    entity<|>Scrooge and Marley<|>company<|>A counting-house.\n\
    entity<|>London<|>city<|>Where it is cold.\n\
    relationship<|>Bob Cratchit<|>Scrooge and Marley<|>WORKS_FOR<|>Bob is its clerk.<|>9\n\
    relationship<|>Bob Cratchit<|>London<|>lives in<|>He lives there.<|>5\n\
    relationship<|>Scrooge and Marley<|>Bob Cratchit<|>works for<|>The wrong way round.<|>5\n\
    relationship<|>Nobody\n\
    <|COMPLETE|>";

fn schema(text: &str) -> SchemaConfig {
    let config = Config::parse(text).expect("valid");
    config.check().expect("consistent");
    config.extraction.schema
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fits_no_pattern_is_pruned_and_counted() {
    let endpoint = Endpoint::start(|task, _| match task {
        "extract_graph" => RECORDS.into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.schema = schema(
        "[extraction.schema]\ntyped = true\n\
         [[extraction.schema.entities]]\ntype = \"Person\"\ndescription = \"a human being\"\n\
         [[extraction.schema.entities]]\ntype = \"Company\"\n\
         [[extraction.schema.relations]]\nsource = \"Person\"\ntype = \"works for\"\ntarget = \"Company\"\n",
    );
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("schema"), config).await;
    index.write("a.txt", "Bob Cratchit works for Scrooge and Marley in London.");
    let report = index.index(&[]).await;
    let prompt = &endpoint.calls()[0].messages[0];
    assert!(prompt.contains("- Person: a human being"), "{prompt}");
    assert!(prompt.contains("- from Person to Company: works for"), "{prompt}");
    assert_eq!((report.records, report.records_lost, report.records_pruned), (4, 1, 3));
    assert_eq!((report.counts.entities, report.counts.relationships), (3, 1));
    let relationships = index.services.graph.relationships(None, 10).await.expect("relationships");
    assert_eq!(relationships[0].kind, "works for", "the schema's own spelling");
    let kinds = index.services.graph.entity_kinds().await.expect("kinds");
    assert_eq!(kinds, [("Person".to_owned(), 2), ("Company".to_owned(), 1)]);
    let status = index.services.graph.document_status(None, 10).await.expect("status");
    assert_eq!((status[0].records_lost, status[0].records_pruned), (1, 3), "kept for later");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_holds_without_a_model_too() {
    let mut config = Config::default();
    config.extraction.schema =
        schema("[extraction.schema]\ntyped = true\n[[extraction.schema.entities]]\ntype = \"Person\"\n");
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("schema_nlp"), config).await;
    index.write(
        "a.txt",
        "Mr. Bob Cratchit met Mrs. Dilber in London. Mrs. Dilber told Mr. Bob Cratchit of London.",
    );
    let report = index.index(&[]).await;
    assert!(report.records_pruned > 0 && report.counts.entities > 0, "{report:?}");
    let kinds = index.services.graph.entity_kinds().await.expect("kinds");
    assert_eq!(kinds.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), ["Person"]);
    index.wipe().await;
}
