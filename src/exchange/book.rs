//! A branch for reading: as Markdown, as a page of HTML, and as an EPUB. It says what a reader sees, read through
//! the same scripts, without thoughts, states and marks.

mod epub;
mod page;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::{
    reply::parser::spoken,
    story::{
        Millis,
        ids::CharacterId,
        script::Place,
        storyline::{Language, Storyline},
        tree::Node,
    },
};

/// What it leaves as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Html,
    Epub,
}

pub struct Book<'a> {
    /// Names it among all books.
    id: &'a str,
    title: &'a str,
    /// Who speaks in it, the storyline's own character first.
    cast: Vec<String>,
    language: Language,
    /// When it was last told.
    at: Millis,
    chapters: Vec<Chapter<'a>>,
}

/// A session.
struct Chapter<'a> {
    /// From 1.
    number: usize,
    passages: Vec<Passage<'a>>,
}

struct Passage<'a> {
    by: String,
    is_reader: bool,
    text: Cow<'a, str>,
}

impl<'a> Book<'a> {
    /// Of the turns of a branch, as they are seen; `name`: what a character is called; `shown`: a text of the turn at a
    /// position, as the reader sees it.
    pub fn of(
        storyline: &'a Storyline,
        nodes: &'a [Node],
        name: impl Fn(&CharacterId) -> String,
        shown: impl Fn(Cow<'a, str>, Place, u32) -> Cow<'a, str>,
    ) -> Self {
        let reader = storyline.reader().in_story().opening;
        let mut chapters: Vec<(&str, Chapter)> = Vec::new();
        for node in nodes {
            let session = node.turn.session.as_str();
            if chapters.last().is_none_or(|(id, _)| *id != session) {
                let number = chapters.len() + 1;
                chapters.push((session, Chapter { number, passages: Vec::new() }));
            }
            let Some((_, chapter)) = chapters.last_mut() else { continue };
            let is_told = |text: &Cow<str>| !text.trim().is_empty();
            let said = node.turn.user.as_deref().map(Cow::from).filter(is_told);
            let said = said.map(|text| shown(text, Place::Reader, node.turn.position)).filter(is_told);
            chapter.passages.extend(said.map(|text| Passage { by: reader.to_owned(), is_reader: true, text }));
            let Some(reply) = node.reply() else { continue };
            let text = shown(spoken(&reply.text), Place::Reply, node.turn.position);
            let by = storyline.speaker(reply.speaker.as_ref());
            let told = Some(text).filter(is_told);
            chapter.passages.extend(told.map(|text| Passage { by: name(by), is_reader: false, text }));
        }
        Self {
            id: storyline.id.as_str(),
            title: &storyline.title,
            cast: storyline.cast.iter().map(name).collect(),
            language: storyline.language,
            at: storyline.last_active,
            chapters: chapters.into_iter().map(|(_, chapter)| chapter).collect(),
        }
    }

    pub fn write(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Markdown => self.markdown().into_bytes(),
            Form::Html => page::write(self).into_bytes(),
            Form::Epub => epub::write(self),
        }
    }

    /// What a chapter is called; nothing where there is one alone.
    fn heading(&self, chapter: &Chapter) -> Option<String> {
        let number = chapter.number;
        (self.chapters.len() > 1)
            .then(|| self.language.pick(format!("第 {number} 次会话"), format!("Session {number}")))
    }

    fn markdown(&self) -> String {
        let mut out = format!("# {}\n", self.title);
        for chapter in &self.chapters {
            out.extend(self.heading(chapter).map(|heading| format!("\n## {heading}\n")));
            for Passage { by, text, .. } in &chapter.passages {
                out += &format!("\n**{by}{}** {}\n", self.language.pick("：", ":"), text.trim());
            }
        }
        out
    }
}
