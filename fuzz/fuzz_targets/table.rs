//! Any parquet file is a table or is refused: `cargo +nightly fuzz run table --features whole`.
#![no_main]

use graphwright::exchange::parquet_rows;

include!("check_table.rs");

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_table(data);
});
