//! What others told, taken in, story by story; the rest is written down as waiting.
//!
//! A pack is heard once all of it is taken in or written down, and whatever waits is looked at again each time: a story that
//! is being played, a turn whose parent or whose reply comes with another pack. Each commit leaves
//! the library whole.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    ahead::Coming,
    books::{self, Known, Me, Waiting},
    bytes,
    fact::{Fact, GONE, Says, Stamp},
    fields,
    inbox::Inbox,
    shelf::{self, Heard},
    story,
};
use crate::{
    ports::{LIBRARY, Ports, Store},
    store::{Batch, Op, Stored, Table, due},
    turn::circle,
};

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// Storylines that have changed here.
    pub stories: BTreeSet<String>,
    /// Of them, those that went on elsewhere than where the reader stands here.
    pub apart: BTreeSet<String>,
    /// Storylines that are known and not all here yet, by their ids.
    pub coming: BTreeMap<String, Coming>,
    /// Something else of the library has changed.
    pub library: bool,
    /// Settings have.
    pub settings: bool,
    /// Of that, posts.
    pub posts: bool,
}

impl News {
    /// What became of what waited since.
    pub fn join(&mut self, since: Self) {
        self.stories.extend(since.stories);
        self.apart.extend(since.apart);
        self.library |= since.library;
        self.settings |= since.settings;
        self.posts |= since.posts;
        self.coming = since.coming;
    }
}

/// Takes in what waits and what has just come; `is_whole`: and no more is on its way. `may_write` says whether nobody writes a storyline, here or in another tab, and sees to it that
/// nobody does until it is asked for the next.
///
/// # Errors
/// The store failed; so everywhere here.
pub async fn take_in(
    ports: &Ports,
    me: &Me,
    fresh: BTreeMap<String, Fact>,
    is_whole: bool,
    may_write: &mut dyn MayWrite,
) -> Stored<News> {
    let mut news = News::default();
    let (inbox, waiting) = Inbox::open(&*ports.store, fresh).await?;
    let (mut stories, mut rest, mut files) = (BTreeMap::<String, Vec<Fact>>::new(), Vec::new(), Vec::new());
    for fact in bury(ports, me, &inbox, may_write, waiting, &mut news).await? {
        match fact.place().0 {
            _ if bytes::is_of_file(&fact) => files.push(fact),
            name if name == Table::Storylines.name() => {
                stories.entry(fact.place().1.to_owned()).or_default().push(fact)
            }
            _ if fact.story.is_empty() || matches!(fact.says, Says::Gone(_)) => rest.push(fact),
            _ => stories.entry(fact.story.clone()).or_default().push(fact),
        }
    }
    if !files.is_empty() {
        inbox.commit(bytes::note(files)).await?;
    }
    // One by one: what is read may be changed on the page a moment later.
    for fact in &rest {
        let looked = Looked::at(ports, me, std::slice::from_ref(fact)).await?;
        let mut batch = Batch::new();
        let has_changed = library(ports, me, fact, &looked, &mut batch).await?;
        inbox.commit(batch).await?;
        let (name, id) = fact.place();
        let is_setting = name == Table::Settings.name();
        if has_changed && is_setting {
            ports.tabs.announce(id);
        }
        news.settings |= has_changed && is_setting;
        news.library |= has_changed && !is_setting;
        news.posts |= has_changed && name == Table::Posts.name();
    }
    if news.library {
        ports.tabs.announce(LIBRARY);
    }
    if news.posts {
        ports.tabs.announce(circle::CHANGED);
    }
    for (id, facts) in stories {
        if !may_write.asked(&id).await {
            continue;
        }
        let heard = match story::take_in(ports, me, &inbox, &id, facts, is_whole).await {
            Ok(heard) => heard,
            // One that is damaged here is not in the way of the others.
            Err(error) if error.is_unreadable() => continue,
            Err(error) => return Err(error),
        };
        if heard.changed {
            news.stories.insert(id.clone());
            ports.tabs.announce(&id);
        }
        if let Some(coming) = heard.coming {
            news.coming.insert(id.clone(), coming);
        }
        if heard.apart {
            news.apart.insert(id);
        }
    }
    may_write.done();
    inbox.close().await?;
    Ok(news)
}

