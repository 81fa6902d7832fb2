//! What is asked of a character in the circle, and what its answer says.

use serde_json::Value;

use super::{COMMENT, POST, memory};
use crate::{
    features::transcript::filled,
    prompt::macros::{Values, expand},
    provider::{
        Message, Shape,
        shape::{boolean, integer, object, string},
    },
    reply::repair::repair_whole,
    story::{
        Millis, character::Character, clip, ids::CharacterId, lines::line_of, post::Post, preset::Role, reader::Reader,
        storyline::Language,
    },
};

/// Tokens that an answer may have, where the connection allows fewer; and what it mostly has.
pub const ANSWER: u32 = 1_000;

/// Characters of a card's texts that are told: a feed is no book.
const WHO: usize = 3_000;
const VOICE: usize = 700;
/// Posts of others that are told to who posts, and comments to who looks.
const LATELY: usize = 8;
const COMMENTS: usize = 30;
/// Characters of what one keeps of a post.
const KEPT: usize = 200;
/// Names of pictures that are told.
const PICTURES: usize = 40;

/// What is known of who is asked, and of whom they know.
pub struct Told<'a> {
    pub character: &'a Character,
    pub reader: Reader<'a>,
    pub posts: &'a [Post],
    /// What it has lived through in stories, as far as the circle may know.
    pub lived: &'a str,
    pub now: Millis,
}

impl Told<'_> {
    fn language(&self) -> Language {
        self.reader.language
    }

    fn whose(&self) -> memory::Whose<'_> {
        memory::Whose {
            id: &self.character.id,
            name: &self.character.name,
            reader: self.reader.told().plain,
            language: self.language(),
        }
    }

    /// Who it is: the card's description and personality, what the profile says, and how it speaks.
    fn who(&self) -> String {
        let Character { name, card, initial_profile: profile, .. } = self.character;
        let values = Values { char: name, user: self.reader.told(), original: "" };
        let own = |text: &str, length: usize| clip(expand(text, &values).trim(), length);
        let core = &profile.core_identity;
        let listed = |all: &[String]| all.join(self.language().pick("、", ", "));
        let lines = |all: &[Value]| all.iter().map(line_of).collect::<Vec<_>>().join(self.language().pick("；", "; "));
        let [core_traits, core_goal, beliefs, voice] = match self.language() {
            Language::Zh => ["特质：", "目标：", "信念：", "说话的样子：\n"],
            Language::En => ["Traits: ", "Goal: ", "Beliefs: ", "How they sound:\n"],
        };
        let parts = [
            ("", own(&card.description, WHO)),
            ("", own(&card.personality, WHO)),
            (core_traits, own(&listed(&core.core_traits), WHO)),
            (core_goal, own(&core.core_goal, WHO)),
            (beliefs, own(&lines(&profile.growth_state.beliefs), WHO)),
            (voice, own(&card.mes_example.replace("<START>", ""), VOICE)),
        ];
        let told: Vec<String> = parts
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(title, text)| format!("{title}{text}"))
            .collect();
        let who = match told.is_empty() {
            true => self.language().pick("（没有别的说明）", "(nothing more is said of them)").to_owned(),
            false => told.join("\n"),
        };
        format!("{who}{}", self.whom())
    }

    /// A reader without a name is somebody nonetheless.
    fn whom(&self) -> &'static str {
        match (self.reader.is_named(), self.language()) {
            (true, _) => "",
            (false, Language::Zh) => "\n\n（“读者”是朋友圈里的一个真人，名字没有给出；对其说话时称“你”，不叫“读者”。）",
            (false, Language::En) => {
                "\n\n(“The reader” is a person in the circle whose name is not given: to them one says “you”, never “reader”.)"
            }
        }
    }

    fn section(&self, zh: &str, en: &str, text: &str) -> String {
        match text.trim() {
            "" => String::new(),
            text => format!("\n\n{}\n{text}", self.language().pick(zh, en).replace("{}", &self.character.name)),
        }
    }

    fn remembered(&self) -> String {
        let lines = memory::told(self.posts, self.whose(), self.now, memory::TOKENS).join("\n");
        self.section("{}记得的朋友圈里的事：", "What {} remembers of the circle:", &lines)
    }

    fn lived(&self) -> String {
        self.section("{}最近经历的事：", "What {} has lived through lately:", self.lived)
    }

    fn called<'a>(&'a self, author: Option<&CharacterId>, name: &'a str) -> &'a str {
        match author {
            Some(_) => name,
            None => self.reader.told().opening,
        }
    }

    /// What others posted lately that it has not looked at: what it has, it remembers.
    fn lately(&self) -> String {
        let own = &self.character.id;
        let mut others: Vec<&Post> =
            self.posts.iter().filter(|post| post.author.as_ref() != Some(own) && post.look(own).is_none()).collect();
        others.sort_by_key(|post| std::cmp::Reverse(post.created));
        others.truncate(LATELY);
        let line = |post: &&Post| {
            let ago = memory::ago(post.created, self.now, self.language());
            let name = self.called(post.author.as_ref(), &post.name);
            let [comma, colon] = [self.language().pick("，", ", "), self.language().pick("：", ": ")];
            format!("- {ago}{comma}{name}{colon}{}", memory::shown(post))
        };
        let lines: Vec<String> = others.iter().rev().map(line).collect();
        self.section("最近大家发的（从旧到新）：", "Lately in the circle, newest last:", &lines.join("\n"))
    }
}

