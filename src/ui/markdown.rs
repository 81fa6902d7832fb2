//! Shows a reply: the tree of allowed nodes as DOM nodes, block by block. No HTML string anywhere.

use std::cell::Cell;

use leptos::prelude::*;

use super::app::App;
use crate::{
    locales::{T, fill, gallery::T as Gallery},
    reply::markup::{Block, Document, Inline},
};

/// A block or an inline of a text that grows. What can grow in its place does, and stays in the page: to put another there
/// costs several times as much.
#[derive(Clone)]
struct Piece {
    /// Stays while it is in the page.
    key: u64,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Words(ArcRwSignal<String>),
    Holder(Holder, Pieces),
    /// What is put in the place of the one before when it changes.
    Block(Block),
    Inline(Inline),
}

type Pieces = ArcRwSignal<Vec<Piece>>;

#[derive(Clone, Copy, PartialEq)]
enum Holder {
    Paragraph,
    Speech,
    Emphasis,
    Strong,
}

/// What a piece is made of.
#[derive(Clone, Copy)]
enum Part<'a> {
    Block(&'a Block),
    Inline(&'a Inline),
}

impl<'a> Part<'a> {
    /// What it holds, where that may grow.
    fn held(self) -> Option<(Holder, &'a [Inline])> {
        match self {
            Self::Block(Block::Paragraph(inner)) => Some((Holder::Paragraph, inner)),
            Self::Inline(Inline::Speech(inner)) => Some((Holder::Speech, inner)),
            Self::Inline(Inline::Emphasis(inner)) => Some((Holder::Emphasis, inner)),
            Self::Inline(Inline::Strong(inner)) => Some((Holder::Strong, inner)),
            _ => None,
        }
    }
}

impl Piece {
    fn new(form: Form) -> Self {
        thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
        Self { key: NEXT.replace(NEXT.get() + 1), form }
    }

    fn growing(part: Part<'_>) -> Self {
        Self::new(match (part, part.held()) {
            (_, Some((holder, inner))) => {
                let pieces = inner.iter().map(Part::Inline).map(Self::growing).collect();
                Form::Holder(holder, ArcRwSignal::new(pieces))
            }
            (Part::Inline(Inline::Text(words)), _) => Form::Words(ArcRwSignal::new(words.clone())),
            (Part::Block(block), _) => Form::Block(block.clone()),
            (Part::Inline(inline), _) => Form::Inline(inline.clone()),
        })
    }

    /// Makes it a part, in its place; false where it cannot be that.
    fn turn_into(&self, part: Part<'_>) -> bool {
        match (&self.form, part) {
            (Form::Words(words), Part::Inline(Inline::Text(now))) => {
                if words.with_untracked(|words| words != now) {
                    words.set(now.clone());
                }
                true
            }
            (Form::Holder(holder, pieces), part) => {
                part.held().filter(|(now, _)| now == holder).is_some_and(|(_, inner)| {
                    grow(pieces, 0, inner.iter().map(Part::Inline));
                    true
                })
            }
            (Form::Block(before), Part::Block(now)) => before == now,
            (Form::Inline(before), Part::Inline(now)) => before == now,
            _ => false,
        }
    }
}

/// Makes pieces those of the text as it is now: the first `same` are unchanged, and `rest` is what follows them.
fn grow<'a>(pieces: &Pieces, same: usize, rest: impl ExactSizeIterator<Item = Part<'a>> + Clone) {
    let (stay, are_all) = pieces.with_untracked(|pieces| {
        let stay = pieces[same..].iter().zip(rest.clone()).take_while(|(piece, part)| piece.turn_into(*part)).count();
        (stay, pieces.len() == same + stay)
    });
    if are_all && stay == rest.len() {
        return;
    }
    pieces.update(|pieces| {
        pieces.truncate(same + stay);
        pieces.extend(rest.skip(stay).map(Piece::growing));
    });
}

/// A text as Markdown; it may grow.
#[component]
pub fn Markdown(#[prop(into)] text: Signal<String>) -> impl IntoView {
    let mut document = Document::default();
    // Before the first paint, so that the page opens at its full height.
    text.with_untracked(|text| document.update(text));
    // What is there from the start mostly stays as it is: it needs no signals.
    let pieces = document.blocks().iter().cloned().map(Form::Block).map(Piece::new).collect();
    let pieces = Pieces::new(pieces);
    let shown = pieces.clone();
    let document = StoredValue::new_local(document);
    Effect::new(move |_| {
        text.with(|text| {
            document.update_value(|document| {
                // It runs first once the view is made, which has that text already.
                if document.text() != text {
                    let same = document.update(text).frozen;
                    grow(&pieces, same, document.blocks()[same..].iter().map(Part::Block));
                }
            });
        });
    });
    pieces_view(shown)
}

fn pieces_view(pieces: Pieces) -> AnyView {
    view! { <For each=move || pieces.get() key=|piece| piece.key let:piece>{piece_view(piece)}</For> }.into_any()
}

