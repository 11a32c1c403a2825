//! How far a prompt's template may go. It may be of somebody else's project, and the engine counts steps, no memory: a
//! text that doubles thirty times is a gigabyte. So a template names values, compares and filters them, and builds none.

use super::{fenced, join, json, line};
use anyhow::{Context, Result, bail, ensure};
use minijinja::value::StringInput;
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, tests};
use std::borrow::Cow;
use std::io;

/// Steps of one template: the longest of ours takes some thousand for hundreds of records.
pub(super) const FUEL: u64 = 2_000_000;
/// Bytes that all filters of a message read and make at most: a step may be a filter over a long text.
const FILTERED: u64 = if cfg!(test) { 32 << 20 } else { 256 << 20 };

/// Bytes of a message at most.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;
/// Bytes of what a filter makes at most.
pub(super) const LONGEST_VALUE: usize = 4 << 20;
/// Statements of a template.
const STATEMENTS: [&str; 7] = ["if", "elif", "else", "endif", "for", "endfor", "include"];
/// Filters of a template. What they make is not much longer than what they are given, or has an end.
const FILTERS: [&str; 13] = [
    "fenced", "line", "json", "join", "trim", "upper", "lower", "length", "count", "first", "last",
    "default", "d",
];
/// Signs of an expression, besides letters, digits and texts in quotes: none that adds, repeats, lists or cuts.
const SIGNS: &str = "_.()-=!<>";

/// Gives an engine that knows nothing the filters and tests of templates.
pub(super) fn furnish(environment: &mut Environment<'static>) {
    for (name, filter) in [("fenced", fenced as fn(&Value) -> _), ("line", line), ("json", json)] {
        environment.add_filter(name, move |state: &mut State<'_, '_>, value: &Value| {
            charge(state, value)?;
            charged(state, filter(value)?)
        });
    }
    environment.add_filter("join", |state: &mut State<'_, '_>, value: &Value, between: Option<&str>| {
        charge(state, value)?;
        charged(state, join(value, between)?)
    });
    environment.add_filter(
        "trim",
        |state: &mut State<'_, '_>, text: StringInput<'_>, signs: Option<Cow<'_, str>>| {
            let each = signs.as_ref().map_or(1, |signs| signs.len().max(1));
            charge_bytes(state, text.as_str().len().saturating_mul(each))?;
            Ok::<_, Error>(filters::trim(text, signs))
        },
    );
    for (name, filter) in
        [("upper", filters::upper as fn(StringInput<'_>) -> Value), ("lower", filters::lower)]
    {
        environment.add_filter(name, move |state: &mut State<'_, '_>, text: StringInput<'_>| {
            charge_bytes(state, text.as_str().len())?;
            charged(state, filter(text))
        });
    }
    for name in ["length", "count"] {
        environment.add_filter(name, |state: &mut State<'_, '_>, value: &Value| {
            charge(state, value)?;
            filters::length(value)
        });
    }
    environment.add_filter("first", |state: &mut State<'_, '_>, value: &Value| {
        charge(state, value)?;
        filters::first(value)
    });
    environment.add_filter("last", |state: &mut State<'_, '_>, value: Value| {
        charge(state, &value)?;
        filters::last(value)
    });
    environment.add_filter("default", filters::default);
    environment.add_filter("d", filters::default);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("none", tests::is_none);
    environment.add_test("string", tests::is_string);
    environment.add_test("number", tests::is_number);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("even", tests::is_even);
}

/// What the filters of a message have read and made, in bytes.
#[derive(Default)]
struct Filtered(u64);

/// Counts a value that a filter reads or makes; a list counts by its values.
fn charge(state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let bytes = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    charge_bytes(state, bytes)
}

/// A value that a filter made, counted.
fn charged(state: &mut State<'_, '_>, made: Value) -> Result<Value, Error> {
    charge(state, &made)?;
    Ok(made)
}

fn charge_bytes(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let filtered = state.get_or_insert_extension(Filtered::default());
    filtered.0 = filtered.0.saturating_add(bytes as u64);
    if filtered.0 > FILTERED {
        let reason = format!("its filters go over more than {} MB", FILTERED >> 20);
        return Err(Error::new(ErrorKind::InvalidOperation, reason));
    }
    Ok(())
}

/// Refuses a template that could build a value. It is read as the engine reads it; what is left open is for the engine
/// to name.
pub(super) fn check(source: &str) -> Result<()> {
    let mut rest = source;
    while let Some((_, behind)) = rest.split_once('{') {
        rest = if let Some(comment) = behind.strip_prefix('#') {
            comment.split_once("#}").map_or("", |(_, rest)| rest)
        } else if let Some(statement) = behind.strip_prefix('%') {
            behind_statement(statement)?
        } else if let Some(expression) = behind.strip_prefix('{') {
            behind_expression(expression, "}}")?
        } else {
            behind
        };
    }
    Ok(())
}

/// What stands behind a statement.
fn behind_statement(text: &str) -> Result<&str> {
    let rest = behind_expression(text, "%}")?;
    let statement = text.get(..text.len() - rest.len()).unwrap_or_default();
    let mut words = words(statement);
    let first = words.next().unwrap_or_default();
    ensure!(
        STATEMENTS.contains(&first),
        "a prompt has no {{% {first} %}}; there are {}",
        STATEMENTS.join(", ")
    );
    ensure!(words.all(|word| word != "recursive"), "a prompt has no recursive loop");
    Ok(rest)
}

/// What stands behind an expression and its end.
fn behind_expression<'a>(text: &'a str, end: &str) -> Result<&'a str> {
    let mut quote: Option<char> = None;
    let mut signs = text.char_indices();
    while let Some((place, sign)) = signs.next() {
        let here = text.get(place..).unwrap_or_default();
        if let Some(open) = quote {
            if sign == '\\' {
                signs.next();
            } else if sign == open {
                quote = None;
            }
        } else if let Some(rest) = here.strip_prefix(end) {
            return Ok(rest);
        } else if matches!(sign, '"' | '\'') {
            quote = Some(sign);
        } else if sign == '|' {
            let filter = words(here).next().unwrap_or_default();
            ensure!(
                FILTERS.contains(&filter),
                "a prompt has no filter {filter}; there are {}",
                FILTERS.join(", ")
            );
        } else if !(sign.is_ascii_alphanumeric() || sign.is_whitespace() || SIGNS.contains(sign)) {
            bail!(
                "{sign} has no place in a prompt: it names values, compares and filters them, and builds none"
            );
        }
    }
    Ok("")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// A message as it grows.
#[derive(Debug, Default)]
pub(super) struct Written(Vec<u8>);

impl Written {
    /// The message.
    ///
    /// # Errors
    /// It is no text.
    pub(super) fn text(self) -> Result<String> {
        String::from_utf8(self.0).context("it is no text")
    }
}

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > LONGEST_MESSAGE {
            return Err(io::Error::other(too_long()));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why a message ends.
pub(super) fn too_long() -> String {
    format!("it grows beyond {} MB", LONGEST_MESSAGE >> 20)
}
