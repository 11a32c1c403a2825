//! Pages that say nothing by themselves, read by a model or a command of the user's, and joined to their documents.
//!
//! Files are read in processes without a network. They draw the pages; this process has them read, and hands the texts back
//! to be put where the pages stand. What is stored with the texts of its pages is not read again as long as its file is the
//! same.

mod reply;

use super::documents::{
    self, GivenPage, GivenPages, ReadOptions, Reading, SameText, SourceFile, UnreadPages, page_pictures,
    reader_of, readers_of,
};
use super::text_units::{joined, locators_of};
use crate::config::PageReading;
use crate::domain::{Document, Id, Ids, Origin, fingerprint};
use crate::llm::{ChatModel, ChatRequest, Message, ModelError, ModelRole, Picture};
use crate::progress::{Progress, StageProgress};
use crate::prompts::{Prompt, READ_PAGE};
use crate::services::Services;
use crate::stores::GraphStore;
use anyhow::{Context, Result};
use futures::future::join_all;
use futures::{TryStreamExt, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pages of a file that are drawn and asked about at once, and files.
const PAGES_AT_ONCE: usize = 8;
const FILES_AT_ONCE: usize = 4;
/// Pixels of the longer side of a page that a model reads, and of one that a command does: 300 an inch of A4.
const FOR_MODELS_PX: u32 = 2000;
const FOR_COMMANDS_PX: u32 = 3508;
/// Bytes of a picture above which a page is drawn smaller: what endpoints take, and how often that is tried.
const MOST_BYTES: usize = 3_700_000;
const SMALLER: u32 = 3;
/// Characters of the fingerprint of what reads pages.
const MARK: usize = 12;

/// What reads pages.
pub(in crate::index) struct PageReader {
    way: PageMethod,
    /// Tells it from others; changes with the model and the prompt.
    by: String,
}

enum PageMethod {
    /// A model, asked with these messages and the page's picture.
    Model(Arc<dyn ChatModel>, Vec<Message>),
    /// A command that prints the text of a picture.
    Image(String),
    /// A command that gives a PDF a text layer.
    Layer(String),
}

impl PageReader {
    /// That of `[documents] ocr`, where there is one and it can be asked.
    ///
    /// # Errors
    /// The prompt cannot be filled in.
    pub(in crate::index) fn configured(services: &Services) -> Result<Option<Self>> {
        let way = match (services.config.documents.page_reading(), &services.chat) {
            (PageReading::Image(command), _) => PageMethod::Image(command.to_owned()),
            (PageReading::Layer(command), _) => PageMethod::Layer(command.to_owned()),
            (PageReading::Model, Some(chat)) => {
                PageMethod::Model(Arc::clone(chat), services.prompts.render(&READ_PAGE)?)
            }
            (PageReading::Model | PageReading::None | PageReading::Unknown, _) => return Ok(None),
        };
        let by = match &way {
            PageMethod::Model(chat, _) => {
                let prompt = services.prompts.fingerprint(READ_PAGE.name());
                fingerprint(&["model", &chat.identity(ModelRole::Ocr), prompt])
            }
            PageMethod::Image(command) | PageMethod::Layer(command) => fingerprint(&["command", command]),
        };
        Ok(Some(Self { way, by: by.chars().take(MARK).collect() }))
    }

    /// What tells it from others.
    pub(in crate::index) fn by(&self) -> &str {
        &self.by
    }

    /// Some pages of a document, each read or with the reason why not.
    async fn read_pages(
        &self,
        file: &SourceFile,
        numbers: &[u64],
        options: &ReadOptions,
    ) -> Result<Vec<(u64, GivenPage)>, ModelError> {
        let longest = if matches!(self.way, PageMethod::Model(..)) { FOR_MODELS_PX } else { FOR_COMMANDS_PX };
        let drawn = draw(file.clone(), numbers.to_vec(), longest, options.clone()).await;
        let asked = numbers.iter().zip(drawn).map(|(&number, picture)| async move {
            let text = match picture {
                Ok(picture) => self.text_of(picture, options).await?,
                Err(reason) => Err(reason),
            };
            Ok((number, text.map_or_else(GivenPage::Unread, GivenPage::Text)))
        });
        join_all(asked).await.into_iter().collect()
    }

    /// The text of a picture; the inner error says why there is none.
    ///
    /// # Errors
    /// Every other page would fail alike.
    async fn text_of(
        &self,
        picture: Vec<u8>,
        options: &ReadOptions,
    ) -> Result<Result<String, String>, ModelError> {
        match &self.way {
            PageMethod::Model(chat, messages) => ask(chat.as_ref(), messages, picture).await,
            PageMethod::Image(command) | PageMethod::Layer(command) => {
                let (command, options) = (command.clone(), options.clone());
                let text = move || documents::text_of_picture(&picture, &command, &options);
                let text = tokio::task::spawn_blocking(text).await;
                Ok(text.unwrap_or_else(|error| Err(error.to_string())).map(|text| reply::cleaned(&text)))
            }
        }
    }
}

/// A reader of pages at work on files.
pub(in crate::index) struct PageRun<'a> {
    pub(in crate::index) reader: &'a PageReader,
    pub(in crate::index) services: &'a Services,
    pub(in crate::index) options: &'a ReadOptions,
    pub(in crate::index) progress: &'a Progress,
}

