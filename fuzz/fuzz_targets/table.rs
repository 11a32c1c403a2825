//! Any parquet file is a table or is refused: `cargo +nightly fuzz run table`.
#![no_main]

use graphwright::exchange::parquet_rows;

include!("check_table.rs");

// what a reader panics at is caught and told as a problem: only what passes it by ends the target
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| {
    check_table(data);
});
