//! A turn looked through for what lorebooks have to say to it.

use std::rc::Rc;

use futures_util::{future::try_join_all, try_join};

use super::meaning;
use crate::{
    exchange::lorebook::book_of,
    features::{
        lore::{
            LoreSettings,
            book::Book,
            keys::Said,
            tell::tell,
            timers::{Started, messages_at, timers},
            wake::{Looked, Near, wake},
        },
        sheet,
    },
    ports::{Future, Ports, Store},
    prompt::{
        draft::Draft,
        sources::{self, history::told},
        tokens::estimate,
    },
    store::{Stored, Table, decode},
    story::{
        character::Character, ids::LorebookId, lorebook::Lorebook, preset::Role, script::Place, storyline::Storyline,
        tree::Node, written::Text,
    },
    turn::{recall::share, scene::Loaded},
};

/// Looks through the turn that `loaded` is about to answer, puts what comes up into its context, and gives what of it lasts
/// beyond the turn.
pub fn look<'a>(ports: &'a Ports, loaded: &'a mut Loaded, hung: Vec<LorebookId>) -> Future<'a, Stored<Vec<Started>>> {
    Box::pin(async move {
        let Loaded { storyline, character, .. } = &*loaded;
        let books = books(&*ports.store, storyline, std::slice::from_ref(character), &hung).await?;
        let near = meaning::found(ports, loaded, &books).await;
        told_of(books, near, loaded)
    })
}

fn told_of(books: Vec<Rc<Book>>, near: Vec<Near>, loaded: &mut Loaded) -> Stored<Vec<Started>> {
    let settings: LoreSettings = loaded.storyline.settings(&loaded.preset);
    let books: Vec<&Book> = books.iter().map(|book| &**book).collect();
    if books.is_empty() {
        return Ok(Vec::new());
    }
    let position = loaded.history.last().map_or(0, |node| node.turn.position);
    let count = messages_at(position);
    let depth = books.iter().map(|book| book.deepest(settings.scan_depth)).max().unwrap_or_default();
    let chat = chat(loaded, depth as usize, settings.with_names);
    let budget = match (share(loaded, settings.budget_percent), settings.budget_tokens) {
        (share, 0) => share,
        (share, most) => share.min(most),
    };
    let timers = timers(&loaded.state);
    let beside = beside(loaded);
    let scene = loaded.scene();
    let mut draft = Draft::new(&scene);
    let names = |text: &str| Draft::new(&scene).with_names(text);
    let looked = Looked {
        settings: &settings,
        trigger: loaded.trigger,
        chat: &chat,
        beside: &beside,
        count,
        replies: position,
        name: &loaded.character.name,
        tags: &loaded.character.card.tags,
        timers: &timers,
        budget,
        seed: scene.seed(),
        near: &near,
        names: &names,
    };
    let awake = wake(&books, &looked, &mut |ready| {
        draft.enter(&ready.key);
        let text = draft.about_text(&ready.text);
        let text = scene.rewritten(text.trim(), Place::Lore, ready.place().depth(count)).into_owned();
        let tokens = estimate(&text) + 1;
        (text, tokens)
    });
    let started = awake.started.iter().map(|(entry, timer)| Started {
        entry: entry.clone(),
        stays: timer.stays,
        rests: timer.rests,
    });
    let started = started.collect();
    let has_examples = ["examples", "mes_example"].iter().any(|name| sources::is_placed(&loaded.preset, name));
    tell(awake, &mut loaded.context, count, has_examples);
    Ok(started)
}

/// The books of a story, the nearest to it first.
pub(super) async fn books(
    store: &dyn Store,
    storyline: &Storyline,
    cast: &[Character],
    hung: &[LorebookId],
) -> Stored<Vec<Rc<Book>>> {
    let stored = try_join_all(hung.iter().map(|id| book(store, id)));
    let own = try_join_all(cast.iter().map(|character| own(store, character)));
    let (mut books, own) = try_join!(stored, own)?;
    // A card of SillyTavern carries a copy of the book that it is linked with, as it was when the card was saved last.
    let is_copy = |character: &Character| {
        let linked = character.card.world();
        linked.is_some_and(|name| books.iter().any(|book| book.name == name && !book.entries.is_empty()))
    };
    let own: Vec<_> = cast.iter().zip(own).filter(|(character, _)| !is_copy(character)).map(|(_, book)| book).collect();
    // A card's own one comes with its character, after what hangs on the story.
    let at = storyline.lorebooks.len().min(books.len());
    books.splice(at..at, own);
    books.retain(|book| !book.entries.is_empty());
    Ok(books)
}

/// A book of the library; one that is gone, or lies in the bin, has no entries.
async fn book(store: &dyn Store, id: &LorebookId) -> Stored<Rc<Book>> {
    let record = store.alone(Table::Lorebooks, id.as_str()).await?;
    let read =
        |value| decode::<Lorebook>(value).map(|book| if book.deleted.is_some() { Lorebook::default() } else { book });
    // A turn goes on without what cannot be read.
    Ok(record.made(|docs| docs.first().and_then(|doc| read(doc.value.clone()).ok()).map(Book::of).unwrap_or_default()))
}

/// The book that a character's card carries.
async fn own(store: &dyn Store, character: &Character) -> Stored<Rc<Book>> {
    if character.card.character_book.is_none() {
        return Ok(Rc::default());
    }
    let record = store.alone(Table::Characters, character.id.as_str()).await?;
    let read = |value| {
        let character: Character = decode(value).ok()?;
        let book = book_of(character.card.character_book.as_ref()?, &character.name);
        Some(Book::of(Lorebook { id: format!("card:{}", character.id.as_str()).as_str().into(), ..book }))
    };
    Ok(record.made(|docs| docs.first().and_then(|doc| read(doc.value.clone())).unwrap_or_default()))
}

/// The sheet and the plot summary, where they are looked through.
fn beside(loaded: &Loaded) -> Vec<(Text, Said)> {
    let held = |text: Text| {
        let settings = sheet::settings(text, &loaded.storyline, &loaded.preset);
        let held = text.held(&loaded.state, loaded.speaker.as_ref());
        (settings.enabled && settings.scan && !held.is_empty()).then(|| (text, Said::new(held.to_owned())))
    };
    Text::ALL.into_iter().filter_map(held).collect()
}

/// What was said, the newest first, as far as `depth` messages: replies as they are read.
fn chat(loaded: &Loaded, depth: usize, with_names: bool) -> Vec<Said> {
    let speaker = |node: &Node| match &loaded.group {
        Some(group) => group.name_of(node.reply().and_then(|reply| reply.speaker.as_ref())).to_owned(),
        None => loaded.character.name.clone(),
    };
    let newest = loaded.history.iter().rev();
    let newest = newest.flat_map(|node| told(node, true).into_iter().rev().map(move |said| (node, said)));
    let said = newest.take(depth).map(|(node, (role, text))| match role {
        _ if !with_names => Said::new(text.into_owned()),
        Role::User => Said::new(format!("{}: {text}", loaded.storyline.reader().told().plain)),
        _ => Said::new(format!("{}: {text}", speaker(node))),
    });
    said.collect()
}
