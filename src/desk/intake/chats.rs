//! Conversations: those that are branches of one become one story, and many stories come in at a time, for each time the
//! whole library is laid beside them.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    convert::Infallible,
};

use serde_json::Value;

use super::{Failed, Fate, Intake};
use crate::{
    desk::StoreError,
    exchange::{
        chat::{
            self, Chat,
            story::{self, Among, Given, Made},
        },
        folder::{group::Group, parent, stem},
        limits::Limits,
        merge::{self, Mode},
        refusal::Refusal,
        sniff::Content,
    },
    ports::Future,
    store::{Query, Table},
    story::{character::Character, settings::Preferences},
    transfer::{
        Cancel, Failure, Watch,
        import::{self, Source},
    },
};

/// Text that is taken in at a time.
const AT_ONCE: usize = 8 << 20;

/// The folder of those of groups.
const GROUP_CHATS: &str = "group chats";

/// A file that may be a conversation.
pub struct ChatFile {
    pub path: String,
    pub text: String,
}

/// A file and those that are branches of it.
struct Family {
    root: usize,
    others: Vec<usize>,
}

impl Intake<'_> {
    /// Takes conversations in; those of one folder must come together, for their files name each other. The caller sees to
    /// it that no other import is under way.
    ///
    /// # Errors
    /// The store failed; what was taken before is there.
    pub async fn take_chats(&mut self, files: Vec<ChatFile>) -> Result<(), StoreError> {
        if files.is_empty() {
            return Ok(());
        }
        let ports = self.desk.ports.clone();
        let tell = |_| {};
        let watch = Watch::new(&*ports.clock, Cancel::default(), &tell);
        let breathe = async || breathe(&watch).await;
        let mut read = Vec::new();
        for file in files {
            match chat::read(&file.text, async || breathe().await.map_err(|never| match never {})).await {
                Ok(mut chat) => {
                    if chat.character.trim().is_empty() {
                        parent(&file.path).clone_into(&mut chat.character);
                    }
                    read.push((file, chat));
                }
                Err(why) => self.refuse(&file.path, why),
            }
        }
        let mut characters: Vec<Character> = ports.store.list(Query::all(Table::Characters)).await?;
        characters.retain(|character| character.deleted.is_none());
        let preferences = ports.store.load::<Preferences>(Preferences::ID).await.ok().flatten().unwrap_or_default();
        let (mut made, mut bytes) = (Vec::new(), 0);
        for Family { root, others } in families(&read) {
            let (file, chat) = &read[root];
            let group = self.group_of(&file.path);
            let given = Given {
                characters: &characters,
                own: self.called.get(parent(&file.path)).map(|(_, id)| id),
                file: stem(&file.path),
                reader: &preferences.user_name,
                group: group.as_ref().map(|(group, members)| Among { name: &group.name, members, mode: group.mode }),
                now: ports.clock.now(),
            };
            let named: Vec<_> = others.iter().map(|at| (stem(&read[*at].0.path), &read[*at].1)).collect();
            let Ok(story) = story::made(chat, &file.text, &named, &given, breathe).await;
            let here = if others.is_empty() { None } else { self.told_here(&story).await? };
            let (mut of, mut alone) = (vec![root], Vec::new());
            for (at, is_joined) in others.iter().zip(&story.joined) {
                if *is_joined && here.is_none() {
                    of.push(*at);
                    continue;
                }
                let (file, chat) = &read[*at];
                let given = Given { file: stem(&file.path), ..given };
                let Ok(own) = story::made(chat, &file.text, &[], &given, breathe).await;
                // One that only seems to be a branch is a story of its own; and so is one that came later than the story,
                // which stays as it is.
                let is_told = here.as_ref().is_some_and(|here| own.texts().all(|text| here.contains(text)));
                if *is_joined && is_told {
                    of.push(*at);
                } else {
                    bytes += file.text.len();
                    alone.push((own, vec![*at]));
                }
            }
            bytes += file.text.len();
            made.push((story, of));
            made.extend(alone);
            if bytes >= AT_ONCE {
                bytes = 0;
                self.take_stories(&read, std::mem::take(&mut made)).await?;
            }
        }
        self.take_stories(&read, made).await
    }

    /// All that is said in the story that is here already, if it is.
    async fn told_here(&self, story: &Made) -> Result<Option<HashSet<String>>, StoreError> {
        let store = &*self.desk.ports.store;
        if store.get(Table::Storylines, story.id.as_str()).await?.is_none() {
            return Ok(None);
        }
        let mut told = HashSet::new();
        for (table, field) in story::SAID {
            let docs = store.query(Query::equal(table, "storyline", story.id.as_str())).await?;
            told.extend(docs.iter().filter_map(|doc| doc.value[field].as_str()).map(str::to_owned));
        }
        Ok(Some(told))
    }

    /// The group that a chat is of, and what its members are called.
    fn group_of(&self, path: &str) -> Option<(Group, Vec<String>)> {
        let group = self.groups.get(stem(path)).filter(|_| parent(path).eq_ignore_ascii_case(GROUP_CHATS))?;
        let called = |file: &String| self.called.get(file).map_or(file, |(name, _)| name).clone();
        Some((group.clone(), group.members.iter().map(called).collect()))
    }

    /// Takes stories in together; where they are refused, one by one.
    async fn take_stories(
        &mut self,
        read: &[(ChatFile, Chat)],
        made: Vec<(Made, Vec<usize>)>,
    ) -> Result<(), StoreError> {
        if made.is_empty() {
            return Ok(());
        }
        let (mut stories, mut files): (Vec<Made>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        // The same file under two names, or beside its own copy, is one story.
        let mut twice = Vec::new();
        for (story, of) in made {
            match stories.iter().any(|known| known.id == story.id) {
                true => twice.extend(of),
                false => {
                    stories.push(story);
                    files.push(of);
                }
            }
        }
        let fates = match self.take_archive(&stories).await {
            Ok(fates) => fates.into_iter().map(Ok).collect(),
            Err(Failed::Store(error)) => return Err(error),
            Err(Failed::Refused(why)) if stories.len() == 1 => vec![Err(why)],
            Err(Failed::Refused(_)) => {
                let mut fates = Vec::new();
                for story in stories.chunks(1) {
                    match self.take_archive(story).await {
                        Ok(fate) => fates.extend(fate.into_iter().map(Ok)),
                        Err(Failed::Refused(why)) => fates.push(Err(why)),
                        Err(Failed::Store(error)) => return Err(error),
                    }
                }
                fates
            }
        };
        for ((fate, story), files) in fates.into_iter().zip(stories).zip(files) {
            let root = files.first().map(|at| &read[*at].1.head);
            let book = root.and_then(|head| head.get("chat_metadata")?.get("world_info")?.as_str());
            if let (Ok(true), Some(book)) = (&fate, book) {
                self.of_stories.push((story.id, book.to_owned()));
            }
            for at in files {
                let (file, chat) = &read[at];
                let name = stem(&file.path).to_owned();
                let fate = match &fate {
                    Ok(true) => Fate::Taken { what: Content::Chat, name, warnings: chat.warnings(), kept: kept(chat) },
                    Ok(false) => Fate::Known { what: Content::Chat, name },
                    Err(why) => Fate::Refused(why.clone()),
                };
                self.row(&file.path, fate);
            }
        }
        for at in twice {
            let path = &read[at].0.path;
            self.row(path, Fate::Known { what: Content::Chat, name: stem(path).to_owned() });
        }
        Ok(())
    }

    /// Whether each of them is new.
    async fn take_archive(&self, stories: &[Made]) -> Result<Vec<bool>, Failed> {
        let ports = &self.desk.ports;
        let tell = |_| {};
        let watch = Watch::new(&*ports.clock, Cancel::default(), &tell);
        let Ok(text) = story::write(stories, ports.clock.now(), async || breathe(&watch).await).await;
        let checked = import::check(&mut Lines::of(&text), Limits::default(), self.pictures, &watch).await;
        let checked = checked.map_err(failed)?;
        let prospect = import::plan(ports, &checked, &watch).await.map_err(failed)?;
        let mut plan = prospect.plan(Mode::Merge).clone();
        // What is here stays as it is.
        plan.storylines.retain(|_, fate| *fate == merge::Fate::Add);
        let fates: Vec<bool> = stories.iter().map(|story| plan.storylines.contains_key(story.id.as_str())).collect();
        if fates.contains(&true) {
            let same = |title: &str| title.to_owned();
            let mut lines = Lines::of(&text);
            import::import(ports, &mut lines, Limits::default(), (&checked, &plan), &same, &watch)
                .await
                .map_err(failed)?;
        }
        Ok(fates)
    }
}

