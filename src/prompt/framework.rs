//! The framework: gathers, trims, and puts each thing where the preset says.

use super::{
    Scene, budget,
    context::{Content, ContextSnapshot, Contribution},
    depth::{Insertion, insert},
    draft::Draft,
    gather::{BEGUN, gather},
    sources::{self, HISTORY},
};
use crate::{
    provider::Message,
    story::{
        account::{Account, AccountBlock, Recapped},
        preset::{Form, Role, Section},
        storyline::Language,
    },
};

/// A prompt and its account.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub messages: Vec<Message>,
    pub account: Account,
}

/// A message that has its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub role: Role,
    pub content: String,
    /// One of the chat: depth counts it, and it stays a message of its own.
    pub chat: bool,
    /// In the prompt of the next turn it stands as it stands here, if all before it does.
    pub steady: bool,
}

/// Builds the prompt for the last turn of the scene.
///
/// `budget` is in tokens, the room for the reply taken off. What gives way is said by
/// [`super::context::Priority`]; texts of the preset, of the card and the state are never cut, and the turn to answer
/// always stays.
pub fn assemble(scene: &Scene, budget: u32) -> Prompt {
    let snapshot = snapshot(scene, budget);
    let account = account(&snapshot, scene);
    Prompt { messages: place(snapshot, scene), account }
}

/// What the prompt says, trimmed, before it has its places.
pub fn snapshot(scene: &Scene, budget: u32) -> ContextSnapshot {
    let mut snapshot = gather(&mut Draft::new(scene));
    budget::trim(&mut snapshot, scene.calibration.unscale(budget));
    snapshot
}

fn place(snapshot: ContextSnapshot, scene: &Scene) -> Vec<Message> {
    let block_of = |entry: &Contribution| scene.preset.blocks.iter().find(|block| block.identifier == entry.identifier);
    let of_the_turn = |entry: &Contribution| block_of(entry).is_some_and(|block| sources::is_of_the_turn(scene, block));
    let is_transcript_of = |entry: &Contribution| block_of(entry).is_some_and(|block| block.form == Form::Transcript);
    let (mut placed, mut insertions) = (Vec::new(), Vec::new());
    let (mut begun, mut is_transcript) = (None, false);
    for entry in snapshot.entries {
        let text = entry.text();
        is_transcript |= entry.source == HISTORY && !text.is_empty() && is_transcript_of(&entry);
        let steady = match entry.content {
            Content::Chat(_) => entry.steady.is_some(),
            Content::Text { .. } => entry.source != HISTORY && !of_the_turn(&entry),
        };
        match (entry.content, entry.depth) {
            (Content::Chat(pieces), _) => {
                let said = pieces.into_iter().flat_map(|piece| piece.said);
                // What the system says amid the turns is none of the chat.
                let mut said = said.map(|(role, content)| Placed { role, content, chat: role != Role::System, steady });
                if entry.source == BEGUN {
                    begun = said.next_back();
                } else {
                    placed.extend(said);
                }
            }
            _ if text.is_empty() => {}
            (_, None) => placed.push(Placed { role: entry.role, content: text, chat: false, steady }),
            (_, Some((depth, order))) => insertions.push(Insertion { depth, order, role: entry.role, text }),
        }
    }
    if is_transcript {
        insertions.extend(apart(&insertions, scene.storyline.language));
    }
    let mut placed = insert(placed, insertions);
    placed.extend(begun);
    merge(placed, scene.group.is_some())
}

/// What stands between a transcript and what is told before the newest words: it would read as the end of the last reply.
fn apart(insertions: &[Insertion], language: Language) -> Option<Insertion> {
    let text = language
        .pick("=== 写下一段时请注意（不是对话内容） ===", "=== For the next reply (not part of the conversation) ===");
    let first = Insertion { depth: u32::MAX, order: i32::MIN, role: Role::System, text: text.to_owned() };
    insertions.iter().any(|one| one.depth > 0).then_some(first)
}

