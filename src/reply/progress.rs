//! `[PROGRESS:X:status]` (seed `000`), and what models make of it.
//!
//! All marks are reported in order. The director takes the first, as `re.search` does in the seed.

use std::ops::Range;

use crate::story::plot::PointStatus;

use super::notice::{ReplyNotice, excerpt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// As the model wrote it: it may name a finished point, or one beyond the outline.
    pub index: u32,
    pub status: PointStatus,
    /// Where the mark begins, in bytes.
    pub at: usize,
}

const LONGEST: usize = 80;

const STATUSES: &[(&str, PointStatus)] = &[
    ("completed", PointStatus::Completed),
    ("complete", PointStatus::Completed),
    ("done", PointStatus::Completed),
    ("finished", PointStatus::Completed),
    ("已完成", PointStatus::Completed),
    ("完成", PointStatus::Completed),
    ("inprogress", PointStatus::InProgress),
    ("ongoing", PointStatus::InProgress),
    ("进行中", PointStatus::InProgress),
    ("正在进行", PointStatus::InProgress),
    ("pending", PointStatus::Pending),
    ("notstarted", PointStatus::Pending),
    ("未开始", PointStatus::Pending),
    ("待开始", PointStatus::Pending),
    ("待进行", PointStatus::Pending),
];

/// Finds the marks in `text`, which begins at `offset` of the reply.
pub fn find(text: &str, offset: usize, found: &mut Vec<Progress>, notices: &mut Vec<ReplyNotice>) {
    for (mark, said) in marks(text) {
        match said {
            Some((index, status)) => found.push(Progress { index, status, at: offset + mark.start }),
            None => notices.push(ReplyNotice::BadMarker { excerpt: excerpt(&text[mark]) }),
        }
    }
}

/// A text without its marks, and without the brackets and stars that some models put around them.
pub fn without_marks(text: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (mark, _) in marks(text).filter(|(_, said)| said.is_some()) {
        let (mut before, mut after) = (&text[from..mark.start], &text[mark.end..]);
        while let Some((left, right)) =
            [('*', '*'), ('[', ']')].into_iter().find_map(|(a, b)| before.strip_suffix(a).zip(after.strip_prefix(b)))
        {
            (before, after) = (left, right);
        }
        if before.is_empty() || before.ends_with(char::is_whitespace) {
            after = after.trim_start_matches([' ', '\u{3000}']);
        }
        out.push_str(before);
        from = text.len() - after.len();
    }
    out.push_str(&text[from..]);
    out.trim().to_owned()
}

/// What looks like a mark: where it stands, and what it says; `None` where that is nothing.
fn marks(text: &str) -> impl Iterator<Item = (Range<usize>, Option<(u32, PointStatus)>)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = text[from..].find(['[', '［', '【']).map(|at| from + at) {
            let bracket = text[at..].chars().next().expect("found above").len_utf8();
            from = at + bracket;
            let Some(inner) = named(&text[from..]) else { continue };
            let near = inner.char_indices().nth(LONGEST).map_or(inner, |(end, _)| &inner[..end]);
            let Some(end) = near.find([']', '］', '】', '[', '\n']) else { continue };
            if near[end..].starts_with(['[', '\n']) {
                continue;
            }
            let after = near[end..].chars().next().expect("found above").len_utf8();
            from = text.len() - inner.len() + end + after;
            return Some((at..from, read(&near[..end])));
        }
        None
    })
}

/// What follows `PROGRESS:`.
fn named(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\u{3000}', '*']);
    let rest = ["progress", "进度"].into_iter().find_map(|name| {
        let head = text.get(..name.len())?;
        head.eq_ignore_ascii_case(name).then(|| &text[name.len()..])
    })?;
    rest.trim_start_matches([' ', '\u{3000}']).strip_prefix([':', '：'])
}

fn read(inner: &str) -> Option<(u32, PointStatus)> {
    let (index, status) = inner.split_once([':', '：', ',', '，', '|'])?;
    let digits: String = index.trim().chars().map(ascii).collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let status: String = status.chars().filter(|c| !c.is_whitespace() && !"_-\\*\"'".contains(*c)).collect();
    let status = status.to_lowercase();
    let status = STATUSES.iter().find(|(name, _)| *name == status).map(|(_, status)| *status)?;
    Some((digits.parse().ok()?, status))
}

/// `３` as `3`.
fn ascii(c: char) -> char {
    match c {
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[(u32, &str)]) {
        let (mut found, mut notices) = (Vec::new(), Vec::new());
        find(text, 0, &mut found, &mut notices);
        let got: Vec<_> = found.iter().map(|mark| (mark.index, mark.status.name())).collect();
        assert_eq!(got, want, "{text}");
        assert!(found.iter().all(|mark| text[mark.at..].starts_with(['[', '［', '【'])));
    }

    #[test]
    fn marks_are_found_as_models_write_them() {
        for text in [
            "[PROGRESS:3:in_progress]",
            "我会等。[PROGRESS:3:in_progress]",
            "[progress:3:In_Progress]",
            "[ PROGRESS : 3 : in progress ]",
            "［PROGRESS：3：in_progress］",
            "【PROGRESS:3:in-progress】",
            "【进度：３：进行中】",
            "[PROGRESS：3：进行中]",
            "**[PROGRESS:3:in\\_progress]**",
            "[[PROGRESS:3:in_progress]]",
            "[PROGRESS: [PROGRESS:3:in_progress]",
        ] {
            check(text, &[(3, "in_progress")]);
        }
        check("[PROGRESS:3:completed] 然后 [PROGRESS:4:pending]", &[(3, "completed"), (4, "pending")]);
        check("[PROGRESS:2:已完成]【PROGRESS：007：未开始】", &[(2, "completed"), (7, "pending")]);
    }

    #[test]
    fn what_is_none_is_none_and_noted_where_it_tried() {
        let mut notices = Vec::new();
        let mut found = Vec::new();
        let text = "[PROGRESS:X:status] [PROGRESS:3] [PROGRESS:99999999999:completed] [PROGRESS:-1:pending]";
        find(text, 0, &mut found, &mut notices);
        assert_eq!((found.len(), notices.len()), (0, 4));
        for text in ["PROGRESS:3:completed", "[3:completed]", "[PROGRESS", "[PROGRESS:3:completed", "[进", "[", ""] {
            check(text, &[]);
        }
        check(&"[PROGRESS:".repeat(10_000), &[]);
    }

    #[test]
    fn a_text_without_its_marks() {
        for (text, expected) in [
            ("我会等。[PROGRESS:3:in_progress]", "我会等。"),
            ("[PROGRESS:3:done] I wait.\n\n**[PROGRESS:4:pending]**", "I wait."),
            ("One [[PROGRESS:3:done]] two.", "One two."),
            ("一\n【进度：3：已完成】\n二", "一\n\n二"),
            ("[PROGRESS:X:status] and [a note]", "[PROGRESS:X:status] and [a note]"),
            ("", ""),
        ] {
            assert_eq!(without_marks(text), expected, "{text}");
        }
    }
}