/// Lets the page answer; nobody cancels what is watched here.
async fn breathe(watch: &Watch<'_>) -> Result<(), Infallible> {
    let _ = watch.breathe().await;
    Ok(())
}

fn failed(failure: Failure) -> Failed {
    match failure {
        Failure::Refused(why) => Failed::Refused(why),
        Failure::Store(error) | Failure::Unfinished(error) => Failed::Store(error),
        other => Failed::Refused(Refusal::Damaged(other.to_string())),
    }
}

/// Files of one folder of which one names the other as its own beginning (`chat_metadata.main_chat`).
fn families(read: &[(ChatFile, Chat)]) -> Vec<Family> {
    let by_name: HashMap<(&str, &str), usize> =
        read.iter().enumerate().map(|(at, (file, _))| ((parent(&file.path), stem(&file.path)), at)).collect();
    let main = |at: usize| {
        let (file, chat) = &read[at];
        let main = chat.head.get("chat_metadata")?.get("main_chat")?.as_str()?;
        by_name.get(&(parent(&file.path), main)).copied()
    };
    let root = |at: usize| {
        let (mut root, mut steps) = (at, 0);
        while let Some(above) = main(root) {
            steps += 1;
            if steps > read.len() {
                // Names that lead in a circle lead nowhere.
                return at;
            }
            root = above;
        }
        root
    };
    let mut families: Vec<Family> = Vec::new();
    let mut of = HashMap::new();
    for at in 0..read.len() {
        let root = root(at);
        let family = *of.entry(root).or_insert_with(|| {
            families.push(Family { root, others: Vec::new() });
            families.len() - 1
        });
        if at != root {
            families[family].others.push(at);
        }
    }
    families
}

