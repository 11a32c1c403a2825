//! documents → text units → extraction → linking → graph → communities → reports → embeddings
