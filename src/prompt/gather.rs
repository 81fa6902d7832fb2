//! Aggregation: every enabled block of the preset becomes a contribution, and so does what places itself.

use super::{
    context::{AtDepth, Content, ContextSnapshot, Contribution, Entry, Piece, Priority},
    draft::Draft,
    sources::{
        self, COMPANY, Give, HISTORY, INPUT, READER,
        history::{self, Told},
        note,
        note::Place,
        reader,
    },
    steady::Steady,
    tokens::{PER_MESSAGE, estimate},
};
use crate::story::preset::{Block, DEFAULT_ORDER, Form, Role, Section};

/// Where a frame puts what the source gives.
const SLOT: &str = "{{content}}";

pub fn gather(draft: &mut Draft) -> ContextSnapshot {
    let blocks = &draft.scene.preset.blocks;
    let mut entries = Vec::new();
    for block in blocks.iter().filter(|block| draft.scene.tells(block)) {
        draft.enter(&block.identifier);
        entries.extend(contribution(draft, block));
    }
    let placed = |name: &str| blocks.iter().any(|block| sources::is_place(block, name));
    around_the_character(draft, &mut entries);
    if !placed(READER) && !draft.scene.storyline.reader().is_named() {
        let at =
            usize::from(entries.first().is_some_and(|first| first.role == Role::System && first.source != HISTORY));
        let block = Block { identifier: READER.to_owned(), ..Block::default() };
        let said = one(reader::text(draft)).map(|content| entry(&block, READER, "story", content));
        said.into_iter().for_each(|said| entries.insert(at, said));
    }
    for source in draft.scene.sources() {
        if let Give::Note(_, place) = source.give
            && !placed(source.name)
        {
            draft.enter(source.name);
            let note = sources::pieces(draft, source.name).unwrap_or_default();
            let place = place(draft);
            placed_by_itself(draft, source.name, note, place, &mut entries);
        }
    }
    draft.enter("depth_prompt");
    if let Some((text, place)) = note::card(draft) {
        placed_by_itself(draft, "depth_prompt", vec![Entry { text, ..Entry::default() }], place, &mut entries);
    }
    entries.extend(draft.scene.context.at_depth.iter().filter_map(for_the_turn));
    entries.extend(draft.scene.context.left_out.iter().map(left_out));
    answered(draft, &mut entries);
    if !placed(COMPANY) {
        entries.extend(whose_turn(draft));
    }
    ContextSnapshot { entries }
}

fn contribution(draft: &mut Draft, block: &Block) -> Option<Contribution> {
    let Some(marker) = block.marker.as_deref().map(sources::marker_name) else {
        let (text, reason) = own_text(draft, block);
        return one(text).map(|content| entry(block, "", reason, content));
    };
    match marker {
        HISTORY => Some(history_block(draft, block)),
        INPUT => {
            let content = said(Role::User, &history::input(draft.scene))?;
            Some(entry(block, INPUT, "source", content))
        }
        _ => {
            let stored = draft.scene.context.get(marker);
            let reason = if stored.is_some() { "store" } else { "source" };
            let texts = sources::pieces(draft, marker).unwrap_or_default();
            if texts.is_empty() && block.empty.is_none() {
                return None;
            }
            let joint = if matches!(marker, "examples" | "mes_example") { "\n\n" } else { "\n" };
            let pieces = as_pieces(texts, block.role, joint);
            let mut entry = entry(block, marker, reason, framed(draft, block, pieces, joint));
            match draft.scene.source(marker).map(|source| source.give) {
                Some(Give::Turn(priority, section)) => {
                    entry.priority = priority;
                    entry.section = block.section.unwrap_or(section);
                }
                None if stored.is_some() => entry.priority = Priority::OTHER,
                _ => {}
            }
            Some(entry)
        }
    }
}

fn history_block(draft: &mut Draft, block: &Block) -> Contribution {
    let Told { pieces, trimmed, recap } = history::turns(draft.scene, block);
    let content = match block.form {
        Form::Messages => Content::Chat(pieces),
        Form::Transcript | Form::Past => framed(draft, block, pieces, "\n\n"),
    };
    let steady = Steady::of(draft.scene, block);
    Contribution { trimmed, steady, recap, ..entry(block, HISTORY, "source", content) }
}