/// A block runs as its first words do; what it holds runs with it.
const RUNS: Option<&str> = Some("auto");

fn piece_view(piece: Piece) -> AnyView {
    match piece.form {
        Form::Words(words) => (move || words.get()).into_any(),
        Form::Block(block) => block_view(block, RUNS),
        Form::Inline(inline) => inline_view(inline),
        Form::Holder(holder, pieces) => {
            let inner = pieces_view(pieces);
            match holder {
                Holder::Paragraph => view! { <p dir=RUNS>{inner}</p> }.into_any(),
                Holder::Speech => view! { <span class="speech">{inner}</span> }.into_any(),
                Holder::Emphasis => view! { <em>{inner}</em> }.into_any(),
                Holder::Strong => view! { <strong>{inner}</strong> }.into_any(),
            }
        }
    }
}

fn blocks_view(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(|block| block_view(block, None)).collect()
}

fn block_view(block: Block, dir: Option<&'static str>) -> AnyView {
    match block {
        Block::Paragraph(inlines) => view! { <p dir=dir>{inlines_view(inlines)}</p> }.into_any(),
        // Headings of a reply stand below those of the page.
        Block::Heading(level, inlines) => {
            let inner = inlines_view(inlines);
            match level {
                1 | 2 => view! { <h2 dir=dir>{inner}</h2> }.into_any(),
                3 => view! { <h3 dir=dir>{inner}</h3> }.into_any(),
                _ => view! { <h4 dir=dir>{inner}</h4> }.into_any(),
            }
        }
        Block::Quote(blocks) => view! { <blockquote dir=dir>{blocks_view(blocks)}</blockquote> }.into_any(),
        Block::List { ordered: None, items } => view! { <ul dir=dir>{items_view(items)}</ul> }.into_any(),
        Block::List { ordered: Some(start), items } => {
            view! { <ol dir=dir start=start.to_string()>{items_view(items)}</ol> }.into_any()
        }
        Block::Code { text, .. } => view! { <pre tabindex="0"><code>{text}</code></pre> }.into_any(),
        Block::Table { head, rows } => {
            let head = head
                .into_iter()
                .map(|cell| view! { <th scope="col" dir="auto">{inlines_view(cell)}</th> })
                .collect_view();
            let rows = rows
                .into_iter()
                .map(|row| {
                    let cells =
                        row.into_iter().map(|cell| view! { <td dir="auto">{inlines_view(cell)}</td> }).collect_view();
                    view! { <tr>{cells}</tr> }
                })
                .collect_view();
            view! { <div class="table" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div> }
                .into_any()
        }
        Block::Source { text, cells } => {
            let app = App::here();
            let words = move || fill(app.t(T::TableTooLarge)(), &[&cells.to_string()]);
            view! { <p class="markdown-note" role="note" data-testid="table-too-large">{words}</p><pre tabindex="0"><code>{text}</code></pre> }
                .into_any()
        }
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

fn items_view(items: Vec<Vec<Block>>) -> Vec<AnyView> {
    items.into_iter().map(|blocks| view! { <li>{blocks_view(blocks)}</li> }.into_any()).collect()
}

fn inlines_view(inlines: Vec<Inline>) -> Vec<AnyView> {
    inlines.into_iter().map(inline_view).collect()
}

fn inline_view(inline: Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.into_any(),
        Inline::Speech(inner) => view! { <span class="speech">{inlines_view(inner)}</span> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{inlines_view(inner)}</em> }.into_any(),
        Inline::Strong(inner) => view! { <strong>{inlines_view(inner)}</strong> }.into_any(),
        Inline::Strike(inner) => view! { <s>{inlines_view(inner)}</s> }.into_any(),
        Inline::Code(text) => view! { <code>{text}</code> }.into_any(),
        Inline::Link { url, children } => {
            let title = url.clone();
            // One link in another is none: what is shown of a picture there is its name.
            let named = |inline| match inline {
                Inline::Image { url, alt } => Inline::Text(if alt.trim().is_empty() { url } else { alt }),
                other => other,
            };
            let children = children.into_iter().map(named).collect();
            view! { <a href=url title=title target="_blank" rel="noopener noreferrer nofollow">{inlines_view(children)}</a> }
                .into_any()
        }
        // Never fetched by the page: an address in a reply can be a beacon. Whoever wants to see it opens it.
        Inline::Image { url, alt } => {
            let app = App::here();
            let what = if alt.trim().is_empty() { url.clone() } else { alt };
            let shown = url.clone();
            let title = move || format!("{} {shown}", app.t(Gallery::Opens)());
            view! {
                <a class="image-hidden" href=url title=title target="_blank" rel="noopener noreferrer nofollow">
                    {move || fill(app.t(T::ImageHidden)(), &[&what])}
                </a>
            }
            .into_any()
        }
        Inline::Marker(text) => view! { <span class="marker">{text}</span> }.into_any(),
        Inline::Break => view! { <br /> }.into_any(),
    }
}
