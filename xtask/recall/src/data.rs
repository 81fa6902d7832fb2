//! Conversations with labelled questions, and the sets that they make up.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

/// One file. `source` names the set that it is part of.
#[derive(Debug, Deserialize)]
pub struct Conversation {
    #[serde(default)]
    pub source: String,
    /// None: the turns are memories that stand alone, and the questions are the last utterances of a talk.
    #[serde(default)]
    pub speakers: Vec<String>,
    pub turns: Vec<Turn>,
    pub questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
pub struct Turn {
    pub id: String,
    /// Number of its session.
    #[serde(rename = "s", default)]
    pub session: u32,
    #[serde(default)]
    pub date: String,
    #[serde(default)]
    pub who: String,
    pub text: String,
    /// What a photo shows that was sent along.
    pub cap: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Question {
    pub q: String,
    #[serde(default)]
    pub cat: String,
    /// Turns that hold the answer.
    pub ev: Vec<String>,
    /// Turns that held it once: the newest version must come before them.
    #[serde(default)]
    pub old: Vec<String>,
    /// Words that a model would add to the question, which it made from the question alone.
    #[serde(default)]
    pub more: Vec<String>,
}

/// Conversations of one source: each is searched by itself, and their questions are counted together.
pub struct Set {
    pub name: String,
    pub conversations: Vec<Conversation>,
}

/// All sets of a folder, by name.
pub fn read(folder: &Path) -> Result<Vec<Set>, String> {
    let told = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| told(folder, &error))? {
        let path = entry.map_err(|error| told(folder, &error))?.path();
        if path.extension().is_some_and(|end| end == "json") {
            files.push(path);
        }
    }
    files.sort();
    let mut sets: BTreeMap<String, Vec<Conversation>> = BTreeMap::new();
    for path in &files {
        let text = fs::read_to_string(path).map_err(|error| told(path, &error))?;
        let conversation: Conversation = serde_json::from_str(&text).map_err(|error| told(path, &error))?;
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = if conversation.source.is_empty() { &file } else { &*conversation.source };
        // "MemoryBank-SiliconFriend" and "memorybank-liu-lin" are called by their first word.
        let name = name.split('-').next().unwrap_or(name).to_owned();
        sets.entry(name).or_default().push(conversation);
    }
    if sets.is_empty() {
        return Err(format!("{} holds no conversations (*.json)", folder.display()));
    }
    Ok(sets.into_iter().map(|(name, conversations)| Set { name, conversations }).collect())
}