impl PageRun<'_> {
    /// Has the pages read that files left unread, in place.
    ///
    /// # Errors
    /// A model that refuses, or a budget that is used up: what was read is kept with the replies.
    pub(in crate::index) async fn read(&self, files: &[SourceFile], read: &mut [Reading]) -> Result<()> {
        let count: u64 = read.iter().map(unread_pages).sum();
        if count == 0 {
            return Ok(());
        }
        let stage = &self.progress.stage("pages", count);
        let unread = files.iter().zip(read).filter(|(_, reading)| !reading.unread.is_empty()).map(Ok);
        let done =
            stream::iter(unread).try_for_each_concurrent(FILES_AT_ONCE, |(file, reading)| async move {
                if !self.progress.stop_requested() {
                    let known = std::mem::take(reading);
                    *reading = self.read_file(file, known, stage).await?;
                }
                Ok(())
            });
        let done = done.await;
        documents::end_children();
        self.services.keep_ledger().await;
        done
    }

    async fn read_file(&self, file: &SourceFile, reading: Reading, stage: &StageProgress) -> Result<Reading> {
        let options = self.options;
        if let PageMethod::Layer(command) = &self.reader.way {
            let (file, command, options) = (file.clone(), command.clone(), options.clone());
            stage.advance(unread_pages(&reading));
            let hash = reading.file_hash.clone();
            let layered =
                blocking(move || documents::with_text_layer(&file, reading, &command, &options)).await?;
            return Ok(Reading { file_hash: hash, ..layered });
        }
        let mut given = GivenPages::new();
        for unread in &reading.unread {
            let member = SourceFile { path: file.path.clone(), key: unread.key.clone() };
            let mut pages = BTreeMap::new();
            for numbers in unread.numbers().chunks(PAGES_AT_ONCE) {
                if self.progress.stop_requested() {
                    return Ok(reading);
                }
                pages.extend(self.reader.read_pages(&member, numbers, options).await?);
                stage.advance(numbers.len() as u64);
                self.services.keep_ledger_now_and_then().await;
            }
            given.insert(unread.key.clone(), pages);
        }
        let (file, options) = (file.clone(), ReadOptions { given, ..options.clone() });
        blocking(move || documents::read(&file, &options)).await
    }
}