/// What was deleted for ever elsewhere goes, or stays where it has changed since; either way what else was told of it comes
/// after that: gives it, but for that of a storyline which may not be written now.
async fn bury(
    ports: &Ports,
    me: &Me,
    inbox: &Inbox<'_>,
    may_write: &mut dyn MayWrite,
    waiting: Vec<Fact>,
    news: &mut News,
) -> Stored<Vec<Fact>> {
    let mut rest = Vec::with_capacity(waiting.len());
    let mut held = BTreeSet::new();
    for mut fact in waiting {
        let gone = match &mut fact.says {
            Says::Fields(said) => said.remove(GONE),
            _ => None,
        };
        let Some(gone) = gone else {
            rest.push(fact);
            continue;
        };
        let (name, id) = fact.place();
        let is_story = name == Table::Storylines.name();
        if is_story && !may_write.asked(id).await {
            held.insert(id.to_owned());
            continue;
        }
        let mut batch = Batch::new();
        let is_buried = shelf::bury(ports, me, &fact, &gone, &mut batch).await?;
        if is_buried {
            news.library = true;
            news.posts |= name == Table::Posts.name();
            news.stories.extend(is_story.then(|| id.to_owned()));
        }
        let is_all = matches!(&fact.says, Says::Fields(said) if said.is_empty());
        match is_all {
            true => batch.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of))),
            false => batch.push(&Waiting::new(fact.clone())),
        }
        let of_story = is_buried && is_story;
        let id = id.to_owned();
        inbox.commit(batch).await?;
        if of_story {
            ports.tabs.announce(&id);
        }
        if !is_all {
            rest.push(fact);
        }
    }
    rest.retain(|fact| !held.contains(&fact.story));
    Ok(rest)
}

/// Asks for the right to write a storyline.
pub trait MayWrite {
    fn asked<'a>(&'a mut self, story: &'a str) -> crate::ports::Future<'a, bool>;
    /// No more is asked for.
    fn done(&mut self);
}

/// What is known here of the records that some facts are of.
pub struct Looked {
    pub known: BTreeMap<String, Known>,
    pub changed: BTreeMap<String, u64>,
}

impl Looked {
    pub async fn at(ports: &Ports, me: &Me, facts: &[Fact]) -> Stored<Self> {
        let ids: Vec<_> = facts.iter().map(|fact| fact.of.clone()).collect();
        let store = &*ports.store;
        Ok(Self { known: books::known(store, &ids).await?, changed: books::changed(store, me, &ids).await? })
    }

    pub fn known(&self, of: &str) -> Known {
        self.known.get(of).cloned().unwrap_or_else(|| Known::of(of))
    }

    /// The stamp of what stands here where it has changed and nobody was told.
    pub fn own(&self, of: &str, me: &Me) -> Option<Stamp> {
        self.changed.get(of).map(|at| self.known(of).next(*at, me))
    }
}

/// What belongs to the library, or a memory that is gone.
async fn library(ports: &Ports, me: &Me, fact: &Fact, looked: &Looked, batch: &mut Batch) -> Stored<bool> {
    let store = &*ports.store;
    let (name, id) = fact.place();
    // What a newer version knows waits until this one does.
    let Some(table) = fields::travels(name, id) else { return Ok(false) };
    let mut known = looked.known(&fact.of);
    if let Says::Fields(said) = &fact.says
        && store.get(table, id).await?.is_none()
        && shelf::is_in_part(&known, looked.own(&fact.of, me).as_ref(), said)
    {
        return Ok(false);
    }
    batch.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of)));
    match &fact.says {
        // A memory.
        Says::Gone(stamp) => {
            let stands = looked.own(&fact.of, me).unwrap_or_else(|| known.stamp.clone());
            if *stamp <= stands {
                return Ok(false);
            }
            if let Some(doc) = store.get(table, id).await? {
                batch.ops.extend(due::gone(table, &doc.value));
            }
            batch.ops.push(Op::Delete(table, id.to_owned()));
            known.hear(stamp);
            known.gone = true;
            batch.push(&known);
            Ok(true)
        }
        Says::Fields(said) if fields::goes_in_fields(table) => {
            let stored = store.get(table, id).await?;
            let was = stored.map(|doc| doc.value);
            let mut own = looked.own(&fact.of, me);
            // Who comes to a library takes it as it is set: until they have told something themselves, they give way.
            if table == Table::Settings && me.last == 0 {
                own = own.map(|own| Stamp { at: 0, ..own });
            }
            let before = was.clone();
            let Heard { record, lost, tells } = shelf::hear(table, &fact.of, was, said, &mut known, own);
            batch.push(&known);
            lost.iter().for_each(|older| batch.push(older));
            if tells {
                batch.ops.push(books::mark(table, id, ports.clock.now()));
            }
            let changed = record.is_some();
            match record {
                Some(value) if table == Table::Settings => set(store, id, &before.unwrap_or_default(), &value).await?,
                record => batch.ops.extend(record.map(|value| Op::Put(table, value.into()))),
            }
            Ok(changed)
        }
        _ => Ok(false),
    }
}

/// Settings are changed as they stand by now: a tab may change others of the same record at this moment.
async fn set(store: &dyn Store, id: &str, before: &Value, heard: &Value) -> Stored<()> {
    let change = |stored: Option<Value>| {
        let mut record = stored.unwrap_or_else(|| json!({ "id": id }));
        if let Some(record) = record.as_object_mut() {
            let names = Table::Settings.shared(id).iter().filter(|name| before.get(**name) != heard.get(**name));
            let fields = names.map(|name| ((*name).to_owned(), heard.get(*name).cloned().unwrap_or_default()));
            fields::put(Table::Settings, record, fields);
        }
        Ok(Some(record))
    };
    store.revise(Table::Settings, id, Box::new(change)).await
}
