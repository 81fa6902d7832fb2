//! `[PROGRESS:X:status]` (seed `000`), and what models make of it.
//!
//! All marks are reported in order. The director takes the first, as `re.search` does in the seed.

use std::{borrow::Cow, ops::Range};

use crate::story::{figures::plain, plot::PointStatus};

use super::{
    notice::{ReplyNotice, excerpt},
    signs,
};

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
    ("進行中", PointStatus::InProgress),
    ("正在进行", PointStatus::InProgress),
    ("正在進行", PointStatus::InProgress),
    ("pending", PointStatus::Pending),
    ("notstarted", PointStatus::Pending),
    ("未开始", PointStatus::Pending),
    ("未開始", PointStatus::Pending),
    ("待开始", PointStatus::Pending),
    ("待開始", PointStatus::Pending),
    ("待进行", PointStatus::Pending),
    ("待進行", PointStatus::Pending),
];

/// Finds the marks in `text`, which begins at `offset` of the reply.
pub fn find(text: &str, offset: usize, found: &mut Vec<Progress>, notices: &mut Vec<ReplyNotice>) {
    for (whole, inner) in marks(text).filter(|(whole, _)| text[whole.clone()].ends_with(CLOSING)) {
        match read(inner) {
            Some((index, status)) => found.push(Progress { index, status, at: offset + whole.start }),
            None => notices.push(ReplyNotice::BadMarker { excerpt: excerpt(&text[whole]) }),
        }
    }
}

/// The text without any mark, with the emphasis or brackets that stand around it, and without the line or the space that
/// only a mark stood in.
pub fn without(text: &str) -> Cow<'_, str> {
    let mut marks = marks(text).map(|(whole, _)| widened(text, whole)).peekable();
    if marks.peek().is_none() {
        return text.into();
    }
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks {
        // Two marks may share what stands around them.
        left.push_str(text.get(from..mark.start).unwrap_or_default());
        from = mark.end;
        let begins = left.trim_end_matches(BLANK).len();
        let line_begins = left[..begins].ends_with('\n') || begins == 0;
        let rest = text[from..].trim_start_matches(BLANK);
        if rest.is_empty() || rest.starts_with(['\n', '\r']) {
            left.truncate(begins);
            from = text.len() - rest.len();
            if line_begins {
                from += rest.find('\n').map_or(rest.len(), |end| end + 1);
            }
        } else if left.ends_with(BLANK) || left.is_empty() {
            from = text.len() - rest.len();
        }
    }
    left.push_str(&text[from..]);
    left.truncate(left.trim_end().len());
    left.into()
}

const OPENING: &[&str] = &["[", "［", "【"];
const CLOSING: [char; 3] = [']', '］', '】'];
/// White space within a line.
const BLANK: [char; 3] = [' ', '\t', '\u{3000}'];

/// What stands around a mark and nothing else.
const AROUND: [(char, char); 6] = [('*', '*'), ('`', '`'), ('[', ']'), ('(', ')'), ('（', '）'), ('【', '】')];

fn widened(text: &str, mark: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (mark.start, mark.end);
    while let (Some(before), Some(after)) = (text[..start].chars().next_back(), text[end..].chars().next())
        && AROUND.contains(&(before, after))
    {
        start -= before.len_utf8();
        end += after.len_utf8();
    }
    start..end
}

/// Everything that begins as a mark does, and what follows its name. The last one may break off with the text.
fn marks(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = signs::first(&text[from..], OPENING).map(|at| from + at) {
            from = at + text[at..].chars().next().expect("found above").len_utf8();
            let Some(inner) = named(&text[from..]) else { continue };
            let near = inner.char_indices().nth(LONGEST).map_or(inner, |(end, _)| &inner[..end]);
            let begins = text.len() - inner.len();
            match near.find(|c| CLOSING.contains(&c) || matches!(c, '[' | '\n')) {
                Some(end) if near[end..].starts_with(['[', '\n']) => continue,
                Some(end) => {
                    from = begins + end + near[end..].chars().next().expect("found above").len_utf8();
                    return Some((at..from, &near[..end]));
                }
                None if near.len() == inner.len() => {
                    from = text.len();
                    return Some((at..from, near));
                }
                None => {}
            }
        }
        None
    })
}

/// What follows `PROGRESS:`.
fn named(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\u{3000}', '*']);
    let rest = ["progress", "进度", "進度"].into_iter().find_map(|name| {
        let head = text.get(..name.len())?;
        head.eq_ignore_ascii_case(name).then(|| &text[name.len()..])
    })?;
    rest.trim_start_matches([' ', '\u{3000}']).strip_prefix([':', '：'])
}

/// What stands behind the name of a mark: `3:completed`.
pub fn read(inner: &str) -> Option<(u32, PointStatus)> {
    let (index, said) = inner.split_once([':', '：', ',', '，', '|'])?;
    let digits = plain(index);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, status(said)?))
}

/// A status as models write it.
pub(super) fn status(text: &str) -> Option<PointStatus> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !"_-\\*\"'.]】。".contains(*c)).collect();
    let text = text.to_lowercase();
    STATUSES.iter().find(|(name, _)| *name == text).map(|(_, status)| *status)
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
            "【進度:3:進行中】",
            "**[PROGRESS:3:in\\_progress]**",
            "[[PROGRESS:3:in_progress]]",
            "[PROGRESS: [PROGRESS:3:in_progress]",
        ] {
            check(text, &[(3, "in_progress")]);
        }
        check("[PROGRESS:3:completed] 然后 [PROGRESS:4:pending]", &[(3, "completed"), (4, "pending")]);
        check("[PROGRESS:2:已完成]【PROGRESS：007：未开始】", &[(2, "completed"), (7, "pending")]);
    }
}