async fn ask(
    chat: &dyn ChatModel,
    messages: &[Message],
    picture: Vec<u8>,
) -> Result<Result<String, String>, ModelError> {
    let Some(picture) = Picture::of(picture) else {
        let reason = "models take PNG, JPEG, GIF and WebP alone; save the picture as one of these";
        return Ok(Err(reason.to_owned()));
    };
    let mut messages = messages.to_vec();
    if let Some(last) = messages.last_mut() {
        last.pictures.push(picture);
    }
    let request = ChatRequest::new(ModelRole::Ocr, READ_PAGE.name().as_str(), messages);
    match chat.chat(&request).await {
        Ok(reply) if reply.truncated => {
            Ok(Err("the reply was cut off; raise max_tokens in [llm.ocr]".to_owned()))
        }
        Ok(reply) => Ok(reply::text(&reply.text)),
        Err(error) if error.stops_the_run() => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Pages as pictures; one that is larger than endpoints take is drawn smaller.
async fn draw(
    file: SourceFile,
    numbers: Vec<u64>,
    longest_px: u32,
    options: ReadOptions,
) -> Vec<Result<Vec<u8>, String>> {
    let count = numbers.len();
    let drawn = blocking(move || match page_pictures(&file, &numbers, longest_px, &options) {
        Ok(pictures) if pictures.len() == numbers.len() => {
            let fitted = pictures
                .into_iter()
                .zip(&numbers)
                .map(|(picture, number)| fit(&file, *number, picture, longest_px, &options));
            fitted.collect()
        }
        // one of them may be damaged
        _ => numbers.iter().map(|number| draw_one(&file, *number, longest_px, &options)).collect(),
    });
    drawn.await.unwrap_or_else(|error| vec![Err(format!("{error:#}")); count])
}

fn draw_one(
    file: &SourceFile,
    number: u64,
    longest_px: u32,
    options: &ReadOptions,
) -> Result<Vec<u8>, String> {
    let picture = page_pictures(file, &[number], longest_px, options)?.into_iter().next();
    fit(file, number, picture.ok_or("the page cannot be drawn")?, longest_px, options)
}

fn fit(
    file: &SourceFile,
    number: u64,
    mut picture: Vec<u8>,
    longest_px: u32,
    options: &ReadOptions,
) -> Result<Vec<u8>, String> {
    let mut pixels = longest_px;
    for _ in 0..SMALLER {
        if picture.len() <= MOST_BYTES || longest_px == FOR_COMMANDS_PX {
            break;
        }
        pixels = pixels * 7 / 10;
        picture = page_pictures(file, &[number], pixels, options)?.into_iter().next().unwrap_or(picture);
    }
    Ok(picture)
}

fn unread_pages(reading: &Reading) -> u64 {
    reading.unread.iter().map(|unread| unread.numbers().len() as u64).sum()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.context("reading pages ended early")
}

/// What a run knows of what reads pages.
#[derive(Clone, Copy, Debug)]
pub(in crate::index) struct StoredPages {
    /// Whether there is something that reads pages.
    pub(in crate::index) reads_pages: bool,
    /// Whether what was read before is read anew.
    pub(in crate::index) refresh: bool,
}

/// Leaves out of readings what is stored with the texts of its pages and whose file is the same. Without anything that reads
/// pages, all that was read of them before stays; else what could not be read is tried again. Returns the documents.
///
/// # Errors
/// What the store says.
pub(in crate::index) async fn leave_stored(
    graph: &dyn GraphStore,
    ids: &Ids,
    read: &mut [Reading],
    wanted: StoredPages,
) -> Result<Vec<Document>> {
    let unread = |reading: &Reading| -> Vec<Id> {
        reading.unread.iter().map(|unread| ids.document(&unread.key)).collect()
    };
    let all: Vec<Id> = read.iter().flat_map(unread).collect();
    if all.is_empty() || wanted.refresh {
        return Ok(Vec::new());
    }
    let stored = graph.documents_by_id(&all).await?;
    let mut left = Vec::new();
    for document in stored {
        let Some(origin) = &document.origin else { continue };
        let stays = match readers_of(origin).1 {
            Some((_, is_whole)) => is_whole || !wanted.reads_pages,
            None => false,
        };
        let key = document.key.as_str();
        let file = read.iter_mut().find(|reading| reading.unread.iter().any(|unread| unread.key == key));
        if let Some(file) =
            file.filter(|file| stays && !origin.file.is_empty() && file.file_hash == origin.file)
        {
            file.leave_stored(key);
            left.push(document);
        }
    }
    Ok(left)
}

/// Whether a document was read by another version of its format's reader, or its pages by something else, than there is now.
pub(in crate::index) fn is_read_otherwise(document: &Document, by: Option<&str>) -> bool {
    document.origin.as_ref().is_some_and(|origin| {
        let (reader, pages) = readers_of(origin);
        let by_other = |(known, _): (&str, bool)| by.is_some_and(|by| by != known);
        reader != reader_of(&document.key) || pages.is_some_and(by_other)
    })
}

/// The documents that pages are unread of.
pub(in crate::index) fn unread_keys(unread: &[UnreadPages]) -> BTreeSet<&str> {
    unread.iter().map(|unread| unread.key.as_str()).collect()
}

/// How it is proved that a file is the one that a document was read from: by its bytes where something else has read some of
/// its pages, which the file itself does not say.
///
/// # Errors
/// What the store says.
pub async fn proof_of(graph: &dyn GraphStore, document: &Document, else_by: SameText) -> Result<SameText> {
    let hash = |origin: &Origin| readers_of(origin).1.map(|_| origin.file.clone());
    let Some(hash) = document.origin.as_ref().and_then(hash) else { return Ok(else_by) };
    let units = graph.text_units_of(&document.id).await?;
    Ok(SameText::File { hash, text: joined(&units), locators: locators_of(&units) })
}
