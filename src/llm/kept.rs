//! What was worked out from replies, kept beside them by name, so that it is worked out once for all workspaces.

use super::cache::{Key, ReplyCache};
use std::sync::Arc;

/// Parts these names from the keys of replies.
const NAMESPACE: &str = "kept";

impl ReplyCache {
    /// What is kept under each name, in order.
    pub async fn recall(self: &Arc<Self>, names: &[String]) -> Vec<Option<Vec<u8>>> {
        self.get(names.iter().map(|name| key(name)).collect()).await
    }

    /// The same without a note that it was used.
    pub async fn peek_at(self: &Arc<Self>, names: &[String]) -> Vec<Option<Vec<u8>>> {
        self.peek(names.iter().map(|name| key(name)).collect()).await
    }

    /// Keeps values under names; a name that is there already stays as it is.
    pub async fn remember(self: &Arc<Self>, entries: Vec<(String, Vec<u8>)>) {
        self.put(entries.into_iter().map(|(name, value)| (key(&name), value)).collect()).await;
    }
}

fn key(name: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in [NAMESPACE, name] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_kept_stays_as_it_was_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(ReplyCache::open(folder.path(), 1).unwrap());
        cache.remember(vec![("a".into(), b"1".to_vec())]).await;
        cache.remember(vec![("a".into(), b"2".to_vec()), ("b".into(), b"3".to_vec())]).await;
        let found = cache.recall(&["b".into(), "c".into(), "a".into()]).await;
        assert_eq!(found, [Some(b"3".to_vec()), None, Some(b"1".to_vec())]);
    }
}
