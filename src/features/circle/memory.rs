//! What a character remembers of the circle: what it posted, what it saw, what it said to it and what it kept of it. It is
//! read off the posts, so that what the reader deletes is forgotten with it.

use super::SPAN;
use crate::{
    prompt::tokens::estimate,
    story::{Millis, clip, ids::CharacterId, post::Post, storyline::Language},
};

/// Characters of what somebody said that are repeated in a memory.
const SAID: usize = 160;
/// What a story is told of it, and a request of the circle, in tokens.
pub const TOKENS: u32 = 700;

/// One thing that is remembered.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered<'a> {
    pub post: &'a Post,
    pub at: Millis,
    pub text: String,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    pub id: &'a CharacterId,
    pub name: &'a str,
    /// What the reader is called.
    pub reader: &'a str,
    pub language: Language,
}

/// What one remembers, the oldest first. `posts` in any order.
pub fn of<'a>(posts: &'a [Post], whose: Whose, now: Millis) -> Vec<Remembered<'a>> {
    let recent = posts.iter().filter(|post| post.created + SPAN > now && post.created <= now);
    let mut all: Vec<Remembered> = recent.filter_map(|post| one(post, whose, now)).collect();
    all.sort_by_key(|one| (one.at, one.post.id.clone()));
    all
}

/// The newest of them as lines, as many as there is room for in tokens; nothing where there is none.
pub fn told(posts: &[Post], whose: Whose, now: Millis, mut room: u32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for one in of(posts, whose, now).into_iter().rev() {
        let cost = estimate(&one.text);
        if cost > room {
            break;
        }
        room -= cost;
        lines.push(format!("- {}", one.text));
    }
    lines.reverse();
    lines
}

fn one<'a>(post: &'a Post, whose: Whose, now: Millis) -> Option<Remembered<'a>> {
    let Whose { id, name, reader, language } = whose;
    let is_own = post.author.as_ref() == Some(id);
    let look = post.look(id);
    if !is_own && look.is_none() || look.is_some_and(|look| look.forgotten) {
        return None;
    }
    let called = |author: &Option<CharacterId>, name: &str| match author {
        Some(_) => name.to_owned(),
        None => reader.to_owned(),
    };
    let author = if is_own { name.to_owned() } else { called(&post.author, &post.name) };
    let ago = ago(post.created, now, language);
    let mut parts = vec![match language {
        Language::Zh => format!("{ago}，{author}发了：{}", shown(post)),
        Language::En => format!("{ago}, {author} posted: {}", shown(post)),
    }];
    if !is_own && post.is_liked_by(Some(id)) {
        parts.push(match language {
            Language::Zh => format!("{name}点了赞"),
            Language::En => format!("{name} liked it"),
        });
    }
    // Of what others said, what it has seen and what was meant for it.
    let seen = look.map_or(post.created, |look| look.seen);
    let mut at = seen;
    for comment in post.comments.iter().filter(|comment| comment.at <= now) {
        let says = match comment.author.as_ref() == Some(id) {
            true => {
                at = at.max(comment.at);
                name.to_owned()
            }
            false if comment.at <= seen && post.is_for(comment, id) => called(&comment.author, &comment.name),
            false => continue,
        };
        let said = quoted(&comment.text);
        parts.push(match language {
            Language::Zh => format!("{says}说{said}"),
            Language::En => format!("{says} said {said}"),
        });
    }
    parts.extend(look.filter(|look| look.seen <= now).into_iter().flat_map(|look| &look.kept).cloned());
    Some(Remembered { post, at, text: parts.join(language.pick("；", "; ")) })
}

fn quoted(text: &str) -> String {
    format!("“{}”", clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), SAID))
}

/// What a story is told of it.
pub fn in_story(name: &str, lines: &[String], language: Language) -> String {
    let title = match language {
        Language::Zh => format!("## 朋友圈\n{name}记得的朋友圈里的事（在眼前的故事之外，合适的时候可以自然地提起）："),
        Language::En => format!(
            "## The circle\nWhat {name} remembers of a small feed that they share with others, outside this scene; it may come up where it fits:"
        ),
    };
    format!("{title}\n{}", lines.join("\n"))
}

/// What a post says and shows.
pub(super) fn shown(post: &Post) -> String {
    match (post.text.trim(), post.caption.trim()) {
        (text, "") => quoted(text),
        ("", caption) => format!("[{}]", clip(caption, SAID)),
        (text, caption) => format!("{} [{}]", quoted(text), clip(caption, SAID)),
    }
}

/// How long ago something was, in words that open a line.
pub fn ago(at: Millis, now: Millis, language: Language) -> String {
    let minutes = now.saturating_sub(at) / 60_000;
    let of = |count: u64, zh: &str, one: &str, many: &str| match language {
        Language::Zh => format!("{count} {zh}前"),
        Language::En => format!("{count} {} ago", if count == 1 { one } else { many }),
    };
    match minutes {
        0..=2 => language.pick("刚才", "just now").to_owned(),
        3..=90 => of(minutes, "分钟", "minute", "minutes"),
        91..=2_160 => of((minutes + 30) / 60, "小时", "hour", "hours"),
        _ => of(minutes / (24 * 60), "天", "day", "days"),
    }
}
