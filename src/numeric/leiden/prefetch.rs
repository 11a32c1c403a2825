//! Tells the processor which memory will be read soon; results do not depend on it

/// Starts loading an element into the cache; nothing happens where it does not exist
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the intrinsic takes a pointer; a prefetch never faults, and the element exists"
)]
#[inline]
pub(super) fn prefetch<T>(items: &[T], position: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    if let Some(item) = items.get(position) {
        // SAFETY: the pointer comes from a reference, and prefetching neither reads nor writes what a program can see
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
}

/// Does nothing on processors without a stable prefetch
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn prefetch<T>(_items: &[T], _position: usize) {}
