//! Time stamps that lines of logs and chats begin with, and who writes a message of a chat.

use super::dates::dates;
use super::vocabulary::calendar::month_of;
use super::words::is_han;
use crate::domain::{Day, FiscalCalendar};
use std::ops::Range;

/// Most characters and words of a writer's name, and Chinese characters of one.
const NAME: usize = 40;
const WORDS: usize = 4;
const HAN_NAME: usize = 8;

/// What stands ahead of a message in what a chat program saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageHead<'a> {
    /// Who writes.
    pub(crate) writer: &'a str,
    /// Bytes up to what is written.
    pub(crate) end: usize,
}

/// The head of a message that a text begins with: `[2024-03-02 10:15] Anna: …`, `02/03/2024, 10:15 - Anna: …`, or a line of a
/// name and an hour, as in 李芳 09:12, above what is written.
pub(crate) fn message_head(text: &str) -> Option<MessageHead<'_>> {
    let line = text.lines().next()?;
    if let Some(stamp) = stamp_ahead(line).filter(Stamp::is_sure) {
        let behind = line.get(stamp.end..)?;
        let rest = behind.trim_start_matches([' ', '-', '–', '\u{200e}']);
        let at = line.len() - rest.len();
        if let Some((writer, _)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            return is_writer(writer).then(|| MessageHead { writer, end: at + writer.len() + 2 });
        }
        let colon = rest.find([':', '：'])?;
        let (writer, said) = rest.split_at_checked(colon)?;
        let mark = said.chars().next()?.len_utf8();
        return is_writer(writer).then_some(MessageHead { writer, end: at + colon + mark });
    }
    let (at, _) = line.char_indices().find(|(at, c)| *at > 0 && (c.is_ascii_digit() || *c == '['))?;
    let (name, rest) = line.split_at_checked(at)?;
    let stamp = stamp_ahead(rest)?;
    let is_alone = rest.get(stamp.end..)?.trim().is_empty() && name.ends_with(char::is_whitespace);
    let writer = name.trim();
    (is_alone && is_writer(writer)).then_some(MessageHead { writer, end: line.len() })
}

/// Whether a line begins with the time at which something was noted: a day with its hour, an hour with its seconds, or
/// either in brackets.
pub(crate) fn is_stamped(line: &str) -> bool {
    stamp_ahead(line).is_some_and(|stamp| {
        let is_apart = line.get(stamp.end..).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        is_apart && (stamp.is_sure() || stamp.has_seconds)
    })
}

/// Lines with a day of their own that make a text a chat or a log, and among how many of its first lines the first stands.
const STAMPED: usize = 3;
const SOON: usize = 5;

/// The days that a text consists of whose lines begin with a day and an hour, as a chat's do: the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StampedDays {
    /// They are sure.
    Known(Day, Day),
    /// 02/03/2024 is the second of March or the third of February, or a stamp tells no day of a year.
    Unsure,
}

/// The days of a text whose lines are stamped; nothing where they are not.
pub(crate) fn stamped_days(text: &str) -> Option<StampedDays> {
    let lines = || text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    lines().take(SOON).find_map(day_ahead)?;
    let words: Vec<&str> = lines().filter_map(day_ahead).collect();
    if words.len() < STAMPED {
        return None;
    }
    let orders = [FirstPart::Year, FirstPart::Day, FirstPart::Month];
    let read = orders
        .into_iter()
        .filter_map(|order| words.iter().map(|word| day_in(word, order)).collect::<Option<Vec<Day>>>());
    let mut read: Vec<Vec<Day>> = read.collect();
    read.dedup();
    // of two ways to read them that is meant by which the text goes on in time
    if read.len() > 1 {
        read.retain(|days| days.is_sorted());
    }
    let known = match read.as_slice() {
        [days] => days.iter().min().zip(days.iter().max()),
        _ => None,
    };
    Some(known.map_or(StampedDays::Unsure, |(first, last)| StampedDays::Known(*first, *last)))
}

/// What a line says of the day that it begins with.
fn day_ahead(line: &str) -> Option<&str> {
    line.get(stamp_ahead(line)?.day).filter(|day| !day.is_empty())
}

/// What stands first where a day is written in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstPart {
    Year,
    Day,
    Month,
}

