//! How a vocabulary lies in memory, for who writes it (`build.rs`) and who reads it.
//!
//! Numbers are little-endian, 32 bits: the count of tokens, the count of slots (a power of two), where each token begins and
//! the last one ends, in each slot a token's rank plus 1 or 0; then the tokens' bytes, by rank. A token stands in the
//! first free slot from its hash on.

/// The hash of a token's bytes (FNV-1a, 64 bits, folded).
pub(crate) fn hash(token: &[u8]) -> usize {
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    #[expect(clippy::cast_possible_truncation, reason = "the lower bits are wanted")]
    let folded = (hash ^ (hash >> 32)) as usize;
    folded
}
