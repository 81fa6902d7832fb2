//! Folders of other programs (SillyTavern's `data`, what RisuAI's backup is read as, or a mere heap of cards): what a file in one is, by where it lies. What
//! it holds is still told by its content alone.

pub mod group;
pub mod settings;

/// What a file is taken for, in the order in which files are taken: who comes in before what speaks of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// SillyTavern's `settings.json`: of it, personas and regex scripts.
    Settings,
    Personas,
    /// The face of a persona.
    Face,
    Lorebook,
    Character,
    /// A picture of a character for one of their feelings.
    Sprite,
    Background,
    Preset,
    Scripts,
    QuickReplies,
    /// Something else that may be one of these.
    Any,
    /// Who is in a group.
    Group,
    Chat,
    Left(Why),
}

/// Why a file is left where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It holds keys. It is not even opened.
    Secret,
    /// A copy that its program made of something else: small pictures, older states, indexes.
    Copy,
    /// How its program looks, or keeps house: themes, statistics, extensions.
    Program,
    /// Pictures and sounds that belong to no card.
    Media,
    /// Who is in a group of another program than SillyTavern; the group's chats come as stories.
    Group,
    /// Who is in a group: its chats come as stories with them.
    Members,
    /// Of a form that is not read here, and of its program alone.
    Form,
    /// Its program has thrown it away.
    Thrown,
    /// A conversation in which nothing has been said.
    Empty,
    /// More pictures than a card may have.
    Large,
    /// Samplers, of which a program brings dozens: a preset where they are given alone.
    Samplers,
    /// The same of templates for text completion.
    Templates,
    /// Of no kind that is known.
    Unknown,
}

/// What the file at a path is. Paths are by `/`, from wherever the folder begins.
pub fn role(path: &str) -> Role {
    let lower = path.to_lowercase();
    let parts: Vec<&str> = lower.split('/').filter(|part| !part.is_empty()).collect();
    let Some((name, folders)) = parts.split_last() else { return Role::Left(Why::Unknown) };
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if *name == "secrets.json" || name.starts_with(".env") || *name == "config.yaml" || *name == "cookie-secret.txt" {
        return Role::Left(Why::Secret);
    }
    if parts.iter().any(|part| part.starts_with('.') || *part == "__macosx" || *part == "node_modules") {
        return Role::Left(Why::Program);
    }
    let is_text = matches!(ending, "json" | "jsonl" | "txt" | "md");
    let is_picture = matches!(ending, "png" | "apng" | "webp" | "jpg" | "jpeg" | "gif" | "avif" | "bmp" | "svg");
    // The innermost folder with a meaning of its own.
    for (depth, folder) in folders.iter().enumerate().rev() {
        let is_last = depth + 1 == folders.len();
        let role = match *folder {
            "characters" if is_last => match ending {
                "png" | "apng" | "webp" | "jpg" | "jpeg" | "json" | "charx" | "byaf" | "yaml" | "yml" => {
                    Role::Character
                }
                _ => Role::Left(Why::Unknown),
            },
            // In a folder for each; what lies deeper is another costume.
            "characters" if is_picture && depth + 2 == folders.len() => Role::Sprite,
            "characters" if is_picture => Role::Left(Why::Media),
            "chats" | "group chats" if is_text => Role::Chat,
            "groups" if ending == "json" => Role::Group,
            "groups" => Role::Left(Why::Group),
            "worlds" | "lorebooks" if ending == "json" => Role::Lorebook,
            "textgen settings" | "koboldai settings" | "novelai settings" => Role::Left(Why::Samplers),
            "context" | "instruct" | "reasoning" if ending == "json" => Role::Left(Why::Templates),
            "openai settings" | "sysprompt" | "presets" if ending == "json" => Role::Preset,
            "quickreplies" if ending == "json" => Role::QuickReplies,
            "user avatars" if is_picture => Role::Face,
            "thumbnails" | "backups" | "vectors" | "_cache" | "_uploads" | "_webpack" => Role::Left(Why::Copy),
            "themes" | "movingui" | "extensions" | "_storage" | "_css" | "workflows" => Role::Left(Why::Program),
            "backgrounds" if is_picture || matches!(ending, "mp4" | "webm") => Role::Left(Why::Media),
            "assets" | "user" if !is_text => Role::Left(Why::Media),
            _ => continue,
        };
        return role;
    }
    match *name {
        "settings.json" => Role::Settings,
        "stats.json" | "content.log" | "manifest.json" | "package.json" => Role::Left(Why::Program),
        _ => match ending {
            "jsonl" => Role::Chat,
            "json" | "png" | "apng" | "webp" | "jpg" | "jpeg" | "charx" | "byaf" | "yaml" | "yml" | "lorebook"
            | "scenario" => Role::Any,
            "gif" | "avif" | "bmp" | "svg" | "mp4" | "webm" | "mp3" | "ogg" | "wav" => Role::Left(Why::Media),
            _ => Role::Left(Why::Unknown),
        },
    }
}

