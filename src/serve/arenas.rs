//! Into how many parts the system's allocator divides its memory.

/// Has the allocator make at most a part for each processor, and two at least. glibc makes eight: what a thread frees stays in
/// its part, so that a server whose threads come and go holds several times what it uses. Elsewhere nothing is done.
pub(super) fn keep_few() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !set(wanted()) {
        tracing::debug!("the allocator keeps as many arenas as it likes");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn wanted() -> i32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    i32::try_from(processors).unwrap_or(i32::MAX).max(2)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is told by a call of the C library alone")]
fn set(arenas: i32) -> bool {
    // SAFETY: the call takes two numbers, locks what it changes, and touches no memory of ours
    unsafe { libc::mallopt(libc::M_ARENA_MAX, arenas) == 1 }
}
