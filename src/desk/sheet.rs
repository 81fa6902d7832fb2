//! Character sheet and plot summary as the notebook shows them: how they came to be what they are, and what was felt and
//! wanted meanwhile.

use std::collections::BTreeMap;

use super::{Desk, Stored};
use crate::{
    features::sheet::sections::sections,
    story::tree::{Node, Path},
    turn::{scene, sheet::Which},
};

/// Turns read at a time.
const WINDOW: u32 = 256;

/// A wording, and the turn from which on it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub turn: u32,
    pub text: String,
    /// Who wrote it; `None`: the reader.
    pub model: Option<String>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Emotion,
    Goal,
}

/// Something felt or wanted, and the turns through which the sheet told of it: from the first up to, but not with, the
/// last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub kind: Kind,
    pub text: String,
    pub spans: Vec<(u32, u32)>,
}

impl Desk {
    /// All wordings of a text on a path since a turn, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn versions(&self, path: &Path, since: u32, (text, whose): &Which) -> Stored<Vec<Version>> {
        let whose = whose.as_ref();
        let mut versions = Vec::new();
        let mut to = path.end;
        while to > since {
            let from = to.saturating_sub(WINDOW).max(since);
            let nodes = scene::window(&*self.ports.store, path, from, to).await?;
            for reply in nodes.iter().rev().filter_map(Node::reply) {
                // What the reader worded was worded after it was written.
                let worded = reply.worded(*text, whose);
                versions.extend(worded.map(|text| Version { turn: reply.position, text, model: None }));
                versions.extend(reply.written(*text, whose).map(|written| Version {
                    turn: reply.position,
                    text: written.text,
                    model: Some(written.model),
                }));
            }
            to = from;
        }
        Ok(versions)
    }
}

/// What the sheets of a path, the newest first, tell of feelings and goals; `end`: where the path ends.
pub fn lanes(versions: &[Version], end: u32) -> Vec<Lane> {
    let mut lanes: BTreeMap<(Kind, String), Lane> = BTreeMap::new();
    let mut order = Vec::new();
    let mut until: Vec<u32> = versions.iter().map(|version| version.turn).collect();
    until.insert(0, end);
    for (version, end) in versions.iter().zip(until).rev() {
        for (kind, text) in told(&version.text) {
            let key = (kind, text.to_lowercase());
            let lane = lanes.entry(key.clone()).or_insert_with(|| {
                order.push(key.clone());
                Lane { kind, text, spans: Vec::new() }
            });
            match lane.spans.last_mut().filter(|span| span.1 >= version.turn) {
                Some(span) => span.1 = span.1.max(end),
                None => lane.spans.push((version.turn, end)),
            }
        }
    }
    let mut all: Vec<Lane> = order.iter().filter_map(|key| lanes.remove(key)).collect();
    crate::story::order::by_key(&mut all, |lane| lane.kind);
    all
}

/// What a sheet tells of feelings and goals, a line each.
fn told(sheet: &str) -> Vec<(Kind, String)> {
    let of = |title: &str| {
        let title = title.to_lowercase();
        let is = |names: &[&str]| names.iter().any(|name| title.contains(name));
        if is(&["emotion", "mood", "feeling", "心情", "情绪", "情感"]) {
            Some(Kind::Emotion)
        } else if is(&["goal", "aim", "want", "目标", "愿望", "想要"]) {
            Some(Kind::Goal)
        } else {
            None
        }
    };
    let bare = |line: &str| line.trim().trim_start_matches(['-', '*', '•', '·']).trim().to_owned();
    let kinds = sections(sheet).into_iter().filter_map(|(title, text)| Some((of(title)?, text)));
    kinds
        .flat_map(|(kind, text)| text.lines().map(|line| (kind, bare(line))).collect::<Vec<_>>())
        .filter(|(_, line)| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feelings_and_goals_over_the_turns() {
        let version = |turn, text: &str| Version { turn, text: text.into(), model: None };
        let versions = [
            version(12, "## Emotions\n- weary\n## Goals\n- go home"),
            version(8, "## Emotions\n- calm\n## Goals\n- find Ada"),
            version(4, "## Emotions\n- Weary\n- afraid\n## Goals\n- find Ada\n## Other\n- x"),
        ];
        let lanes = lanes(&versions, 20);
        let drawn: Vec<_> = lanes.iter().map(|lane| (lane.kind, lane.text.as_str(), lane.spans.clone())).collect();
        use Kind::{Emotion, Goal};
        let expected = [
            (Emotion, "Weary", vec![(4, 8), (12, 20)]),
            (Emotion, "afraid", vec![(4, 8)]),
            (Emotion, "calm", vec![(8, 12)]),
            (Goal, "find Ada", vec![(4, 12)]),
            (Goal, "go home", vec![(12, 20)]),
        ];
        assert_eq!(drawn, expected);
        assert_eq!(super::lanes(&[], 3), []);
        assert_eq!(told("心情：平静\n目标：活着"), [(Emotion, "平静".into()), (Goal, "活着".into())]);
    }
}