/// What a file is called, without folders and ending.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The folder that it lies in: of a chat, whom it is with.
pub fn parent(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_where_it_lies() {
        for (path, expected) in [
            ("data/default-user/settings.json", Role::Settings),
            ("default-user/characters/Ada.png", Role::Character),
            ("data/default-user/characters/Ada/joy.png", Role::Sprite),
            ("characters/Ada/winter/joy.png", Role::Left(Why::Media)),
            ("chats/Ada/Ada - 2026-01-01.jsonl", Role::Chat),
            ("group chats/1.jsonl", Role::Chat),
            ("groups/1.json", Role::Group),
            ("groups/1.png", Role::Left(Why::Group)),
            ("worlds/Eldoria.json", Role::Lorebook),
            ("OpenAI Settings/Mine.json", Role::Preset),
            ("TextGen Settings/Mine.json", Role::Left(Why::Samplers)),
            ("context/Mine.json", Role::Left(Why::Templates)),
            ("instruct/ChatML.json", Role::Left(Why::Templates)),
            ("reasoning/DeepSeek.json", Role::Left(Why::Templates)),
            ("sysprompt/Mine.json", Role::Preset),
            ("QuickReplies/Set.json", Role::QuickReplies),
            ("User Avatars/me.png", Role::Face),
            ("thumbnails/avatar/Ada.png", Role::Left(Why::Copy)),
            ("backups/chat_ada_1.jsonl", Role::Left(Why::Copy)),
            ("themes/Dark.json", Role::Left(Why::Program)),
            ("backgrounds/inn.jpg", Role::Left(Why::Media)),
            ("user/images/Ada/1.png", Role::Left(Why::Media)),
            ("data/default-user/secrets.json", Role::Left(Why::Secret)),
            ("__MACOSX/characters/._Ada.png", Role::Left(Why::Program)),
            (".git/config", Role::Left(Why::Program)),
            ("my cards/Ada.webp", Role::Any),
            ("Ada.charx", Role::Any),
            ("isle.lorebook", Role::Any),
            ("night.scenario", Role::Any),
            ("characters/Ada.yaml", Role::Character),
            ("book.json", Role::Any),
            ("log.jsonl", Role::Chat),
            ("song.mp3", Role::Left(Why::Media)),
            ("run.exe", Role::Left(Why::Unknown)),
            ("", Role::Left(Why::Unknown)),
        ] {
            assert_eq!(role(path), expected, "{path}");
        }
        assert_eq!((stem("chats/Ada/a.b.jsonl"), parent("chats/Ada/a.b.jsonl")), ("a.b", "Ada"));
        assert_eq!((stem("x"), parent("x")), ("x", ""));
        assert!(Role::Settings < Role::Character && Role::Character < Role::Sprite && Role::Any < Role::Chat);
    }
}
