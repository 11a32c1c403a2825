//! What the system's allocator keeps of the memory that it is given back.

/// Has the allocator keep little. glibc divides its memory into as many as eight parts for each processor; what a thread frees
/// stays in its part, and so does what lies behind a piece that is still held. So a run of several stages, or a server whose
/// threads come and go, holds twice of what it uses. From now on there are as many parts as processors, and two at least;
/// large pieces come from the system one by one, and go back to it. Elsewhere nothing is done.
///
/// To be called before there are threads.
pub(crate) fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use libc::{M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD};
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        set(M_ARENA_MAX, i32::try_from(processors).unwrap_or(i32::MAX).max(2));
        set(M_MMAP_THRESHOLD, LARGE_BYTES);
        set(M_TRIM_THRESHOLD, KEPT_BYTES);
    }
}

/// A piece that has pages of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BYTES: i32 = 256 << 10;
/// What is free at the end of a part and stays there.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: i32 = 1 << 20;

/// A value that the allocator does not take leaves it as it is: it then keeps more, and nothing else is otherwise.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is told by a call of the C library alone")]
fn set(parameter: libc::c_int, value: i32) {
    // SAFETY: the call takes two numbers, locks what it changes, and touches no memory of ours
    let _ = unsafe { libc::mallopt(parameter, value) };
}