/// What one has lived through in a story stands under this.
pub fn of_story(title: &str, language: Language) -> String {
    match language {
        Language::Zh => format!("故事《{}》：", title.trim()),
        Language::En => format!("In the story “{}”:", title.trim()),
    }
}

/// Pictures of its own that a character may put to a post, by their names.
pub fn pictures(character: &Character) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for asset in &character.assets {
        let name = asset.name.trim();
        if !name.is_empty() && !asset.kind.eq_ignore_ascii_case("icon") && !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(PICTURES);
    names
}

/// Asks for a post.
pub fn post(told: &Told) -> (Vec<Message>, Shape) {
    let (name, language) = (told.character.name.as_str(), told.language());
    let template = match language {
        Language::Zh => include_str!("post.zh.md"),
        Language::En => include_str!("post.en.md"),
    };
    let names = pictures(told.character);
    let mut fields = vec![("text", string())];
    let picture = match (names.is_empty(), language) {
        (true, _) => String::new(),
        (false, Language::Zh) => {
            format!("\n- picture：配上{name}自己的哪一张图，写它的名字；不配就写 \"\"。有这些：{}。", names.join("、"))
        }
        (false, Language::En) => format!(
            "\n- picture: which of {name}'s own pictures goes with it, by its name; \"\" for none. There are: {}.",
            names.join(", ")
        ),
    };
    if !names.is_empty() {
        fields.push(("picture", string()));
    }
    let (who, remembered, lived, lately) = (told.who(), told.remembered(), told.lived(), told.lately());
    let content =
        filled(template, &[name, name, name, &who, &lived, &remembered, &lately, name, name, name, name, &picture]);
    (vec![Message::new(Role::User, content)], Shape { name: "post", schema: object(fields) })
}