/// A preset's own text. A card's takes the place of two of them (V2), unless the preset forbids it.
fn own_text(draft: &mut Draft, block: &Block) -> (String, &'static str) {
    let own = draft.preset_text(block.content.as_deref().unwrap_or_default());
    let card = &draft.scene.character.card;
    let card = match block.identifier.as_str() {
        "main" => &card.system_prompt,
        "jailbreak" => &card.post_history_instructions,
        _ => return (own, "preset"),
    };
    if block.forbid_overrides || card.trim().is_empty() {
        return (own, "preset");
    }
    (draft.replacing(card, &own), "card")
}

fn framed(draft: &mut Draft, block: &Block, pieces: Vec<Piece>, joint: &'static str) -> Content {
    let frame = block.content.as_deref().unwrap_or(SLOT);
    let (before, after) = match frame.split_once(SLOT) {
        Some((before, after)) => (before.to_owned(), after),
        None => (format!("{frame}\n"), ""),
    };
    let empty = block.empty.as_deref().map(|text| draft.preset_text(text));
    Content::Text { before: draft.preset_text(&before), pieces, joint, after: draft.preset_text(after), empty }
}

fn as_pieces(entries: Vec<Entry>, role: Role, joint: &str) -> Vec<Piece> {
    let joint_tokens = if entries.len() > 1 { estimate(joint) } else { 0 };
    let piece = |Entry { text, reason }| Piece {
        tokens: estimate(&text) + joint_tokens,
        said: vec![(role, text)],
        reason,
        ..Piece::default()
    };
    entries.into_iter().map(piece).collect()
}

/// A text of one piece.
fn one(text: String) -> Option<Content> {
    several(vec![Entry { text, ..Entry::default() }])
}

/// A text without a frame.
fn several(mut entries: Vec<Entry>) -> Option<Content> {
    entries.iter_mut().for_each(|entry| entry.text = entry.text.trim().to_owned());
    entries.retain(|entry| !entry.text.is_empty());
    let (before, after, joint) = (String::new(), String::new(), "\n");
    let pieces = as_pieces(entries, Role::System, joint);
    (!pieces.is_empty()).then_some(Content::Text { before, pieces, joint, after, empty: None })
}

/// One message of the chat.
fn said(role: Role, text: &str) -> Option<Content> {
    let piece = Piece {
        said: vec![(role, text.to_owned())],
        tokens: estimate(text) + PER_MESSAGE,
        must: true,
        ..Piece::default()
    };
    (!text.trim().is_empty()).then(|| Content::Chat(vec![piece]))
}

fn entry(block: &Block, source: &str, reason: &str, content: Content) -> Contribution {
    Contribution {
        identifier: block.identifier.clone(),
        name: block.name.clone(),
        source: source.to_owned(),
        role: block.role,
        section: block.section.unwrap_or(match source {
            HISTORY | sources::SUMMARY => Section::Middle,
            INPUT | "post_history" => Section::Tail,
            _ => Section::Head,
        }),
        priority: Priority::of(source),
        reason: reason.to_owned(),
        depth: block.depth.map(|depth| (depth, block.order)),
        content,
        trimmed: 0,
        shown_only: block.shown_only,
        steady: None,
        recap: None,
    }
}

/// Puts a text where it says that it stands.
fn placed_by_itself(draft: &Draft, name: &str, text: Vec<Entry>, place: Place, entries: &mut Vec<Contribution>) {
    let (role, depth) = match place {
        Place::Chat(depth, role) => (role, Some(depth)),
        Place::Prompt(role) | Place::First(role) => (role, None),
        Place::Nowhere => return,
    };
    let block = Block { identifier: name.to_owned(), role, depth, order: DEFAULT_ORDER, ..Block::default() };
    let block = Block { section: depth.map(|_| Section::Middle), ..block };
    let Some(content) = several(text) else { return };
    let told = entry(&block, name, "story", content);
    let at = match place {
        Place::First(_) => 0,
        Place::Prompt(_) => around(draft, entries).1,
        Place::Chat(..) | Place::Nowhere => entries.len(),
    };
    entries.insert(at, told);
}

