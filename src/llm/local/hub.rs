//! A model's files from the hub, kept in the hub's own cache (`HF_HOME`), so that they are fetched once a machine.

use super::folder::{OPTIONAL, REQUIRED};
use crate::progress::{Progress, StageProgress};
use anyhow::{Context, Result, ensure};
use hf_hub::api::sync::{ApiBuilder, ApiRepo};
use hf_hub::{Cache, Repo};
use std::path::PathBuf;

/// The folder of a model on this machine; its files are fetched where they are missing, with progress on stderr.
/// `HF_ENDPOINT` names another hub.
///
/// # Errors
/// A name that is none; the hub cannot be reached or has no such model, with the way to do without it.
pub(super) fn fetch(name: &str) -> Result<PathBuf> {
    ensure!(
        name.split('/').count() == 2 && name.split('/').all(is_name),
        "[embeddings] model is {name:?}; a model on the hub is named owner/model, such as \
         sentence-transformers/all-MiniLM-L6-v2"
    );
    let cache = Cache::from_env().repo(Repo::model(name.to_owned()));
    let weights = "model.safetensors";
    // the weights come last, so where they are the rest is
    if let Some(folder) = cache.get(weights).and_then(|path| path.parent().map(PathBuf::from)) {
        return Ok(folder);
    }
    let hint = || {
        format!(
            "cannot fetch the model {name} from the hub; where the hub is out of reach, put its files into a folder and \
             name it by [embeddings] path"
        )
    };
    let api = ApiBuilder::from_env().with_retries(3).build().with_context(hint)?;
    let repo = api.model(name.to_owned());
    let info = repo.info().with_context(hint)?;
    let is_there = |file: &str| info.siblings.iter().any(|sibling| sibling.rfilename == file);
    let progress = Progress::new(false);
    progress.note(&format!("fetching the model {name} from the hub, once"));
    let wanted =
        OPTIONAL.iter().chain(REQUIRED.iter()).filter(|file| REQUIRED.contains(file) || is_there(file));
    let mut folder = None;
    for file in wanted {
        ensure!(is_there(file), "the model {name} on the hub has no {file}; choose one that has");
        let path = get(&repo, file, &progress).with_context(hint)?;
        folder = path.parent().map(PathBuf::from);
    }
    folder.with_context(hint)
}

fn get(repo: &ApiRepo, file: &str, progress: &Progress) -> Result<PathBuf> {
    Ok(repo.download_with_progress(file, HubProgress { progress: progress.clone(), stage: None })?)
}

fn is_name(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Hands the hub's progress on to ours.
struct HubProgress {
    progress: Progress,
    stage: Option<StageProgress>,
}

impl hf_hub::api::Progress for HubProgress {
    fn init(&mut self, size: usize, file: &str) {
        self.stage = Some(self.progress.stage(file, size as u64));
    }

    fn update(&mut self, size: usize) {
        if let Some(stage) = &self.stage {
            stage.advance(size as u64);
        }
    }

    fn finish(&mut self) {
        self.stage = None;
    }
}
