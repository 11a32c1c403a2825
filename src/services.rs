//! Builds the seams from the configuration; the only file that names vendors.
