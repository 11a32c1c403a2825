//! How the server plans statements that have to read an index in its order. The driver does not tell plans, so that they are
//! asked for in Bolt itself.

use super::{config, workspace};
use graphwright::config::GraphConfig;
use std::io::{Read, Write};
use std::net::TcpStream;

const DEGREE: &str = include_str!("../../../cypher/store/greatest_of_kind_degree.cypher");
const TEXT_UNITS: &str = include_str!("../../../cypher/store/greatest_of_kind_text_units.cypher");
const HANDSHAKE: [u8; 20] = [0x60, 0x60, 0xB0, 0x17, 0, 0, 0, 5, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0];
const HELLO: u8 = 0x01;
const RUN: u8 = 0x10;
const PULL: u8 = 0x3F;
const SUCCESS: u8 = 0x70;

/// Of a type of any size as many entries of the index are read as are wanted: nothing is sorted.
#[tokio::test]
async fn the_greatest_of_a_type_are_read_from_the_end_of_an_index() {
    let Some(config) = config() else { return };
    workspace("test_statement_plans").await.unwrap();
    for statement in [DEGREE, TEXT_UNITS] {
        let planned = operators(&config, statement);
        assert!(planned.iter().any(|name| name.starts_with("NodeIndexSeek")), "{planned:?}");
        assert!(!planned.iter().any(|name| sorts(name)), "{planned:?}");
        let by_name = statement.replace("ORDER BY e.workspace DESC", "ORDER BY e.name");
        assert!(operators(&config, &by_name).iter().any(|name| sorts(name)), "what sorts is seen");
    }
}

fn sorts(operator: &str) -> bool {
    ["Sort", "Top", "PartialSort", "PartialTop"].iter().any(|name| operator.starts_with(name))
}

/// The operators of a statement's plan, the last one first.
fn operators(config: &GraphConfig, statement: &str) -> Vec<String> {
    let url = config.url.as_deref().unwrap();
    let mut server = TcpStream::connect(url.split_once("://").unwrap().1.trim_end_matches('/')).unwrap();
    server.write_all(&HANDSHAKE).unwrap();
    server.read_exact(&mut [0; 4]).unwrap();
    let password = config.password.reveal();
    let scheme = if password.is_empty() { "none" } else { "basic" };
    let hello = [
        ("user_agent", "tests/1"),
        ("scheme", scheme),
        ("principal", &config.username),
        ("credentials", password),
    ];
    ask(&mut server, HELLO, &[map(&hello)]);
    let parameters =
        [&[0xA3][..], &text("workspace"), &text("w"), &text("kind"), &text("k"), &text("limit"), &[1]];
    ask(&mut server, RUN, &[text(&format!("EXPLAIN {statement}")), parameters.concat(), map(&[])]);
    let all = [&[0xA1][..], &text("n"), &[0xFF]].concat();
    let told = ask(&mut server, PULL, &[all]);
    let key = text("operatorType");
    let places = (0..told.len()).filter(|at| told[*at..].starts_with(&key));
    places.map(|at| read_text(&told[at + key.len()..])).collect()
}

/// Sends a message and returns the one that ends its answer.
fn ask(server: &mut TcpStream, kind: u8, fields: &[Vec<u8>]) -> Vec<u8> {
    let mut message = vec![0xB0 + u8::try_from(fields.len()).unwrap(), kind];
    message.extend(fields.concat());
    server.write_all(&u16::try_from(message.len()).unwrap().to_be_bytes()).unwrap();
    server.write_all(&message).unwrap();
    server.write_all(&[0, 0]).unwrap();
    let answer = receive(server);
    assert_eq!(answer[1], SUCCESS, "{}", String::from_utf8_lossy(&answer));
    answer
}

/// One message, its chunks put together.
fn receive(server: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    loop {
        let mut length = [0; 2];
        server.read_exact(&mut length).unwrap();
        let mut chunk = vec![0; usize::from(u16::from_be_bytes(length))];
        server.read_exact(&mut chunk).unwrap();
        if chunk.is_empty() && !message.is_empty() {
            return message;
        }
        message.extend(chunk);
    }
}

/// A text in `PackStream`, below 64 KiB.
fn text(text: &str) -> Vec<u8> {
    let head = match u16::try_from(text.len()).unwrap() {
        length @ 0..16 => vec![0x80 + u8::try_from(length).unwrap()],
        length => [&[0xD1][..], &length.to_be_bytes()].concat(),
    };
    [&head, text.as_bytes()].concat()
}

fn map(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut packed = vec![0xA0 + u8::try_from(entries.len()).unwrap()];
    for (key, value) in entries {
        packed.extend(text(key));
        packed.extend(text(value));
    }
    packed
}

/// A text of `PackStream`, below 256 bytes.
fn read_text(packed: &[u8]) -> String {
    let (from, length) = match packed[0] {
        tiny @ 0x80..=0x8F => (1, usize::from(tiny - 0x80)),
        0xD0 => (2, usize::from(packed[1])),
        other => unreachable!("{other:x} begins no short text"),
    };
    String::from_utf8_lossy(&packed[from..from + length]).into_owned()
}