/// Neighbouring blocks of one role become one message: many chat templates take only one system message, and turns
/// must alternate. What was said in the chat stays as it was said; but where several speak, all that others have said since
/// the speaker's own last words is one message, under their names.
fn merge(placed: Vec<Placed>, several: bool) -> Vec<Message> {
    let mut merged: Vec<Placed> = Vec::new();
    for one in placed {
        match merged.last_mut() {
            Some(last) if last.role == one.role && (!last.chat && !one.chat || several && one.role == Role::User) => {
                last.content.push_str("\n\n");
                last.content.push_str(&one.content);
                last.steady &= one.steady;
            }
            _ => merged.push(one),
        }
    }
    let kept = merged.iter().take_while(|one| one.steady).count();
    let message = |(at, one): (usize, Placed)| Message { keep: at + 1 == kept, ..Message::new(one.role, one.content) };
    merged.into_iter().enumerate().map(message).collect()
}

fn account(snapshot: &ContextSnapshot, scene: &Scene) -> Account {
    let costs: Vec<u32> = snapshot.entries.iter().map(budget::cost).collect();
    let middle: u32 = snapshot
        .entries
        .iter()
        .zip(&costs)
        .filter(|(entry, _)| entry.section == Section::Middle)
        .map(|(_, cost)| cost)
        .sum();
    let raw_tokens = costs.iter().sum();
    let calibration = scene.calibration;
    let shown = |entry: &Contribution, cost: u32| cost > 0 || entry.trimmed > 0 || entry.source == HISTORY;
    let blocks = snapshot.entries.iter().zip(costs);
    Account {
        preset: scene.preset.id.to_string(),
        blocks: blocks
            .filter(|(entry, cost)| shown(entry, *cost))
            .map(|(entry, cost)| block(entry, cost, scene))
            .collect(),
        total_tokens: calibration.scale(raw_tokens),
        middle_tokens: calibration.scale(middle),
        raw_tokens,
        ..Account::default()
    }
}

fn block(entry: &Contribution, cost: u32, scene: &Scene) -> AccountBlock {
    let reasons = entry.pieces().iter().map(|piece| piece.reason.as_str()).filter(|reason| !reason.is_empty());
    let (first, text, recap) = beginning(entry);
    let positions = || entry.pieces().iter().filter_map(|piece| piece.position).filter(|position| first <= *position);
    AccountBlock {
        identifier: entry.identifier.clone(),
        name: entry.name.clone(),
        source: entry.source.clone(),
        role: entry.role,
        tokens: scene.calibration.scale(cost),
        reason: std::iter::once(entry.reason.as_str()).chain(reasons).collect::<Vec<_>>().join("\n"),
        trimmed: entry.trimmed,
        section: entry.section,
        depth: entry.depth.map(|(depth, _)| depth),
        text: match &entry.content {
            // Its turns are where they are; a summary before them is kept.
            _ if entry.source == HISTORY => text,
            Content::Text { .. } => entry.text(),
            Content::Chat(pieces) => {
                let said: Vec<&str> =
                    pieces.iter().flat_map(|piece| &piece.said).map(|(_, text)| text.as_str()).collect();
                said.join("\n\n")
            }
        },
        from: positions().min(),
        to: positions().max(),
        past: entry.source == HISTORY && !entry.pieces().iter().any(|piece| piece.must),
        shown_only: entry.shown_only,
        unheard: if entry.source == HISTORY { scene.missed.clone() } else { Vec::new() },
        recap,
        ..Default::default()
    }
}

/// What a history tells before the turns that go on to its end: the first of these, a session's summary, and what a recap
/// begins with.
fn beginning(entry: &Contribution) -> (u32, String, Option<Recapped>) {
    if entry.source != HISTORY {
        return Default::default();
    }
    let summaries = entry.pieces().iter().filter(|piece| piece.position.is_none()).flat_map(|piece| &piece.said);
    let mut summaries: Vec<&str> = summaries.map(|(_, text)| text.as_str()).collect();
    let first = entry.recap.unwrap_or_default();
    // It stands after the session's.
    let recap = entry.recap.and_then(|_| summaries.pop()).map(|text| {
        let turns = || entry.pieces().iter().filter_map(|piece| piece.position).filter(|position| *position < first);
        Recapped { turns: turns().min().zip(turns().max()), text: text.to_owned() }
    });
    (first, summaries.concat(), recap)
}
