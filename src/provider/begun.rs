//! A reply whose first words are given (a prefill): they go out as the last message, and the model goes on from there.
//! What comes back is told with them before it, but for models that begin by saying them again.

use std::borrow::Cow;

use super::{Message, manners::Manners, parameters};
use crate::story::connection::Connection;

/// The messages as they are sent, and whether the last of them begins the reply.
pub(super) fn arranged<'m>(connection: &Connection, messages: &'m [Message]) -> (Cow<'m, [Message]>, bool) {
    let (messages, begins) = sent(connection, messages);
    (Manners::of(connection).arranged(messages, begins), begins)
}

/// Those of the messages that are sent, and whether the last of them begins the reply: where the connection's model does not
/// go on from it, it stays here.
fn sent<'m>(connection: &Connection, messages: &'m [Message]) -> (&'m [Message], bool) {
    match messages.split_last() {
        Some((last, rest)) if last.begun && !parameters::takes_prefill(connection) => (rest, false),
        Some((last, _)) => (messages, last.begun),
        None => (messages, false),
    }
}

/// Puts the first words before what the model says.
#[derive(Debug, Default)]
pub struct Begun {
    words: String,
    /// All of them, should the reply begin anew.
    all: String,
    /// What may yet be the first words said again.
    held: String,
}

impl Begun {
    /// Of a request with these messages.
    pub fn of(connection: &Connection, messages: &[Message]) -> Self {
        let (sent, is_begun) = sent(connection, messages);
        let words = sent.last().filter(|_| is_begun).map_or(String::new(), |last| last.content.clone());
        Self { all: words.clone(), words, held: String::new() }
    }

    /// What came so far was none of the reply. Gives those of its words that are not told yet.
    pub fn restart(&mut self) -> String {
        self.words.clone_from(&self.all);
        std::mem::take(&mut self.held)
    }

    /// Takes the first words away from what was told with them.
    pub fn without(&self, told: &str) -> String {
        told.strip_prefix(&self.all).unwrap_or(told).to_owned()
    }

    /// What is to be told of a piece of the answer.
    pub fn push(&mut self, piece: String) -> String {
        if self.words.is_empty() {
            return piece;
        }
        self.held.push_str(&piece);
        let heard = self.held.trim_start();
        if heard.len() < self.words.len() && self.words.starts_with(heard) {
            return String::new();
        }
        self.finish()
    }

    /// What is left to be told when the answer has ended. An answer without a word is none, however it would have begun.
    pub fn finish(&mut self) -> String {
        let (words, held) = (std::mem::take(&mut self.words), std::mem::take(&mut self.held));
        match held.trim_start() {
            "" => held,
            heard if heard.starts_with(&words) => heard.to_owned(),
            _ => words + &held,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        provider::chat_request,
        story::{connection::ProviderKind, preset::Role, sampling::Sampling},
    };

    fn told(words: &str, pieces: &[&str]) -> String {
        let mut begun = Begun { all: words.into(), words: words.into(), held: String::new() };
        let told: String = pieces.iter().map(|piece| begun.push((*piece).to_owned())).collect();
        told + &begun.finish()
    }

    #[test]
    fn a_reply_has_its_first_words_once() {
        for (words, pieces, want) in [
            ("She", &[" smiles", "."][..], "She smiles."),
            ("She", &["S", "he smiles."], "She smiles."),
            ("She", &["\n", "She ", "smiles."], "She smiles."),
            ("She", &["S", "orrow."], "SheSorrow."),
            ("“进来", &["“", "进来。”"], "“进来。”"),
            ("“进来", &["吧。”"], "“进来吧。”"),
            ("She", &["Sh"], "SheSh"),
            ("She", &[], ""),
            ("She", &["", " "], " "),
            ("", &["", " a"], " a"),
        ] {
            assert_eq!(told(words, pieces), want, "{words:?} {pieces:?}");
        }
    }

    proptest! {
        /// However it is cut, and nothing that the model says is lost.
        #[test]
        fn any_cutting_tells_the_same(words in "[ab]{0,4}", pieces in prop::collection::vec("[ab ]{0,3}", 0..6)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let whole = pieces.concat();
            let told = told(&words, &pieces);
            prop_assert_eq!(&told, &super::tests::told(&words, &[&whole]));
            prop_assert!(told.ends_with(whole.trim_start()));
        }
    }

    #[test]
    fn it_goes_out_as_each_protocol_has_it() {
        use ProviderKind::*;
        for (kind, url, want) in [
            (Openai, "http://localhost:8080/v1", Some(r#"{"role":"assistant","content":"She"}]"#)),
            (Openai, "https://api.mistral.ai/v1", Some(r#"{"role":"assistant","content":"She","prefix":true}]"#)),
            (Openai, "https://api.deepseek.com/beta", Some(r#"{"role":"assistant","content":"She","prefix":true}]"#)),
            (Openai, "https://api.moonshot.cn/v1", Some(r#"{"role":"assistant","content":"She","partial":true}]"#)),
            (
                Openai,
                "https://dashscope.aliyuncs.com/compatible-mode/v1",
                Some(r#"{"role":"assistant","content":"She","partial":true}]"#),
            ),
            (Openai, "https://api.deepseek.com", None),
            (Openai, "https://api.openai.com/v1", None),
            (Anthropic, "", Some(r#"{"role":"assistant","content":"She"}]"#)),
            (Gemini, "", Some(r#"{"role":"model","parts":[{"text":"She"}]}]"#)),
        ] {
            let sampling = Sampling { prefill: "{{char}} ".into(), ..Sampling::default() };
            let connection = Connection { kind, url: url.into(), model: "m".into(), sampling, ..Connection::default() };
            let begun = Message { begun: true, ..Message::new(Role::Assistant, "She") };
            let messages = [Message::new(Role::User, "Hello."), begun];
            let body = chat_request(&connection, Some("k"), &messages).unwrap().body.unwrap();
            match want {
                Some(want) => assert!(body.contains(want), "{url}: {body}"),
                None => assert!(!body.contains("She"), "{url}: {body}"),
            }
            assert!(!body.contains("prefill"), "{url}: {body}");
            assert_eq!(Begun::of(&connection, &messages).push("!".into()), want.map_or("!", |_| "She!"));
        }
    }
}
