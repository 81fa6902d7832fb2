//! Shows a reply: the tree of allowed nodes as DOM nodes, block by block. No HTML string anywhere.

use leptos::prelude::*;

use super::app::App;
use crate::{
    locales::{T, fill, gallery::T as Gallery},
    reply::markup::{Block, Document, Inline},
};

/// A block with a key that stays while it is unchanged: closed blocks are frozen while the last one grows.
#[derive(Clone)]
struct Keyed {
    key: u64,
    block: Block,
    /// The last words of a paragraph. While these alone grow, the paragraph stays in the page: to put another in its place
    /// costs several times as much.
    tail: ArcRwSignal<String>,
}

impl Keyed {
    fn new(key: u64, block: Block) -> Self {
        let tail = match &block {
            Block::Paragraph(inlines) => last_words(inlines).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        Self { key, block, tail: ArcRwSignal::new(tail) }
    }

    /// Becomes a block that differs in its last words at most; false where it is another.
    fn grow(&mut self, block: &Block) -> bool {
        let (Block::Paragraph(before), Block::Paragraph(now)) = (&self.block, block) else { return false };
        let Some(tail) = last_words(now).filter(|_| differ_at_the_end(before, now)) else { return false };
        self.tail.set(tail.to_owned());
        self.block = block.clone();
        true
    }
}

/// A text as Markdown; it may grow.
#[component]
pub fn Markdown(#[prop(into)] text: Signal<String>) -> impl IntoView {
    let document = StoredValue::new_local(Document::default());
    let blocks = RwSignal::new(Vec::<Keyed>::new());
    let next = StoredValue::new(0u64);
    let update = move |text: &str| {
        document.update_value(|document| {
            let change = document.update(text);
            let changed = &document.blocks()[change.frozen..];
            let grows = |blocks: &mut Vec<Keyed>| match (blocks.get_mut(change.frozen..), changed) {
                (Some([last]), [block]) => last.grow(block),
                _ => false,
            };
            if blocks.try_update_untracked(grows) == Some(true) {
                return;
            }
            blocks.update(|blocks| {
                blocks.truncate(change.frozen);
                for block in &document.blocks()[blocks.len()..] {
                    next.update_value(|next| *next += 1);
                    blocks.push(Keyed::new(next.get_value(), block.clone()));
                }
            });
        });
    };
    // Before the first paint, so that the page opens at its full height.
    text.with_untracked(|text| update(text));
    Effect::new(move |first: Option<()>| {
        text.with(|text| {
            if first.is_some() {
                update(text);
            }
        });
    });
    view! { <For each=move || blocks.get() key=|keyed| keyed.key let:keyed>{keyed_view(keyed)}</For> }
}

/// A block runs as its first words do; what it holds runs with it.
const RUNS: Option<&str> = Some("auto");

fn keyed_view(keyed: Keyed) -> AnyView {
    match keyed.block {
        Block::Paragraph(inlines) => view! { <p dir=RUNS>{growing_view(inlines, keyed.tail)}</p> }.into_any(),
        block => block_view(block, RUNS),
    }
}

/// Inlines whose last words may grow.
fn growing_view(mut inlines: Vec<Inline>, tail: ArcRwSignal<String>) -> Vec<AnyView> {
    let last = inlines.pop();
    let mut views = inlines_view(inlines);
    views.extend(last.map(|last| match last {
        Inline::Text(_) => (move || tail.get()).into_any(),
        Inline::Speech(inner) => view! { <span class="speech">{growing_view(inner, tail)}</span> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{growing_view(inner, tail)}</em> }.into_any(),
        other => inline_view(other),
    }));
    views
}

/// The words at the end, where there are any: in what is said or stressed as well as beside it.
fn last_words(inlines: &[Inline]) -> Option<&str> {
    match inlines.last()? {
        Inline::Text(text) => Some(text),
        Inline::Speech(inner) | Inline::Emphasis(inner) => last_words(inner),
        _ => None,
    }
}

/// Whether these are the same but for the last words.
fn differ_at_the_end(before: &[Inline], now: &[Inline]) -> bool {
    let (Some((last, start)), Some((grown, begun))) = (before.split_last(), now.split_last()) else { return false };
    start == begun
        && match (last, grown) {
            (Inline::Text(_), Inline::Text(_)) => true,
            (Inline::Speech(last), Inline::Speech(grown)) | (Inline::Emphasis(last), Inline::Emphasis(grown)) => {
                differ_at_the_end(last, grown)
            }
            _ => false,
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
