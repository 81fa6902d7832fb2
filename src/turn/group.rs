//! Several in one story: who hears a turn, who answers it, and who comes and goes.
//!
//! A round is the reader's turn with its first reply, and a turn without words of theirs for each further speaker. So a
//! tree, its swipes, states and memories are as they are in a story of one character, and a call that fails leaves what
//! the others said.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use futures_util::{FutureExt, future::try_join_all};

use super::{
    ask::Ask,
    opening::Said,
    play::{Conductor, Show},
    scene,
    stream::Stop,
};
use crate::{
    features::{
        group::{
            GroupSettings, Move, gone,
            who::{Member, Round},
        },
        lore,
    },
    ports::Store,
    reply::parser,
    store::{StoreError, Stored, Table},
    story::{
        character::Character,
        company::{self, Company, Group, Noted, Voices},
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{BranchId, CharacterId, StorylineId},
        state::State,
        storyline::{Language, Storyline},
        tree::{Branch, Path, Tree},
        turn::Turn,
        written::Text,
    },
};

/// The company of a turn that is about to begin.
pub(super) struct Begun {
    /// Who hears it.
    pub hears: Vec<CharacterId>,
    /// What is to be noted of it on its branch; `None`: it is as before.
    pub note: Option<Company>,
}

impl Begun {
    /// Of a turn at the end of a path. `to`: whom it is whispered to; `moves`: who comes or goes with it.
    pub fn of(
        storyline: &Storyline,
        noted: &Noted,
        position: u32,
        to: Option<&[CharacterId]>,
        moves: Option<&Move>,
    ) -> Self {
        let before = noted.present().to_vec();
        let mut present = before.clone();
        let mut hears = before.clone();
        if let Some(moves) = moves {
            present.retain(|one| one != moves.who());
            if moves.comes() {
                present.push(moves.who().clone());
                let place = |one: &CharacterId| storyline.cast.iter().position(|known| known == one);
                present.sort_by_key(place);
                hears.clone_from(&present);
            }
        }
        if let Some(to) = to {
            hears.retain(|one| to.contains(one));
        }
        if matches!(moves, Some(Move::Quits(_))) && !storyline.is_group() {
            // Who is left alone in a story is there.
            present.clone_from(&storyline.cast);
        }
        let is_as_before = hears == before && present == before;
        let note = (!is_as_before).then(|| Company { at: position, heard: hears.clone(), present });
        Self { hears, note }
    }
}

/// The others of a story as who speaks next has heard them, at the last turn of the path; `None`: it has one character.
/// `alive`: the branches, where they are at hand.
///
/// # Errors
/// The store failed.
pub(super) async fn of(
    store: &dyn Store,
    storyline: &Storyline,
    path: &Path,
    speaker: Option<&CharacterId>,
    turn: Option<&Turn>,
    alive: Option<&HashMap<BranchId, Branch>>,
) -> Stored<Option<Group>> {
    let tree;
    let alive = match alive {
        Some(alive) => alive,
        None => {
            tree = scene::tree(store, &storyline.id).await?;
            &tree.alive
        }
    };
    let last = path.end.saturating_sub(1);
    let noted = Noted::of(storyline, alive, path);
    if !storyline.is_group() && noted.is_blank() {
        return Ok(None);
    }
    let before = path.until(last);
    // A whisper that is about to begin is not noted yet.
    let whispered = turn.and_then(|turn| turn.heard_by.as_deref());
    let hears = whispered.unwrap_or(noted.heard(last)).to_vec();
    let is_whisper = noted.present().iter().any(|one| !hears.contains(one));
    let speaks = storyline.speaker(speaker);
    let unheard = Noted::of(storyline, alive, &before).unheard(speaks);
    // Thousands of notes name the same few.
    let known: HashSet<&CharacterId> = storyline.cast.iter().chain(noted.everybody()).collect();
    let known = BTreeSet::from_iter(known);
    let names = names(store, known, storyline.language).await?;
    let own = storyline.character().clone();
    Ok(Some(Group { own, names, is_whisper, hears, unheard }))
}

/// What they are called. One that is gone is called that: what it said is nobody else's.
async fn names(
    store: &dyn Store,
    ids: BTreeSet<&CharacterId>,
    language: Language,
) -> Stored<BTreeMap<CharacterId, String>> {
    let read = ids.into_iter().map(|id| async move {
        // Nothing but its name: to read eight whole cards takes longer than the turn has.
        let card = store.alone(Table::Characters, id.as_str()).await.unwrap_or_default();
        let name = card.docs().first().map_or(gone(language), |card| card.value["name"].as_str().unwrap_or_default());
        Ok::<_, StoreError>((id.clone(), name.to_owned()))
    });
    Ok(try_join_all(read).await?.into_iter().filter(|(_, name)| !name.is_empty()).collect())
}

