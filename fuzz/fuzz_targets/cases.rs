/// How many mutations are tried of a subject: so many, or what `GRAPHWRIGHT_FUZZ_CASES` says.
fn cases(usual: u32) -> proptest::test_runner::Config {
    let cases =
        std::env::var("GRAPHWRIGHT_FUZZ_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual);
    // what fails is printed; a file of seeds beside the source would be one more corpus
    proptest::test_runner::Config {
        cases,
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    }
}