/// The day that a word of a stamp tells: by its numbers in an order, or in words.
fn day_in(word: &str, order: FirstPart) -> Option<Day> {
    let mark = ['-', '/', '.'].into_iter().find(|mark| word.split(*mark).count() == 3);
    let Some(mark) = mark else {
        return dates(word, FiscalCalendar::default()).into_iter().next().map(|found| found.period.from);
    };
    let numbers: Vec<i32> = word.split(mark).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let is_year_ahead = word.find(mark) == Some(4);
    let (year, month, day) = match (numbers.as_slice(), order) {
        ([year, month, day], FirstPart::Year) if is_year_ahead => (*year, *month, *day),
        ([day, month, year], FirstPart::Day) if !is_year_ahead => (*year, *month, *day),
        // 02.03.2024 has the day ahead everywhere
        ([month, day, year], FirstPart::Month) if !is_year_ahead && mark != '.' => (*year, *month, *day),
        _ => return None,
    };
    let year = if year < 100 { year + 2000 } else { year };
    Day::new(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

/// A time that a line begins with.
#[derive(Clone, Debug)]
struct Stamp {
    end: usize,
    /// Bytes of the day, none where there is only an hour.
    day: Range<usize>,
    has_seconds: bool,
    in_brackets: bool,
}

impl Stamp {
    /// Whether it is more than an hour, which a timetable has, too.
    fn is_sure(&self) -> bool {
        !self.day.is_empty() || self.in_brackets
    }
}

fn stamp_ahead(line: &str) -> Option<Stamp> {
    let open = line.chars().next().filter(|c| matches!(c, '[' | '【'));
    let begin = open.map_or(0, char::len_utf8);
    let inside = line.get(begin..)?;
    let day = day_end(inside);
    let rest = inside.get(day..)?;
    let between = rest.len() - rest.trim_start_matches([' ', ',', 'T', '，']).len();
    let (hour, has_seconds) = hour_end(rest.get(between..)?)?;
    let mut end = begin + day + between + hour;
    if open.is_some() {
        let close = line.get(end..)?.chars().next().filter(|c| matches!(c, ']' | '】'))?;
        end += close.len_utf8();
    }
    Some(Stamp { end, day: begin..begin + day, has_seconds, in_brackets: open.is_some() })
}

/// Bytes of the day that a text begins with: 2024-03-02, 02.03.24, 3/2/2024, 2024年3月2日, Mar 10; 0 where there is none.
fn day_end(text: &str) -> usize {
    let word_end = text.find([' ', ',', 'T', '，']).unwrap_or(text.len());
    let word = text.get(..word_end).unwrap_or_default();
    let is_number =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    for mark in ['-', '/', '.'] {
        if word.split(mark).count() == 3 && word.split(mark).all(is_number) {
            return word_end;
        }
    }
    if let Some(day) = word.strip_suffix('日')
        && day.split(['年', '月']).count() >= 2
        && day.split(['年', '月']).all(is_number)
    {
        return word_end;
    }
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    if let (Some(month), Some(day)) = (words.next(), words.next())
        && month_of(&month.to_lowercase()).is_some()
        && is_number(day)
    {
        return text.find(day).map_or(0, |at| at + day.len());
    }
    0
}

/// Bytes of the hour that a text begins with, and whether it has seconds: 09:12, 10:15:30,250Z, 9:05 PM, 下午3:20.
fn hour_end(text: &str) -> Option<(usize, bool)> {
    let begin = ["上午", "下午", "晚上", "中午", "凌晨", "早上"]
        .iter()
        .find_map(|part| text.starts_with(part).then_some(part.len()));
    let mut at = begin.unwrap_or(0);
    let digits =
        |at: usize| text.get(at..).unwrap_or_default().bytes().take_while(u8::is_ascii_digit).count();
    let has_colon = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with(':'));
    let hour = digits(at);
    if !(1..=2).contains(&hour) || !has_colon(at + hour) || digits(at + hour + 1) != 2 {
        return None;
    }
    at += hour + 3;
    let has_seconds = has_colon(at) && digits(at + 1) == 2;
    if has_seconds {
        at += 3;
        let fraction = text.get(at..).unwrap_or_default();
        if fraction.starts_with(['.', ',']) && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
        }
    }
    let zone = text.get(at..).unwrap_or_default();
    if zone.starts_with('Z') {
        at += 1;
    } else if has_seconds && zone.starts_with(['+', '-']) {
        at += zone.len() - zone.trim_start_matches(|c: char| c.is_ascii_digit() || "+-:".contains(c)).len();
    }
    let half = text.get(at..).unwrap_or_default();
    let bare = half.trim_start_matches([' ', '\u{202f}']);
    if bare.get(..2).is_some_and(|half| half.eq_ignore_ascii_case("am") || half.eq_ignore_ascii_case("pm"))
        && !bare.get(2..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    {
        at += half.len() - bare.len() + 2;
    }
    Some((at, has_seconds))
}

/// Whether a text may be the name that somebody has in a chat.
fn is_writer(name: &str) -> bool {
    let characters = name.chars().count();
    let is_letter =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '\'' | '’' | '-' | '·' | '_' | '@' | '+');
    let limit = if name.chars().any(is_han) { HAN_NAME } else { NAME };
    let words = name.split_whitespace();
    (1..=limit).contains(&characters)
        && name.chars().all(is_letter)
        && name.chars().any(char::is_alphabetic)
        && words.clone().count() <= WORDS
        && (words.clone().count() == 1 || words.into_iter().all(|word| !word.starts_with(char::is_lowercase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_tell_who_writes_them() {
        let check = |text: &str, writer: Option<&str>, said: &str| {
            let head = message_head(text);
            assert_eq!(head.map(|head| head.writer), writer, "{text}");
            if let Some(head) = head {
                assert_eq!(text[head.end..].trim_start(), said, "{text}");
            }
        };
        check("[2024-03-02 10:15] Anna: Morning all.", Some("Anna"), "Morning all.");
        check("[10:15:20] Anna Berger: Re: the desks", Some("Anna Berger"), "Re: the desks");
        check("02/03/2024, 10:15 - Tom: That is late.", Some("Tom"), "That is late.");
        check("[02.03.24, 9:05:11 PM] Tom: Late.", Some("Tom"), "Late.");
        check("2024-03-02 10:15 <anna> hello", Some("anna"), "hello");
        check("李芳 09:12\n服务器什么时候能到？", Some("李芳"), "服务器什么时候能到？");
        check("李芳 2024-03-12 09:12:33\n到了。", Some("李芳"), "到了。");
        check("[2024年3月2日 下午3:20] 王小明：到了。", Some("王小明"), "到了。");
        check("Anna Berger  10:15 AM\nMorning.", Some("Anna Berger"), "Morning.");
        // a timetable, a log, a sentence
        check("12:30 Lunch: soup", None, "");
        check("07:35 Train to the coast", None, "");
        check("2024-03-10 02:47:30 ERROR could not copy a.mov: file is locked", None, "");
        check("The meeting begins at 10:15", None, "");
        check("Chapter 3", None, "");
        check("", None, "");
    }

    #[test]
    fn a_chat_is_of_the_days_of_its_messages() {
        let known = |from: (i32, u8, u8), to: (i32, u8, u8)| {
            let day = |(year, month, day)| Day::new(year, month, day).expect("a day");
            Some(StampedDays::Known(day(from), day(to)))
        };
        let of = |days: &[&str]| {
            let lines: Vec<String> =
                days.iter().map(|day| format!("{day}, 18:02 - Ann: Yes.\nReally.")).collect();
            stamped_days(&lines.join("\n"))
        };
        assert_eq!(of(&["12/09/2025", "13/09/2025", "15/09/2025"]), known((2025, 9, 12), (2025, 9, 15)));
        assert_eq!(of(&["9/12/25", "9/13/25", "9/15/25"]), known((2025, 9, 12), (2025, 9, 15)));
        assert_eq!(of(&["02.03.24", "02.03.24", "03.04.24"]), known((2024, 3, 2), (2024, 4, 3)));
        // only one of both orders goes on in time
        assert_eq!(of(&["02/03/2024", "05/03/2024", "01/04/2024"]), known((2024, 3, 2), (2024, 4, 1)));
        assert_eq!(of(&["02/03/2024", "03/04/2024", "04/05/2024"]), Some(StampedDays::Unsure));
        assert_eq!(of(&["12/09/2025", "13/09/2025"]), None, "two lines are no chat");
        let log = "2024-03-10 02:47:30 INFO a\n2024-03-11 02:47:30 INFO b\n2024-03-12 02:47:30 INFO c\n";
        assert_eq!(stamped_days(log), known((2024, 3, 10), (2024, 3, 12)));
        let newest_first = "2024-03-12 02:47 c\n2024-03-11 02:47 b\n2024-03-10 02:47 a\n";
        assert_eq!(stamped_days(newest_first), known((2024, 3, 10), (2024, 3, 12)));
        let chinese = "[2024年3月2日 下午3:20] 王明：到了。\n".repeat(3);
        assert_eq!(stamped_days(&chinese), known((2024, 3, 2), (2024, 3, 2)));
        assert_eq!(stamped_days("12:30 Lunch\n12:45 Tea\n13:00 Talk"), None);
    }

    #[test]
    fn lines_of_a_log_begin_with_a_time() {
        for line in [
            "2024-03-10 02:47:30 INFO copied a.docx",
            "2024-03-10T02:47:30.250Z INFO started",
            "[2024-03-10 02:47:30,123] WARN disk is full",
            "[02:47] started",
            "02:47:30 started",
            "Mar 10 02:47:30 host sshd[12]: opened",
            "10/03/2024, 02:47 - Anna joined",
        ] {
            assert!(is_stamped(line), "{line}");
        }
        for line in [
            "2024-03-10 was a Sunday",
            "12:30 Lunch",
            "[1] A source",
            "",
            "Mar 10 is a Sunday",
            "1:2:3 is a ratio",
        ] {
            assert!(!is_stamped(line), "{line}");
        }
    }
}