/// The storyline's own character. Where it is deleted and others go on without it, it is somebody without a name.
///
/// # Errors
/// It is deleted and nobody else is there, or the store failed.
pub(super) async fn own(store: &dyn Store, storyline: &Storyline) -> Result<Character, Fault> {
    let id = storyline.character();
    match store.load::<Character>(id.as_str()).await? {
        Some(character) => Ok(character),
        None if storyline.is_group() => {
            let name = gone(storyline.language).to_owned();
            Ok(Character { id: id.clone(), name, ..Character::default() })
        }
        None => Err(Fault::new(FaultKind::NoCharacter, "")),
    }
}

/// Who speaks in a story, for transcripts.
///
/// # Errors
/// The store failed.
pub(super) async fn voices(store: &dyn Store, storyline: &Storyline, own: &str) -> Stored<Voices> {
    let mut voices = Voices { own: own.to_owned(), others: BTreeMap::new() };
    let tree = scene::tree(store, &storyline.id).await?;
    let noted = tree.alive.values().flat_map(|branch| &branch.company).flat_map(|note| &note.heard);
    let others: BTreeSet<&CharacterId> =
        storyline.cast.iter().chain(noted).filter(|one| *one != storyline.character()).collect();
    if !others.is_empty() {
        voices.others = names(store, others, storyline.language).await?;
    }
    Ok(voices)
}

/// The turns of a path that a character is not told of: they did not hear them, or no model is told them.
///
/// # Errors
/// The store failed.
pub(super) async fn missed(
    store: &dyn Store,
    storyline: &Storyline,
    path: &Path,
    who: &CharacterId,
) -> Stored<Vec<company::Stretch>> {
    let tree = scene::tree(store, &storyline.id).await?;
    Ok(company::missed(&Noted::of(storyline, &tree.alive, path).unheard(who), path))
}

/// A state as far as the speaker knows of it: nothing is told that stands for turns which they did not hear. The world is
/// what is there to be seen.
pub(super) fn known(state: &State, group: &Group, speaker: Option<&CharacterId>) -> State {
    let mut known = state.clone();
    let missed = |from: u32, to: u32| company::touches(&group.unheard, from, to);
    if known.recap.as_ref().is_some_and(|recap| missed(recap.from, recap.to)) {
        known.recap = None;
    }
    if speaker.is_some() && !group.unheard.is_empty() {
        Text::Plot.hold(&mut known, None, "");
    }
    if !group.unheard.is_empty() {
        lore::timers::forget(&mut known);
    }
    known
}

impl Conductor {
    /// Plays what is asked for, and then whoever else speaks: see [`crate::features::group::who`]. Gives the replies in
    /// their order; none where the reader lets speak by hand. One that failed is among them, and the others go on; a stop
    /// ends the round.
    ///
    /// # Errors
    /// As [`Self::play`] of the first. What keeps a later one from beginning ends the round.
    pub async fn round(
        &self,
        id: &StorylineId,
        ask: Ask,
        stop: Stop,
        show: Show<'_>,
    ) -> Result<Vec<Generation>, Fault> {
        let storyline = self.storyline(id).await?;
        if !storyline.is_group() || !ask.is_said() {
            return Ok(vec![self.play(id, ask, stop, show).await?]);
        }
        // Words that call nobody stand alone.
        let first = self.play_if(id, ask, stop.clone(), show, |opening| opening.is_answered).await?;
        let is_called = first.is_some();
        let mut replies: Vec<Generation> = first.into_iter().collect();
        loop {
            let is_over = replies.last().and_then(|last| last.fault.as_ref()).is_some_and(|fault| {
                // A prompt that is too long waits for the reader's word.
                fault.kind.is_told_to_stop() || fault.kind.is_too_long()
            });
            let is_stopped = || stop.clone().pressed().now_or_never().is_some();
            if is_over || is_stopped() {
                break;
            }
            let next = match is_called {
                true => self.next_of_round(id, &replies).await?.map(Ask::Speak),
                false => self.chosen(id, &replies, stop.clone()).await?,
            };
            let Some(next) = next.filter(|_| !is_stopped()) else { break };
            match self.play(id, next, stop.clone(), show).await {
                Ok(reply) => replies.push(reply),
                // The reader is asked when they ask again.
                Err(fault) if matches!(fault.kind, FaultKind::KeyMissing | FaultKind::OverBudget) => break,
                Err(fault) => return Err(fault),
            }
        }
        Ok(replies)
    }

