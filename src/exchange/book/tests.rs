//! Books: what they say, and that nothing in a story becomes code in them.

use futures_executor::block_on;
use proptest::prelude::*;

use super::*;
use crate::{
    exchange::{chat, container::zip, limits::CARD},
    story::{generation::Generation, turn::Turn},
};

fn node(session: &str, position: u32, user: Option<&str>, reply: &str) -> Node {
    Node {
        turn: Turn { session: session.into(), position, user: user.map(Into::into), ..Turn::default() },
        generations: vec![Generation { text: reply.into(), ..Generation::default() }],
        seen: Some(0),
    }
}

fn storyline() -> Storyline {
    let cast = vec!["ada".into()];
    let language = Language::En;
    Storyline {
        id: "s1".into(),
        title: "Rain & <Light>".into(),
        cast,
        user_name: "Mira".into(),
        language,
        ..Storyline::default()
    }
}

fn written(nodes: &[Node], form: Form) -> Vec<u8> {
    Book::of(&storyline(), nodes, |_| "Ada".to_owned(), |text, _, _| text).write(form)
}

fn told() -> Vec<Node> {
    vec![
        node("a", 0, None, "The *rain* begins.\n\n> wet"),
        node("a", 1, Some("Wait."), "<thought>no</thought>“I <b>wait</b>.”\n[PROGRESS:1:completed]"),
        node("b", 2, Some("And now?"), "1. **Go**\n2. Stay ![x](https://x.example/a.png)"),
    ]
}

/// What scripts hide on the page is in no book.
#[test]
fn as_the_reader_sees_it() {
    let nodes = [node("a", 0, None, "[hp:3]"), node("a", 1, Some("Wait."), "[hp:2] “I <b>wait</b>.”")];
    let storyline = storyline();
    let book = Book::of(
        &storyline,
        &nodes,
        |_| "Ada".to_owned(),
        |text, place, position| match place {
            Place::Reply => text.replace(&format!("[hp:{}]", 3 - position), "").into(),
            _ => text.replace("Wait", "Stay").into(),
        },
    );
    let text = String::from_utf8(book.write(Form::Markdown)).unwrap();
    assert_eq!(text, "# Rain & <Light>\n\n**Mira:** Stay.\n\n**Ada:** “I <b>wait</b>.”\n");
}

#[test]
fn as_markdown() {
    let text = String::from_utf8(written(&told(), Form::Markdown)).unwrap();
    insta::assert_snapshot!(text, @r"
    # Rain & <Light>

    ## Session 1

    **Ada:** The *rain* begins.

    > wet

    **Mira:** Wait.

    **Ada:** “I <b>wait</b>.”

    ## Session 2

    **Mira:** And now?

    **Ada:** 1. **Go**
    2. Stay ![x](https://x.example/a.png)
    ");
    // It is read again.
    let read = block_on(chat::read(&text, chat::at_a_stretch)).unwrap();
    assert_eq!((read.title.as_str(), read.messages.len()), ("Rain & <Light>", 5));
}

#[test]
fn as_a_page() {
    let text = String::from_utf8(written(&told(), Form::Html)).unwrap();
    let body = &text[text.find("<body>").unwrap()..];
    insta::assert_snapshot!(body);
    assert!(!text.contains("x.example") && !text.contains("<b>") && !text.contains("PROGRESS"));
}

#[test]
fn as_an_epub() {
    let bytes = written(&told(), Form::Epub);
    assert_eq!(&bytes[30..58], b"mimetypeapplication/epub+zip", "where readers look for it");
    let files = zip::read(&bytes, CARD).unwrap();
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "mimetype",
            "META-INF/container.xml",
            "book.opf",
            "nav.xhtml",
            "style.css",
            "chapter1.xhtml",
            "chapter2.xhtml"
        ]
    );
    let of = |path: &str| {
        files.iter().find(|(known, _)| known == path).map(|(_, text)| String::from_utf8_lossy(text)).unwrap()
    };
    insta::assert_snapshot!(format!("{}\n{}\n{}", of("book.opf"), of("nav.xhtml"), of("chapter2.xhtml")));
    let one = zip::read(&written(&told()[..2], Form::Epub), CARD).unwrap();
    assert!(
        String::from_utf8_lossy(&one[3].1).contains(">Rain &amp; &lt;Light&gt;</a>"),
        "one alone has the book's title"
    );
}

/// Each tag is closed, and there are no others than ours.
fn is_sound(xhtml: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xhtml;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').ok_or("open at the end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        const KNOWN: [&str; 25] = [
            "p",
            "div",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "em",
            "strong",
            "s",
            "span",
            "code",
            "pre",
            "a",
            "br",
            "hr",
            "ul",
            "ol",
            "li",
            "blockquote",
            "table",
            "tr",
            "td",
            "th",
        ];
        if !KNOWN.contains(&name) {
            return Err(format!("<{tag}>"));
        }
        match tag {
            _ if tag.ends_with('/') => {}
            _ if tag.starts_with('/') => {
                if open.pop() != Some(name) {
                    return Err(format!("</{name}>"));
                }
            }
            _ => open.push(name),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?}")) }
}

proptest! {
    #[test]
    fn nothing_of_a_story_is_code(text in "[a-z<>&\"'*_`#|\\-\\[\\]()!/=: \\n]{0,80}|.{0,40}", user in ".{0,20}") {
        let nodes = [node("a", 0, Some(&user), &text)];
        let page = String::from_utf8(written(&nodes, Form::Html)).unwrap();
        let body = page.split_once("<body>").unwrap().1.rsplit_once("</body>").unwrap().0;
        prop_assert_eq!(is_sound(body), Ok(()), "{}", body);
    }
}