/// What a feature puts at a depth for this turn.
fn for_the_turn(text: &AtDepth) -> Option<Contribution> {
    let AtDepth { source, identifier, name, entry: said, depth, order, role } = text;
    let block = Block {
        identifier: identifier.clone(),
        name: name.clone(),
        role: *role,
        section: Some(Section::Middle),
        depth: Some(*depth),
        order: *order,
        ..Block::default()
    };
    let content = several(vec![said.clone()])?;
    Some(Contribution { priority: Priority::LORE, ..entry(&block, source, "store", content) })
}

/// Says of what there was no room for that it is not there.
fn left_out((source, reasons): &(&'static str, Vec<String>)) -> Contribution {
    let block = Block { identifier: (*source).to_owned(), section: Some(Section::Middle), ..Block::default() };
    let reason = ["left_out"].into_iter().chain(reasons.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
    let (before, after) = (String::new(), String::new());
    let nothing = Content::Text { before, pieces: Vec::new(), joint: "\n", after, empty: None };
    Contribution { trimmed: reasons.len() as u32, ..entry(&block, source, &reason, nothing) }
}

/// The places before and after what tells of the character; where nothing does, after the instructions.
fn around(draft: &Draft, entries: &[Contribution]) -> (usize, usize) {
    let blocks = &draft.scene.preset.blocks;
    let is_of_the_character = |entry: &Contribution| {
        let block = blocks.iter().find(|block| block.identifier == entry.identifier);
        entry.depth.is_none() && block.is_some_and(sources::is_of_the_character)
    };
    let first = entries.iter().position(is_of_the_character);
    let last = entries.iter().rposition(is_of_the_character);
    let instructed =
        usize::from(entries.first().is_some_and(|first| first.role == Role::System && first.source != HISTORY));
    (first.unwrap_or(instructed), last.map_or(instructed, |last| last + 1))
}

/// Lore stands around the character where no block is its place.
fn around_the_character(draft: &mut Draft, entries: &mut Vec<Contribution>) {
    let blocks = &draft.scene.preset.blocks;
    let (before, after) = around(draft, entries);
    let places = [("lore_after", after), ("lore_before", before)];
    for (name, at) in places {
        if !blocks.iter().any(|block| sources::is_place(block, name)) {
            let block = Block { identifier: name.to_owned(), marker: Some(name.to_owned()), ..Block::default() };
            let lore = contribution(draft, &block);
            lore.into_iter().for_each(|lore| entries.insert(at, lore));
        }
    }
}

/// The reader's words must be a message of theirs, whatever the preset has; and a reply that is to go on stands last
/// where the history is a text.
fn answered(draft: &Draft, entries: &mut Vec<Contribution>) {
    let chats = |entry: &Contribution| matches!(entry.content, Content::Chat(_)) && entry.source == HISTORY;
    let heard = |entry: &Contribution| match &entry.content {
        Content::Chat(pieces) => pieces.iter().flat_map(|piece| &piece.said).any(|(role, _)| *role == Role::User),
        Content::Text { .. } => entry.role == Role::User && entry.depth.is_none(),
    };
    let tail = |name: &str, content| {
        let block = Block { identifier: name.into(), section: Some(Section::Tail), ..Block::default() };
        entry(&block, name, "answered", content)
    };
    if !entries.iter().any(heard) {
        entries.extend(said(Role::User, &history::input(draft.scene)).map(|content| tail(INPUT, content)));
    }
    if !entries.iter().any(chats) {
        let begun = history::begun(draft.scene).unwrap_or_default();
        entries.extend(said(Role::Assistant, begun).map(|content| tail(BEGUN, content)));
    }
}

/// Where several speak, whose words are wanted is said last: no preset need know of it. It is the reader's message, so that
/// a prompt never ends with what a character said.
fn whose_turn(draft: &mut Draft) -> Option<Contribution> {
    draft.scene.group?;
    let text = sources::text(draft, COMPANY)?;
    let block =
        Block { identifier: COMPANY.into(), role: Role::User, section: Some(Section::Tail), ..Block::default() };
    Some(Contribution { role: Role::User, ..entry(&block, COMPANY, "story", one(text)?) })
}

/// The source of a reply that is to go on.
pub const BEGUN: &str = "reply";
/// The source of the first words of a reply, which the sampling gives.
pub const PREFILL: &str = "prefill";
