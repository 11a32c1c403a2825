//! Words and embeddings beside one another: a question whose words are enough goes by them alone, another one by both.

use crate::support::{TestIndex, fresh_workspace, pairings};
use async_trait::async_trait;
use graphwright::config::Config;
use graphwright::eval::methods;
use graphwright::llm::{EmbeddingModel, EmbeddingPurpose, ModelError};
use std::sync::Arc;

/// Questions mean what marshes do, whatever they ask.
struct Marshes;

#[async_trait]
impl EmbeddingModel for Marshes {
    fn name(&self) -> String {
        "marshes".to_owned()
    }

    fn dimension(&self) -> usize {
        2
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let is_near = |text: &String| text.contains("marsh") || text.ends_with('?');
        Ok(texts.iter().map(|text| if is_near(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_whose_words_are_enough_is_not_led_astray_by_its_embedding() {
    for pairing in pairings() {
        let mut index = TestIndex::with(&pairing, &fresh_workspace("words"), Config::default()).await;
        index.services.embedding = Some(Arc::new(Marshes));
        index.services.vectors.prepare(Some(2)).await.expect("prepared");
        let mut names = Vec::new();
        for (number, year) in ["spring", "summer", "autumn"].into_iter().enumerate() {
            names.push(format!("ship{number}.txt"));
            index.write(&names[number], &format!("The barge carried timber and salt upstream in {year}."));
        }
        for number in 0..6 {
            names.push(format!("marsh{number}.txt"));
            index.write(&names[number + 3], &format!("Reeds of kind {number} grow tall in any marsh."));
        }
        index.index(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let local = methods::parse(&["local".to_owned()]).expect("a method").remove(0);
        let local = local.retrieval.expect("it retrieves");
        for (question, wanted) in [
            ("Which barge carried timber and salt upstream?", "ship"),
            ("Which plants like wet ground?", "marsh"),
            ("Where does salt make plants like wet ground suffer?", "marsh"),
        ] {
            let found = local.documents(&index.services, question, 3).await.expect("found");
            let found_marshes = found.iter().filter(|key| key.contains("marsh")).count();
            let expected = if wanted == "marsh" { 3 } else { 0 };
            assert_eq!(found_marshes, expected, "{pairing:?}: {question}: {found:?}");
        }
        index.wipe().await;
    }
}
