//! What belongs to the form of a letter or a mail and tells nothing of what it is about: its header, a greeting, a sign-off.

use super::words::is_han;

/// Most words of a greeting, and of a name behind a sign-off; the same of Chinese characters.
const WORDS: usize = 6;
/// Most words of a name below a mail.
const NAME: usize = 3;
const CHARACTERS: usize = 14;

/// Whether a text is nothing but that.
pub(crate) fn is_formality(text: &str) -> bool {
    let text = text.trim();
    is_header(text) || if text.chars().any(is_han) { is_chinese_form(text) } else { is_english_form(text) }
}

/// Whether each line of a text is one of a mail's header, and two at least are.
fn is_header(text: &str) -> bool {
    const KEYS: [&str; 17] = [
        "from",
        "to",
        "cc",
        "bcc",
        "date",
        "sent",
        "subject",
        "reply-to",
        "message-id",
        "发件人",
        "收件人",
        "抄送",
        "密送",
        "发送时间",
        "日期",
        "主题",
        "时间",
    ];
    let key = |line: &str| {
        let (key, value) = line.split_once([':', '：'])?;
        let key = key.trim().trim_matches('*').to_lowercase();
        KEYS.contains(&key.as_str()).then_some((key, value.contains('@')))
    };
    let all: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // a line of dashes parts a header from the name below the mail before it
    let dashes = |line: &&str| line.len() > 1 && line.bytes().all(|byte| byte == b'-');
    let parted = all.iter().position(dashes).filter(|at| {
        let name = all.get(..*at).unwrap_or_default();
        name.iter().map(|line| line.split_whitespace().count()).sum::<usize>() <= NAME
    });
    let mut lines = all.iter().skip(parted.map_or(0, |at| at + 1)).copied();
    let Some(keys) = lines.by_ref().map(key).collect::<Option<Vec<_>>>() else { return false };
    let is_sent = keys.iter().any(|(key, has_address)| {
        *has_address || matches!(key.as_str(), "subject" | "cc" | "reply-to" | "发件人" | "收件人")
    });
    let has = |name: &str| keys.iter().any(|(key, _)| key == name);
    let is_sent = is_sent || has("from") && (has("date") || has("sent") || has("to"));
    is_sent && (keys.len() > 1 || keys.iter().any(|(_, has_address)| *has_address))
}

fn is_english_form(text: &str) -> bool {
    const GREETINGS: [&str; 4] = ["dear", "hello", "hi", "hey"];
    const SIGN_OFFS: [&str; 18] = [
        "yours sincerely",
        "yours faithfully",
        "yours truly",
        "yours",
        "sincerely",
        "kind regards",
        "best regards",
        "warm regards",
        "with kind regards",
        "regards",
        "best wishes",
        "with best wishes",
        "all the best",
        "many thanks",
        "thanks",
        "cheers",
        "respectfully",
        "with love",
    ];
    let flat = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let first = flat.split(' ').next().unwrap_or_default().trim_end_matches([',', '!']);
    let greets =
        GREETINGS.contains(&first) && flat.ends_with([',', ':', '!']) && flat.split(' ').count() <= WORDS;
    let names_only = |behind: &str| {
        let starts = behind.is_empty() || behind.starts_with([',', '!', '.', '\n']);
        let name = behind.trim_start_matches([',', '!', '.', ' ', '\n']);
        starts
            && name.split_whitespace().count() <= WORDS
            && !name.trim_end_matches('.').contains(['.', '?', '!'])
    };
    // a line break may stand for the comma
    let lines = text.to_lowercase();
    greets || SIGN_OFFS.iter().any(|form| lines.strip_prefix(form).is_some_and(names_only))
}

fn is_chinese_form(text: &str) -> bool {
    const GREETINGS: [&str; 7] = ["尊敬的", "亲爱的", "敬爱的", "各位", "您好", "你好", "大家好"];
    const SIGN_OFFS: [&str; 12] = [
        "此致",
        "敬礼",
        "祝好",
        "顺祝",
        "祝商祺",
        "顺颂",
        "即颂",
        "敬上",
        "谨上",
        "敬启",
        "祝工作顺利",
        "祝您",
    ];
    let ends = text.ends_with(['：', ':', '，', ',', '！', '!']);
    let is_short = text.chars().count() <= CHARACTERS;
    is_short
        && (ends && GREETINGS.iter().any(|form| text.starts_with(form))
            || SIGN_OFFS.iter().any(|form| text.starts_with(form)) && !text.contains('，'))
}

#[cfg(test)]
mod tests {
    use super::is_formality;

    #[test]
    fn headers_greetings_and_sign_offs_tell_nothing() {
        for text in [
            "From: Ann Lee <ann@mill.example>\nTo: All <all@mill.example>\nDate: 2024-05-03",
            "Subject: The pump\nDate: 3 May",
            "From: Ann Lee\nDate: Thu, 11 May 2023 09:14",
            "B.\n--\nFrom: Hugh Mellish\nDate: Tue, 16 May 2023 07:55",
            "Dear all,",
            "Hello Ben!",
            "Dear Mr Hagen,",
            "Kind regards,\nAnn Lee",
            "Yours sincerely,\nAnneke Vos",
            "Best wishes\nPhilippa",
            "尊敬的王先生：",
            "各位同事：",
            "此致\n敬礼",
            "发件人：李安\n主题：水泵",
        ] {
            assert!(is_formality(text), "{text}");
        }
        for text in [
            "Dear Ann was the eldest of four children.",
            "Thanks to Ben the mill was saved.",
            "Yours is the third house on the left.",
            "Many thanks to all who came. The fete made 300 pounds.",
            "时间：2024年5月8日\n地点：三楼",
            "Date: 3 May",
            "From the mill to the bridge: two miles.",
            "各位同事都要参加消防演练，不得请假。",
        ] {
            assert!(!is_formality(text), "{text}");
        }
    }
}
