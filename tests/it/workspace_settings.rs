//! What a workspace was made with is never lost without a word.

use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::index::doctor;
use graphwright::index::run::{self, IndexRequest, SettingsDiffer};
use graphwright::progress::Progress;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n";

#[tokio::test]
async fn a_workspace_with_a_setting_of_a_later_version_is_not_written() {
    let index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("later")).await;
    index.write("book.txt", BOOK);
    index.index(&[]).await;
    let graph = &index.services.graph;
    let mut settings = graph.state().await.unwrap().settings;
    settings.insert("of_a_later_version".to_owned(), "2".to_owned());
    graph.save_settings(&settings).await.unwrap();

    let progress = Progress::silent();
    let errors = [
        run::index(&index.services, &IndexRequest::default(), &progress).await.unwrap_err(),
        run::rebuild_communities(&index.services, &progress).await.map(drop).unwrap_err(),
        doctor::mend(&index.services, &progress).await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.downcast_ref::<SettingsDiffer>().is_some(), "{error:#}");
        assert!(error.to_string().contains("does not know: of_a_later_version"), "{error:#}");
    }
    assert_eq!(graph.state().await.unwrap().settings, settings, "nothing is dropped");
}

#[tokio::test]
async fn what_stages_note_beside_the_configuration_outlives_a_run() {
    let index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("kept")).await;
    index.write("book.txt", BOOK);
    index.index(&[]).await;
    let graph = &index.services.graph;
    let mut settings = graph.state().await.unwrap().settings;
    settings.insert("import".to_owned(), "unfinished".to_owned());
    graph.save_settings(&settings).await.unwrap();
    run::index(&index.services, &IndexRequest::default(), &Progress::silent()).await.unwrap();
    assert_eq!(graph.state().await.unwrap().settings, settings);
}
