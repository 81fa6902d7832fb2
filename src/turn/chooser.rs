//! Who speaks next in a scene of several, asked of the story's model (`features::group::choose`). Where that does not say,
//! it goes by turns.

use super::{
    ask::Ask,
    budget::Leave,
    group, meter,
    play::Conductor,
    recall::within,
    scene,
    stream::{self, Stop},
};
use crate::{
    features::{
        group::{
            GroupSettings, Mode, NAME, choose,
            who::{Member, Round},
        },
        transcript::{speech, whose_turns},
    },
    ports::Store,
    provider,
    story::{
        Millis, clip,
        company::Noted,
        fault::Fault,
        generation::Generation,
        ids::{CharacterId, StorylineId},
        spending::Kind,
        storyline::Storyline,
        tree::Path,
        warning::{Cause, Notice},
    },
};

/// Milliseconds that a round waits for its speaker.
const TIME_LIMIT: u32 = 20_000;
/// Turns that are told, and characters of each.
const TURNS: u32 = 8;
const TURN: usize = 600;

impl Conductor {
    /// Who is asked to speak after words that call nobody, where the model is to choose. `None`: nobody is, or the reader lets
    /// speak.
    pub(super) async fn chosen(
        &self,
        id: &StorylineId,
        replies: &[Generation],
        stop: Stop,
    ) -> Result<Option<Ask>, Fault> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let preset = scene::preset(store, &storyline).await;
        let settings: GroupSettings = storyline.settings(&preset);
        if settings.mode != Mode::Model || replies.len() >= settings.bound() as usize {
            return Ok(None);
        }
        let head = &storyline.head;
        if replies.last().is_some_and(|last| (&head.branch, head.end) != (&last.branch, last.position + 1)) {
            return Ok(None);
        }
        let path = scene::path(store, &storyline).await?;
        let tree = scene::tree(store, id).await?;
        let noted = Noted::of(&storyline, &tree.alive, &path);
        // Who heard the reader's words: those of a whisper are fewer than are there.
        let first = path.end.saturating_sub(replies.len() as u32 + 1);
        let all = group::members(store, &storyline, noted.heard(first)).await;
        let spoke: Vec<&CharacterId> = replies.iter().map(|reply| storyline.speaker(reply.speaker.as_ref())).collect();
        let (said, members): (Vec<Member>, Vec<Member>) = all.into_iter().partition(|one| spoke.contains(&&one.id));
        match members.as_slice() {
            [] => return Ok(None),
            [only] if replies.is_empty() => return Ok(Some(Ask::Speak(only.id.clone()))),
            _ => {}
        }
        let until = self.ports.clock.now() + Millis::from(TIME_LIMIT);
        let asked = within(&self.ports, until, self.ask_who(&storyline, &path, &members, &said, stop)).await;
        match asked {
            Ok(Some(who)) => Ok(who.map(Ask::Speak)),
            // After the first nobody need speak.
            _ if !replies.is_empty() => Ok(None),
            asked => {
                let last = self.last_speaker(&storyline, &path).await?;
                let (mode, most) = (Mode::Turns, 1);
                let turns =
                    Round { words: "", said: &[], last: last.as_ref(), members: &members, mode, most, seed: "" };
                let notice = Notice { module: NAME.to_owned(), cause: Cause::NotChosen { fault: asked.err() } };
                Ok(turns.next().map(|who| Ask::InTurn(who, notice)))
            }
        }
    }

    /// `None`: its answer is none.
    async fn ask_who(
        &self,
        storyline: &Storyline,
        path: &Path,
        members: &[Member],
        said: &[Member],
        stop: Stop,
    ) -> Result<Option<Option<CharacterId>>, Fault> {
        let store = &*self.ports.store;
        Leave::ask(&self.ports, storyline, Kind::Planner).await?;
        let mut connection = scene::connection(store, storyline).await?;
        provider::briefly(&mut connection, choose::ANSWER);
        let told = transcript(store, storyline, path).await?;
        let said: Vec<&str> = said.iter().filter_map(|one| one.names.first()).map(String::as_str).collect();
        let (messages, shape) = choose::request(members, &said, &told, storyline.language);
        let purpose = meter::purpose(Kind::Planner, storyline);
        let answer = stream::shaped(&self.ports, &connection, &messages, &shape, &purpose, stop).await?;
        Ok(choose::read(&answer.text, members))
    }
}

/// The newest turns, whoever heard them: who chooses sees the whole scene.
async fn transcript(store: &dyn Store, storyline: &Storyline, path: &Path) -> Result<String, Fault> {
    let own = group::own(store, storyline).await?;
    let voices = group::voices(store, storyline, &own.name).await?;
    let nodes = scene::told(store, path, path.end.saturating_sub(TURNS), path.end).await?;
    let reader = storyline.reader();
    let lines = nodes.iter().map(|node| clip(speech(node, voices.in_turn(node), reader).trim(), TURN));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    Ok(format!("{}{}", whose_turns(reader), lines.join("\n")))
}
