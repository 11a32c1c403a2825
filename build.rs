//! Writes the vocabularies of the encodings as tables that are used as they lie in the program (`src/tokens/vocabulary.rs`):
//! reading them from their lists takes a fifth of a second in every process that counts tokens.

#[path = "src/tokens/layout.rs"]
mod layout;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/tokens/layout.rs");
    let folder = std::env::var("OUT_DIR")?;
    for (name, encoding) in
        [("o200k_base", tiktoken_rs::o200k_base()?), ("cl100k_base", tiktoken_rs::cl100k_base()?)]
    {
        // special tokens stand behind a gap
        let tokens: Vec<Vec<u8>> = (0..).map_while(|rank| encoding.decode_bytes(&[rank]).ok()).collect();
        std::fs::write(Path::new(&folder).join(format!("{name}.table")), table(&tokens))?;
    }
    Ok(())
}

/// The bytes of a vocabulary: its tokens by rank.
fn table(tokens: &[Vec<u8>]) -> Vec<u8> {
    let slots = (tokens.len() * 2).next_power_of_two();
    let mut ranks = vec![0_usize; slots];
    for (rank, token) in tokens.iter().enumerate() {
        let mut slot = layout::hash(token) % slots;
        while ranks.get(slot).is_some_and(|taken| *taken != 0) {
            slot = (slot + 1) % slots;
        }
        if let Some(free) = ranks.get_mut(slot) {
            *free = rank + 1;
        }
    }
    let mut ends = vec![0];
    let mut end = 0;
    for token in tokens {
        end += token.len();
        ends.push(end);
    }
    let numbers = [tokens.len(), slots].into_iter().chain(ends).chain(ranks);
    let mut bytes: Vec<u8> =
        numbers.flat_map(|number| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()).collect();
    bytes.extend(tokens.iter().flatten());
    bytes
}
