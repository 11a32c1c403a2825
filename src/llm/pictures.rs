//! Pictures that go with a message.

use super::Message;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fmt;
use std::sync::Arc;

/// Tokens that a page as a picture is taken to cost where the endpoint does not say: between what gpt-4o counts of one
/// (1,105) and the most that Claude does (about 1,600).
pub const PICTURE_TOKENS: usize = 1_500;
/// Bytes that a token of text mostly has.
const BYTES_A_TOKEN: usize = 4;

/// A picture of a kind that models take.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    media_type: &'static str,
    bytes: Arc<[u8]>,
}

impl Picture {
    /// A picture by its first bytes; `None` where it is no PNG, JPEG, GIF or WebP.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        let media_type = match bytes.get(..12)? {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => "image/webp",
            _ => return None,
        };
        Some(Self { media_type, bytes: bytes.into() })
    }

    /// The picture as an address that holds it.
    pub(super) fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.media_type, BASE64_STANDARD.encode(&self.bytes))
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}

impl Message {
    /// How many bytes of text cost as many tokens as it does, about.
    pub(super) fn weight_bytes(&self) -> usize {
        self.content.len() + self.pictures.len() * PICTURE_TOKENS * BYTES_A_TOKEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_bytes() {
        let check = |head: &[u8], expected: Option<&str>| {
            let mut bytes = head.to_vec();
            bytes.resize(16, 0);
            let uri = Picture::of(bytes).map(|picture| picture.data_uri());
            let kind = uri.as_deref().and_then(|uri| uri.strip_prefix("data:")?.split(';').next());
            assert_eq!(kind, expected);
        };
        check(b"\x89PNG\r\n\x1a\n", Some("image/png"));
        check(&[0xff, 0xd8, 0xff, 0xe0], Some("image/jpeg"));
        check(b"RIFF\0\0\0\0WEBP", Some("image/webp"));
        check(b"II*\0", None);
        assert_eq!(Picture::of(b"\x89PNG".to_vec()), None, "cut off");
    }
}
