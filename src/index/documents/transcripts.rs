//! Transcripts: `WebVTT` and `SubRip`. Cues are joined to paragraphs by speaker; each keeps its time.

use super::writer::Writer;
use super::{Foreign, ReaderInput};
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use std::collections::BTreeMap;

/// Characters of a paragraph beyond which the next sentence begins another one.
const PARAGRAPH: usize = 500;
/// Seconds of silence that end a paragraph.
const SILENCE: u64 = 4;

/// Reads a transcript.
///
/// # Errors
/// It holds no cue.
pub(super) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let text = super::encoding::decode(input.bytes, false)?;
    let mut cues = parse_cues(&text);
    if cues.is_empty() {
        return Err("holds no cue: wanted lines such as 00:00:01.000 --> 00:00:04.000 with text below".into());
    }
    // players show them by time, whatever their order in the file
    cues.sort_by_key(|cue| cue.start);
    let mut writer = Writer::default();
    let mut last: Option<(String, u64, usize, bool)> = None;
    let mut before_cue = "";
    for cue in &cues {
        let seconds = cue.start / 1000;
        writer.locate(Locator::new(LocatorKind::Time, seconds));
        let goes_on = last.as_ref().is_some_and(|(speaker, end, length, is_whole)| {
            (cue.speaker.is_empty() || *speaker == cue.speaker)
                && seconds.saturating_sub(*end) < SILENCE
                && !(*is_whole && *length > PARAGRAPH)
        });
        let is_whole = cue.text.ends_with(['.', '!', '?', '。', '！', '？', '…', '"', '”']);
        if goes_on {
            // between ideographs no word ends
            let is_dense = before_cue.ends_with(super::is_cjk) && cue.text.starts_with(super::is_cjk);
            writer.join(if is_dense { "" } else { " " }, &cue.text);
        } else if cue.speaker.is_empty() {
            writer.paragraph(&cue.text);
        } else {
            writer.paragraph(&format!("{}: {}", cue.speaker, cue.text));
        }
        before_cue = &cue.text;
        let before = last.take().filter(|_| goes_on);
        let (speaker, length) =
            before.map_or_else(|| (cue.speaker.clone(), 0), |(speaker, _, length, _)| (speaker, length));
        last = Some((speaker, cue.end / 1000, length + cue.text.len(), is_whole));
    }
    Ok(Foreign::one(input, writer, None, BTreeMap::new()))
}

/// What is said from one moment to another, in milliseconds.
#[derive(Debug)]
struct Cue {
    start: u64,
    end: u64,
    speaker: String,
    text: String,
}

fn parse_cues(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((start, end)) = times(line) else { continue };
        let mut spoken = String::new();
        while let Some(line) = lines.next_if(|line| !line.trim().is_empty() && times(line).is_none()) {
            // the number of a cue whose blank line is missing
            let is_number = line.trim().bytes().all(|byte| byte.is_ascii_digit());
            if is_number && lines.peek().is_some_and(|next| times(next).is_some()) {
                break;
            }
            if !(spoken.ends_with(super::is_cjk) && line.starts_with(super::is_cjk)) {
                spoken.push(' ');
            }
            spoken.push_str(line.trim());
        }
        let (speaker, text) = speaker_of(&spoken);
        let same = cues.last().is_some_and(|last: &Cue| last.text == text && last.speaker == speaker);
        if !text.is_empty() && !same {
            cues.push(Cue { start, end, speaker, text });
        }
    }
    cues
}

/// Both times of a line such as `00:00:01.000 --> 00:00:04,000 align:start`.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((milliseconds(start.trim())?, milliseconds(rest.split_whitespace().next()?)?))
}

fn milliseconds(time: &str) -> Option<u64> {
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let mut seconds = 0_u64;
    for part in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let digits: String = fraction.chars().take(3).collect();
    let fraction: u64 = format!("{digits:0<3}").parse().ok()?;
    seconds.checked_mul(1000)?.checked_add(fraction)
}

/// Who speaks, and the words without markup.
fn speaker_of(spoken: &str) -> (String, String) {
    let mut speaker = String::new();
    let mut words = String::with_capacity(spoken.len());
    let mut rest = spoken;
    while let Some(open) = rest.find('<') {
        words.push_str(rest.get(..open).unwrap_or_default());
        let tail = rest.get(open + 1..).unwrap_or_default();
        let Some(close) = tail.find('>') else {
            words.push_str(rest.get(open..).unwrap_or_default());
            rest = "";
            break;
        };
        let tag = tail.get(..close).unwrap_or_default();
        if let Some(name) = tag
            .strip_prefix("v ")
            .or_else(|| tag.strip_prefix("v.").and_then(|tag| tag.split_once(' ').map(|(_, name)| name)))
            && speaker.is_empty()
        {
            name.trim().clone_into(&mut speaker);
        }
        rest = tail.get(close + 1..).unwrap_or_default();
    }
    words.push_str(rest);
    let words = words.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ");
    // an arrow names who speaks next in captions
    let words = unbroken(words.trim().trim_start_matches(">>").trim_start_matches("{\\an8}"));
    if speaker.is_empty()
        && let Some((name, said)) = words.split_once(": ")
        && is_name(name)
    {
        return (name.to_owned(), said.trim().to_owned());
    }
    (speaker, words)
}

/// Whether what stands before a colon can be who speaks: a few words, each with a capital, or capitals alone.
fn is_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    (1..=4).contains(&words.len())
        && name.chars().count() <= 40
        && words.iter().all(|word| word.starts_with(|c: char| c.is_uppercase() || super::is_cjk(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_kinds_are_read() {
        assert_eq!(times("00:01:02.500 --> 00:01:04,000 align:start"), Some((62_500, 64_000)));
        assert_eq!(times("01:02.5 --> 01:04"), Some((62_500, 64_000)));
        assert_eq!(times("-->"), None);
    }

    #[test]
    fn markup_goes_and_the_speaker_is_known() {
        assert_eq!(
            speaker_of("<v Dick Wilkins>Christmas Eve, <i>Ebenezer</i>!"),
            ("Dick Wilkins".into(), "Christmas Eve, Ebenezer!".into())
        );
        assert_eq!(speaker_of("DICK: so"), ("DICK".into(), "so".into()));
        assert_eq!(speaker_of("he said: so <3"), (String::new(), "he said: so <3".into()));
    }
}
