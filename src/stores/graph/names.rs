//! Names as text units write them, the dictionary of linking, the resolution table and the verdicts on pairs.

use crate::domain::{EntityRecord, Id, Verdict, name_key};
use crate::stores::StoreResult;
use async_trait::async_trait;
use std::collections::BTreeMap;

/// A name as one entity's units write it: the dictionary's and resolution's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameUse {
    /// [`crate::domain::name_key`].
    pub key: String,
    /// The spelling most units use, then code point order.
    pub name: String,
    /// Types given to it with the number of records, sorted by type.
    pub kinds: Vec<(String, u32)>,
    /// Keys of names whose records give it as another name, with the number of records, sorted.
    pub alias_of: Vec<(String, u32)>,
    /// Number of text units whose own records hold it, as a name or as another one.
    pub text_unit_count: u32,
}

/// What stands before the owner's key where a store keeps, among the types of a name, whose other name it is.
const OWNER: char = '\u{1}';

impl NameUse {
    /// From the types that a store keeps, those of [`names_of`].
    pub(super) fn new(
        key: String,
        name: String,
        kinds: impl IntoIterator<Item = (String, u32)>,
        text_unit_count: u32,
    ) -> Self {
        let (mut own, mut alias_of) = (Vec::new(), Vec::new());
        for (kind, count) in kinds {
            match kind.strip_prefix(OWNER) {
                Some(owner) => alias_of.push((owner.to_owned(), count)),
                None => own.push((kind, count)),
            }
        }
        Self { key, name, kinds: own, alias_of, text_unit_count }
    }
}

/// The names of an entity record: key, spelling, and what stores keep as its types. Names whose key is empty are left
/// out.
pub(super) fn names_of(entity: &EntityRecord) -> Vec<(String, String, Vec<String>)> {
    let owner = name_key(&entity.name);
    if owner.is_empty() {
        return Vec::new();
    }
    let kind = (!entity.kind.is_empty()).then(|| entity.kind.clone());
    let own = (owner.clone(), entity.name.clone(), kind.into_iter().collect());
    let others = entity.aliases.iter().filter_map(|alias| {
        let key = name_key(alias);
        (!key.is_empty() && key != owner).then(|| (key, alias.clone(), vec![format!("{OWNER}{owner}")]))
    });
    std::iter::once(own).chain(others).collect()
}

/// Reads names and what they resolve to.
#[async_trait]
pub trait NameReader: Send + Sync {
    /// The resolution table: name key to the key of the canonical name; only where they differ. Sorted.
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>>;
    /// The entries of the resolution table for these name keys, where there are any.
    async fn resolution_of(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>>;
    /// Keys of names in own entity records that begin with `prefix`, which is not empty, and have from `shortest` to
    /// `longest` characters; sorted. Names of more than 200 characters may be left out.
    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>>;
    /// What models said of pairs of names, by pair.
    async fn verdicts(&self) -> StoreResult<Vec<Verdict>>;
}

/// What linking and resolution work on.
#[async_trait]
pub trait NameStore: Send + Sync {
    /// Units whose own records or linked names hold one of these name keys; by id.
    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>>;
    /// Names of all own entity records from behind `after` (a key), by key, at most `limit`.
    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>>;
    /// The dictionary of the last linking: name keys, sorted.
    async fn dictionary(&self) -> StoreResult<Vec<String>>;
    /// Changes the dictionary, not always in one transaction: of a call that ends early a part may be saved.
    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()>;
    /// Changes the resolution table: `None` removes a name's entry. As [`Self::save_dictionary`], a part may be saved.
    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()>;
    /// Keeps verdicts, in place of those of the same pairs, and forgets those of the pairs in `gone` (smaller key,
    /// greater key). Unknown ones are passed over.
    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()>;
}

/// Finds what a small change names without looking through the graph: marks of names that have changed, and the text
/// units that hold a word. Before the first linking any name may have changed.
#[async_trait]
pub trait WordStore: Send + Sync {
    /// Keys of names whose uses in own records have changed since [`Self::forget_changed_names`], sorted; `None` where it
    /// may be any, or more than `most`.
    async fn changed_names(&self, most: usize) -> StoreResult<Option<Vec<String>>>;
    /// From now on no name has changed.
    async fn forget_changed_names(&self) -> StoreResult<()>;
    /// Those of [`NameStore::names`] that have these keys.
    async fn names_by_key(&self, keys: &[String]) -> StoreResult<Vec<NameUse>>;
    /// Keys of the dictionary that are among `whole` or begin with one of `beginnings`; sorted, each once.
    async fn dictionary_like(&self, whole: &[String], beginnings: &[String]) -> StoreResult<Vec<String>>;
    /// Text units whose words are not kept yet, with their texts; at most `limit`.
    async fn units_without_words(&self, limit: usize) -> StoreResult<Vec<(Id, String)>>;
    /// Keeps the words of text units, each a number of at most 32 bits.
    async fn save_words(&self, words: &[(Id, Vec<u32>)]) -> StoreResult<()>;
    /// Text units that hold all words of one of these lists, by id. Some that do not may be among them.
    async fn units_with_words(&self, lists: &[Vec<u32>]) -> StoreResult<Vec<Id>>;
}