/// What a message says that is told or shown here.
const USED: [&str; 11] = [
    "name",
    "mes",
    "is_user",
    "is_system",
    "send_date",
    "swipes",
    "swipe_id",
    "swipe_info",
    "gen_started",
    "gen_finished",
    "extra",
];
const USED_EXTRA: [&str; 5] = ["model", "reasoning", "memory", "characterSheet", "lastUpdate"];

/// What its messages say that is kept for an export.
fn kept(chat: &Chat) -> Vec<String> {
    let mut names = BTreeSet::new();
    for rest in chat.messages.iter().map(|message| &message.rest) {
        names.extend(rest.keys().filter(|key| !USED.contains(&key.as_str())).cloned());
        let extra = rest.get("extra").and_then(Value::as_object).into_iter().flatten();
        names.extend(
            extra.filter(|(key, _)| !USED_EXTRA.contains(&key.as_str())).map(|(key, _)| format!("extra.{key}")),
        );
    }
    names.into_iter().collect()
}

/// An archive as text.
struct Lines<'a> {
    text: &'a [u8],
    read: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self { text: text.as_bytes(), read: 0 }
    }
}

impl Source for Lines<'_> {
    fn next(&mut self) -> Future<'_, Result<Option<Vec<u8>>, Failure>> {
        Box::pin(async move {
            let to = self.text.len().min(self.read + 65_536);
            let piece = self.text[self.read..to].to_vec();
            self.read = to;
            Ok(Some(piece).filter(|piece| !piece.is_empty()))
        })
    }

    fn compressed(&self) -> u64 {
        self.read as u64
    }
}
