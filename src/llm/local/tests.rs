use super::*;
use serde::Deserialize;
use std::fs;

#[derive(Deserialize)]
struct Known {
    text: String,
    tokens: usize,
    vector: Vec<f64>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/embeddings")
}

fn fixture_vectors(name: &str) -> Vec<Known> {
    let text = fs::read_to_string(fixtures().join(name)).expect("fixture");
    serde_json::from_str(&text).expect("fixture")
}

/// Greatest difference in any place.
fn difference(vectors: &[Vec<f32>], expected: &[Known]) -> f64 {
    assert_eq!(vectors.len(), expected.len());
    let pairs = vectors.iter().zip(expected).flat_map(|(vector, known)| {
        assert_eq!(vector.len(), known.vector.len(), "{}", known.text);
        vector.iter().zip(&known.vector)
    });
    pairs.map(|(ours, theirs)| (f64::from(*ours) - theirs).abs()).fold(0.0, f64::max)
}

fn texts(known: &[Known]) -> Vec<String> {
    known.iter().map(|row| row.text.clone()).collect()
}

#[test]
fn vectors_are_those_of_the_float64_reference() {
    let known = fixture_vectors("tiny.json");
    let model = LocalEmbeddings::open(&fixtures().join("tiny"), 8191).expect("the tiny model");
    let vectors = model.embed_blocking(&texts(&known), EmbeddingPurpose::Document).expect("vectors");
    assert!(difference(&vectors, &known) < 1e-5);
    assert!(known.iter().any(|row| row.tokens == 20), "one text is cut at max_seq_length");
}

#[test]
fn a_text_has_one_vector_whatever_stands_beside_it() {
    let known = fixture_vectors("tiny.json");
    let model = LocalEmbeddings::open(&fixtures().join("tiny"), 8191).expect("the tiny model");
    let together = model.embed_blocking(&texts(&known), EmbeddingPurpose::Query).expect("vectors");
    for (text, vector) in texts(&known).into_iter().zip(together) {
        let alone = model.embed_blocking(&[text], EmbeddingPurpose::Query).expect("a vector");
        let apart = alone[0].iter().zip(&vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-6);
    }
    assert!(model.embed_blocking(&[], EmbeddingPurpose::Query).expect("nothing").is_empty());
}

/// all-MiniLM-L6-v2 from `scripts/embedding-model.sh`, or from the folder that the environment names.
#[test]
fn all_minilm_gives_the_vectors_of_the_float64_reference() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(".services/all-minilm-l6-v2");
    let folder = std::env::var_os("GRAPHWRIGHT_TEST_EMBEDDING_MODEL").map_or(beside, PathBuf::from);
    if !folder.join("model.safetensors").is_file() {
        crate::progress::talk("SKIPPED: no all-MiniLM-L6-v2; scripts/embedding-model.sh fetches it");
        return;
    }
    let known = fixture_vectors("all-minilm-l6-v2.json");
    let model = LocalEmbeddings::open(&folder, 8191).expect("the model");
    assert_eq!(model.dimension(), 384);
    let vectors = model.embed_blocking(&texts(&known), EmbeddingPurpose::Document).expect("vectors");
    let difference = difference(&vectors, &known);
    assert!(difference < 1e-5, "{difference}");
}

#[test]
fn wrong_folders_are_refused_by_what_they_lack() {
    let folder = tempfile::tempdir().expect("a folder");
    let tiny = fixtures().join("tiny");
    let copy = |name: &str| {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().expect("inside")).expect("a folder");
        fs::copy(tiny.join(name), to).expect("copied");
    };
    let change = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let check = |told: &[&str]| {
        let error = LocalEmbeddings::open(folder.path(), 8191).err().expect(told[0]);
        let error = format!("{error:#}");
        for words in told {
            assert!(error.contains(words), "{words} in {error}");
        }
    };
    check(&["lacks config.json, tokenizer.json, model.safetensors"]);
    copy("config.json");
    copy("tokenizer.json");
    check(&["lacks model.safetensors"]);
    change("model.safetensors", "weights");
    check(&["model.safetensors", "it is no safetensors file"]);
    copy("model.safetensors");
    copy("1_Pooling/config.json");
    assert!(LocalEmbeddings::open(folder.path(), 8191).is_ok());
    change("1_Pooling/config.json", r#"{"pooling_mode_lasttoken": true}"#);
    check(&["pooling_mode_lasttoken is not built in", "mean, cls or max"]);
    copy("1_Pooling/config.json");
    change("modules.json", r#"[{"type": "sentence_transformers.models.Dense"}]"#);
    check(&["a module Dense"]);
    change("modules.json", "[]");
    change("tokenizer.json", "{}");
    check(&["tokenizer.json is no tokeniser"]);
    copy("tokenizer.json");
    change("config.json", r#"{"model_type": "t5"}"#);
    check(&["model_type is \"t5\"", "bert, roberta and xlm-roberta are built in"]);
    let config = fs::read_to_string(tiny.join("config.json")).expect("fixture");
    change("config.json", &config.replace("\"intermediate_size\": 32", "\"intermediate_size\": 48"));
    check(&["does not fit config.json"]);
}

#[tokio::test]
async fn settings_that_name_no_model_are_refused() {
    let check = async |model: &str, path: Option<&str>, dimension: usize, told: &str| {
        let config = EmbeddingsConfig {
            model: model.to_owned(),
            path: path.map(PathBuf::from),
            dimension,
            ..EmbeddingsConfig::default()
        };
        let error = LocalEmbeddings::of(&config).await.err().expect(told);
        assert!(format!("{error:#}").contains(told), "{error:#}");
    };
    check("", None, 0, "needs path").await;
    check("all-MiniLM-L6-v2", None, 0, "owner/model").await;
    check("../../etc", None, 0, "owner/model").await;
    check("", Some("/nowhere"), 0, "lacks config.json").await;
    let tiny = fixtures().join("tiny");
    check("", tiny.to_str(), 384, "have 16: leave it out").await;
}

#[derive(Deserialize)]
struct Pair {
    question: String,
    passage: String,
    score: f64,
}

#[test]
fn pairs_are_scored_as_the_float64_reference_does() {
    for kind in ["pairs-bert", "pairs-roberta"] {
        let text = fs::read_to_string(fixtures().join(format!("{kind}.json"))).expect("fixture");
        let pairs: Vec<Pair> = serde_json::from_str(&text).expect("fixture");
        let model = LocalReranker::open(&fixtures().join(kind), 512).expect(kind);
        for question in pairs.iter().map(|pair| &pair.question) {
            let of_it: Vec<&Pair> = pairs.iter().filter(|pair| pair.question == *question).collect();
            let passages: Vec<String> = of_it.iter().map(|pair| pair.passage.clone()).collect();
            let scores = model.rerank_blocking(question, &passages).expect("scores");
            for (score, pair) in scores.iter().zip(&of_it) {
                assert!((score - pair.score).abs() < 1e-5, "{kind} {question} {}: {score}", pair.passage);
            }
            assert_eq!(scores.len(), of_it.len());
        }
        assert!(model.rerank_blocking("nothing", &[]).expect("nothing").is_empty());
    }
}

#[test]
fn a_sentence_model_is_no_cross_encoder() {
    let error = LocalReranker::open(&fixtures().join("tiny"), 512).err().expect("no classifier");
    assert!(format!("{error:#}").contains("pooler.dense.weight is missing"), "{error:#}");
}
