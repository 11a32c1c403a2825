//! Out and in again: exports of a workspace, read back into any pair of stores, and the tables of microsoft/graphrag.

pub mod tables;
pub mod parquet_rows;
mod parquet_pages;
mod parquet_limits;
mod folder;
mod kept;
pub mod export;
pub mod restore;
pub mod replace;
pub mod graphrag;
