//! Server-sent events out of a stream of bytes: in linear time, and in bounded memory whatever the other side sends.
//! Format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>, of which only `data` matters here.

/// An event or a line that is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Takes a stream apart.
pub(super) struct Events {
    /// Most bytes of an event, its unfinished line included.
    limit: usize,
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
    first_line: bool,
}

impl Events {
    /// Events of at most so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), data: None, after_return: false, first_line: true }
    }

    /// Takes bytes in; the data of the events that they complete, in order.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut complete = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_return) && bytes.first() == Some(&b'\n') {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + line.len() + self.data.as_ref().map_or(0, String::len) > self.limit {
                return Err(TooLong);
            }
            self.line.extend_from_slice(line);
            if end.is_some() {
                self.after_return = rest.first() == Some(&b'\r');
                complete.extend(self.end_line());
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        Ok(complete)
    }

    /// The event that the stream broke off behind: the format drops it, but some endpoints leave out the last line's end.
    pub(super) fn end(mut self) -> Option<String> {
        let last = self.end_line();
        last.or(self.data)
    }

    /// The event that an empty line completes.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix('\u{feff}').unwrap_or(&line)
        } else {
            &line
        };
        if line.is_empty() {
            return self.data.take();
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stream: &[u8], piece: usize) -> Vec<String> {
        let mut events = Events::new(1000);
        let mut all: Vec<String> =
            stream.chunks(piece).flat_map(|bytes| events.feed(bytes).unwrap()).collect();
        all.extend(events.end());
        all
    }

    #[test]
    fn events_are_the_same_however_the_stream_is_cut() {
        let check = |stream: &str, expected: &[&str]| {
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(read(stream.as_bytes(), piece), expected, "{stream:?} in pieces of {piece}");
            }
        };
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata:b\r\rdata:  c\n\n", &["a", "b", " c"]);
        check("\u{feff}data: 刘备\n\n", &["刘备"]);
        check(": ping\n\nevent: x\nid: 1\ndata: one\ndata: two\ndata\nretry: 1\n\n", &["one\ntwo\n"]);
        check("data: without an end", &["without an end"]);
        check("data: without a line\n", &["without a line"]);
        check("", &[]);
        check("\n\n\r\n", &[]);
    }

    #[test]
    fn what_does_not_end_is_cut_off_at_the_limit() {
        for line in [&b"aaaaaaaaaa"[..], b"data: aaa\n", b": aaaaaaa"] {
            let mut events = Events::new(1000);
            let fed = (0..400).find_map(|_| events.feed(line).err());
            assert_eq!(fed, Some(TooLong), "{line:?}");
            assert!(events.line.len() <= 1000);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_alike_in_any_pieces(
            bytes in proptest::collection::vec(
                proptest::sample::select(b"data: x\n\r\xff\xe5".to_vec()), 0..200
            ),
            piece in 1_usize..20,
        ) {
            proptest::prop_assert_eq!(read(&bytes, piece), read(&bytes, 1000));
        }
    }
}