    /// Who speaks after these; `None` also where the story has gone elsewhere meanwhile.
    async fn next_of_round(&self, id: &StorylineId, replies: &[Generation]) -> Result<Option<CharacterId>, Fault> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let (Some(first), Some(last)) = (replies.first(), replies.last()) else { return Ok(None) };
        let head = &storyline.head;
        if (&head.branch, head.end) != (&last.branch, last.position + 1) {
            return Ok(None);
        }
        let Some(turn) = store.load::<Turn>(first.turn.as_str()).await? else { return Ok(None) };
        let path = scene::path(store, &storyline).await?;
        let tree = scene::tree(store, id).await?;
        let noted = Noted::of(&storyline, &tree.alive, &path);
        let said: Vec<_> = replies
            .iter()
            .map(|reply| (storyline.speaker(reply.speaker.as_ref()).clone(), parser::spoken(&reply.text).into_owned()))
            .collect();
        let last = self.last_speaker(&storyline, &path.until(first.position)).await?;
        let hears = noted.heard(first.position).to_vec();
        self.speaks(&storyline, &hears, turn.user.as_deref().unwrap_or_default(), &said, last, &turn).await
    }

    /// Who spoke last on a path.
    pub(super) async fn last_speaker(&self, storyline: &Storyline, path: &Path) -> Result<Option<CharacterId>, Fault> {
        let found = self.back(storyline, path, |reply| Some(reply.speaker.clone())).await?;
        Ok(found.map(|speaker| storyline.speaker(speaker.as_ref()).clone()))
    }

    async fn speaks(
        &self,
        storyline: &Storyline,
        hears: &[CharacterId],
        words: &str,
        said: &[(CharacterId, String)],
        last: Option<CharacterId>,
        turn: &Turn,
    ) -> Result<Option<CharacterId>, Fault> {
        let store = &*self.ports.store;
        let preset = scene::preset(store, storyline).await;
        let settings: GroupSettings = storyline.settings(&preset);
        let members = members(store, storyline, hears).await;
        let (mode, most) = (settings.mode, settings.bound());
        let seed = turn.id.as_str();
        Ok(Round { words, said, last: last.as_ref(), members: &members, mode, most, seed }.next())
    }

    /// Who answers a new turn first. `None`: the story waits for whom the reader lets speak.
    ///
    /// # Errors
    /// The store failed; or nobody is there who could hear it.
    pub(super) async fn answers(
        &self,
        storyline: &Storyline,
        path: &Path,
        hears: &[CharacterId],
        turn: &Turn,
    ) -> Result<Option<CharacterId>, Fault> {
        let last = self.last_speaker(storyline, path).await?;
        let words = turn.user.as_deref().unwrap_or_default();
        self.speaks(storyline, hears, words, &[], last, turn).await
    }

    /// Somebody comes or goes: a turn that says so, and that nobody is asked to answer.
    ///
    /// # Errors
    /// The story could not be read or written, is another tab's, or what is asked for cannot be: who comes is there, who
    /// goes is not, the story's own character would be taken out.
    pub async fn stage(&self, id: &StorylineId, moves: &Move, show: Show<'_>) -> Result<(), Fault> {
        if !self.ports.tabs.owns(id.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let character = match store.load::<Character>(moves.who().as_str()).await? {
            Some(character) => character,
            None if matches!(moves, Move::Joins(_)) => return Err(Fault::new(FaultKind::NoCharacter, "")),
            // Who is gone from the library can go from the story.
            None => Character { name: storyline.language.pick("有人", "Somebody").into(), ..Default::default() },
        };
        let text = moves.told(&character.name, storyline.language);
        let said = Said { words: Some(&text), moves: Some((moves, &character)), ..Said::default() };
        let (opening, words) = self.begin(id, &said).await?;
        self.store_words(&opening, words, show).await
    }

    /// Who is in the room at the head.
    ///
    /// # Errors
    /// The store failed.
    pub async fn present(&self, storyline: &Storyline) -> Result<Vec<CharacterId>, Fault> {
        let store = &*self.ports.store;
        let tree: std::rc::Rc<Tree> = scene::tree(store, &storyline.id).await?;
        let path = scene::path(store, storyline).await?;
        Ok(Noted::of(storyline, &tree.alive, &path).present().to_vec())
    }
}

/// Those who hear something and may speak; one that is gone says nothing.
pub(super) async fn members(store: &dyn Store, storyline: &Storyline, hears: &[CharacterId]) -> Vec<Member> {
    let mut members = Vec::new();
    for id in hears.iter().filter(|id| storyline.cast.contains(id)) {
        let character = store.load::<Character>(id.as_str()).await.ok().flatten();
        members.extend(character.filter(|one| one.deleted.is_none()).map(|one| Member::of(&one)));
    }
    members
}

/// Makes who is in the room at the head, where this path ends, one of the cast again, where the story is played on there: they were taken out of
/// it at a turn that the head has left, or that is gone.
pub(super) fn take_in_again(storyline: &mut Storyline, branches: &HashMap<BranchId, Branch>, path: &Path) {
    let present = Noted::of(storyline, branches, path).present().to_vec();
    let back = present.into_iter().filter(|one| !storyline.cast.contains(one)).collect::<Vec<_>>();
    storyline.cast.extend(back);
}

/// Whether what is asked for fits the company.
pub(super) fn fits(storyline: &Storyline, noted: &Noted, moves: &Move) -> Result<(), Fault> {
    let is_there = noted.present().contains(moves.who());
    let is_of_it = storyline.cast.contains(moves.who());
    let fits = match moves {
        Move::Joins(_) => !is_of_it,
        Move::Leaves(_) => is_of_it && is_there,
        Move::Returns(_) => is_of_it && !is_there,
        Move::Quits(who) => is_of_it && who != storyline.character(),
    };
    fits.then_some(())
        .ok_or_else(|| Fault::new(FaultKind::BadRequest, "who comes is there already, or who goes is not"))
}