/// Asks how one reacts to a post.
pub fn look(told: &Told, post: &Post) -> (Vec<Message>, Shape) {
    let (name, language) = (told.character.name.as_str(), told.language());
    let template = match language {
        Language::Zh => include_str!("look.zh.md"),
        Language::En => include_str!("look.en.md"),
    };
    let own = &told.character.id;
    let others: Vec<Post> = told.posts.iter().filter(|other| other.id != post.id).cloned().collect();
    let told = &Told { posts: &others, ..*told };
    let colon = language.pick("：", ": ");
    let author = told.called(post.author.as_ref(), &post.name);
    let mut lines = vec![format!("{author}{colon}{}", clip(post.text.trim(), POST))];
    let caption = clip(post.caption.trim(), COMMENT);
    if !caption.is_empty() {
        lines.push(match language {
            Language::Zh => format!("（图：{caption}）"),
            Language::En => format!("(Picture: {caption})"),
        });
    }
    let liked: Vec<&str> = post.likes.iter().map(|like| told.called(like.who.as_ref(), &like.name)).collect();
    if !liked.is_empty() {
        lines.push(match language {
            Language::Zh => format!("（点了赞的：{}）", liked.join("、")),
            Language::En => format!("(Liked by {})", liked.join(", ")),
        });
    }
    let from = post.comments.len().saturating_sub(COMMENTS);
    for (at, comment) in post.comments.iter().enumerate().skip(from) {
        let to = comment.to.as_deref().and_then(|id| post.comments.iter().position(|one| one.id == id));
        let to = to.map(|to| match language {
            Language::Zh => format!("（回 {}）", to + 1),
            Language::En => format!(" (to {})", to + 1),
        });
        let says = told.called(comment.author.as_ref(), &comment.name);
        let text = clip(comment.text.trim(), COMMENT);
        lines.push(format!("{}. {says}{}{colon}{text}", at + 1, to.unwrap_or_default()));
    }
    // Where it has been before.
    let has_said = post.comments.iter().any(|comment| comment.author.as_ref() == Some(own));
    let before = match (post.author.as_ref() == Some(own), has_said, language) {
        (true, _, Language::Zh) => format!("这一条是{name}自己发的；有人说了话，{name}要不要回？"),
        (true, _, Language::En) => {
            format!("It is {name}'s own post; somebody has said something to it: does {name} answer?")
        }
        (false, true, Language::Zh) => format!("{name}在这里说过话，有人回了；{name}要不要接着说？"),
        (false, true, Language::En) => format!("{name} has spoken here, and was answered: does {name} go on?"),
        (false, false, Language::Zh) => format!("{name}还没有在这里说过话。"),
        (false, false, Language::En) => format!("{name} has said nothing here yet."),
    };
    let content = filled(
        template,
        &[
            name,
            name,
            name,
            name,
            &told.who(),
            &told.lived(),
            &told.remembered(),
            &lines.join("\n"),
            &before,
            name,
            name,
            name,
            name,
            name,
            name,
        ],
    );
    let fields = vec![("like", boolean()), ("comment", string()), ("to", integer()), ("remember", string())];
    (vec![Message::new(Role::User, content)], Shape { name: "reaction", schema: object(fields) })
}

/// A post; its text may be empty: nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    /// By the name of an asset.
    pub picture: String,
}

/// How one reacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaction {
    pub like: bool,
    pub comment: String,
    /// The number of a comment, from 1; 0: the post.
    pub to: usize,
    pub remember: String,
}

/// What an answer to [`post`] says; `None`: it is none.
pub fn read_post(text: &str, name: &str) -> Option<Said> {
    let (value, _) = repair_whole(text).ok()?;
    let said = value.as_object()?;
    let text = said.get("text")?;
    let field = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(Said { text: words(text.as_str()?, name, POST), picture: field("picture").trim().to_owned() })
}

/// What an answer to [`look`] says; `None`: it is none.
pub fn read_look(text: &str, name: &str) -> Option<Reaction> {
    let (value, _) = repair_whole(text).ok()?;
    let said = value.as_object()?;
    if !["like", "comment"].iter().any(|field| said.contains_key(*field)) {
        return None;
    }
    let field = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_yes =
        |value: &Value| value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(|text| text.trim() == "true"));
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    Some(Reaction {
        like: said.get("like").is_some_and(is_yes),
        comment: words(field("comment"), name, COMMENT),
        to: said.get("to").and_then(number).unwrap_or_default() as usize,
        remember: clip(&field("remember").split_whitespace().collect::<Vec<_>>().join(" "), KEPT),
    })
}

/// What was typed: without its name before it, without quotation marks around all of it.
fn words(text: &str, name: &str, length: usize) -> String {
    let mut text = text.trim();
    if !name.is_empty()
        && let Some(rest) = text.strip_prefix(name)
        && let Some(rest) = rest.trim_start().strip_prefix([':', '：'])
    {
        text = rest.trim();
    }
    for (open, close) in [('“', '”'), ('"', '"'), ('「', '」')] {
        if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
            && !inner.contains([open, close])
        {
            text = inner.trim();
        }
    }
    clip(text, length)
}
