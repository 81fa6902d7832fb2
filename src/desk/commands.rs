//! Commands in the composer: what a line that begins with a slash asks for (D5).

use std::ops::RangeInclusive;

use crate::story::world::{WorldEdit, typed};

/// What can be asked for, in the order in which it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Continue,
    Again,
    Swipe,
    Impersonate,
    Branch,
    Go,
    Hide,
    Unhide,
    Name,
    Save,
    Summarise,
    Note,
    World,
    Sheet,
    Search,
    Lore,
    Prompt,
    Read,
    Aloud,
    Export,
}

/// What follows a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// It does something without it, too.
    Maybe,
    Words,
}

impl Verb {
    pub const ALL: &[Self] = &[
        Self::Continue,
        Self::Again,
        Self::Swipe,
        Self::Impersonate,
        Self::Branch,
        Self::Go,
        Self::Hide,
        Self::Unhide,
        Self::Name,
        Self::Save,
        Self::Summarise,
        Self::Note,
        Self::World,
        Self::Sheet,
        Self::Search,
        Self::Lore,
        Self::Prompt,
        Self::Read,
        Self::Aloud,
        Self::Export,
    ];

    /// Its names: the one that is completed, the Chinese one, and what else is understood.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Continue => &["continue", "续写", "cont"],
            Self::Again => &["regenerate", "重写", "regen", "again", "retry"],
            Self::Swipe => &["swipe", "换一个"],
            Self::Impersonate => &["impersonate", "代我写", "imp"],
            Self::Branch => &["branch", "分支"],
            Self::Go => &["go", "跳到", "goto"],
            Self::Hide => &["hide", "抽走"],
            Self::Unhide => &["unhide", "放回"],
            Self::Name => &["name", "命名"],
            Self::Save => &["save", "存档", "savepoint", "checkpoint"],
            Self::Summarise => &["summarise", "汇总", "总结", "summarize", "summary"],
            Self::Note => &["note", "作者注", "authornote"],
            Self::World => &["world", "世界", "setvar"],
            Self::Sheet => &["sheet", "状态卡"],
            Self::Search => &["search", "搜索", "find"],
            Self::Lore => &["lore", "世界书", "wi"],
            Self::Prompt => &["prompt", "提示词", "inspect"],
            Self::Read => &["read", "阅读"],
            Self::Aloud => &["aloud", "朗读"],
            Self::Export => &["export", "导出"],
        }
    }

    pub fn takes(self) -> Takes {
        match self {
            Self::Continue | Self::Again | Self::Summarise | Self::Lore | Self::Prompt | Self::Read | Self::Export => {
                Takes::Nothing
            }
            Self::Swipe | Self::Impersonate | Self::Branch | Self::Note | Self::Aloud | Self::Hide | Self::Unhide => {
                Takes::Maybe
            }
            Self::Go | Self::Name | Self::Save | Self::World | Self::Sheet | Self::Search => Takes::Words,
        }
    }

    /// What stands in the composer where it is chosen.
    pub fn line(self) -> String {
        let name = self.names()[0];
        if self.takes() == Takes::Nothing { format!("/{name}") } else { format!("/{name} ") }
    }
}

/// A command that can be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Continue,
    Again,
    Swipe(Swipe),
    /// The reader's next words are written into the composer; what they shall say, or nothing.
    Impersonate(String),
    /// From this turn on; `None`: from the one before the last.
    Branch(Option<u32>),
    Go(u32),
    /// These turns are not told any more, or are again; `None`: the last.
    Hide(Option<RangeInclusive<u32>>),
    Unhide(Option<RangeInclusive<u32>>),
    Name(String),
    Save(String),
    Summarise,
    /// Another text; none switches it off or on.
    Note(Option<String>),
    World(WorldEdit),
    Sheet(Sheet),
    Search(String),
    Lore,
    Prompt,
    /// Only the story is seen.
    Read,
    /// From this turn on; `None`: the last.
    Aloud(Option<u32>),
    Export,
}

/// What is done with the character sheet (`002`, 5.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    Update,
    Freeze,
    Unfreeze,
    Edit,
    Lock,
    Unlock,
}

/// Which reply of the last turn is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swipe {
    /// A new one after the last.
    Next,
    Previous,
    /// Counted from 1.
    To(u32),
}

/// Why a line is no command that can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    Unknown(String),
    /// It says too little.
    Missing(Verb),
    /// This is not what it takes.
    Odd(Verb, String),
}

/// Whether a line asks for something, and is not said. Two slashes say a line that begins with one.
pub fn is_command(line: &str) -> bool {
    after_slash(line).is_some()
}

/// What is said where a line begins with two slashes.
pub fn said(line: &str) -> &str {
    if line.starts_with("//") { &line[1..] } else { line }
}

/// Where words that are said come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Composer,
    /// What stands in the composer is none of it.
    Button,
}

impl Source {
    /// What is said where it is tried again: in the composer it may have been changed meanwhile.
    pub fn again<'t>(self, said: &'t str, composed: &'t str) -> &'t str {
        match self {
            Self::Composer => composed,
            Self::Button => said,
        }
    }

    /// What stays in the composer once the words are stored: of its own, what was typed after them.
    pub fn left<'t>(self, said: &str, composed: &'t str) -> &'t str {
        match self {
            Self::Composer => composed.strip_prefix(said).unwrap_or(composed),
            Self::Button => composed,
        }
    }
}

fn after_slash(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['/', '／'])?;
    (!rest.starts_with(['/', '／']) && !rest.starts_with(char::is_whitespace)).then_some(rest)
}

/// The verb as far as it is written, and what follows it.
fn split(rest: &str) -> (&str, Option<&str>) {
    match rest.split_once(char::is_whitespace) {
        Some((verb, words)) => (verb, Some(words.trim())),
        None => (rest, None),
    }
}

fn named(written: &str) -> Option<Verb> {
    let written = written.to_lowercase();
    Verb::ALL.iter().copied().find(|verb| verb.names().contains(&written.as_str()))
}

/// The verbs that a line may become; of one that is written out, that one.
pub fn complete(line: &str) -> Vec<Verb> {
    let Some(rest) = after_slash(line) else { return Vec::new() };
    let (written, words) = split(rest);
    if words.is_some() {
        return named(written).into_iter().collect();
    }
    let written = written.to_lowercase();
    let begins = |verb: &&Verb| verb.names().iter().any(|name| name.starts_with(&written));
    Verb::ALL.iter().filter(begins).copied().collect()
}

/// What a line becomes by the nth of the verbs that it may become; `None`: it has one, and what follows it is the
/// reader's.
pub fn completed(line: &str, nth: usize) -> Option<String> {
    let is_verb_alone = split(after_slash(line)?).1.is_none();
    let verb = complete(line).get(nth).copied().filter(|_| is_verb_alone)?;
    Some(verb.line()).filter(|completed| completed != line)
}

/// The command of a line; `None`: it is none.
///
/// # Errors
/// Why it cannot be done.
pub fn read(line: &str) -> Option<Result<Command, Unfit>> {
    let (written, words) = split(after_slash(line.trim_end())?);
    Some(
        named(written)
            .ok_or_else(|| Unfit::Unknown(written.to_owned()))
            .and_then(|verb| command(verb, words.unwrap_or_default())),
    )
}

fn command(verb: Verb, words: &str) -> Result<Command, Unfit> {
    match (verb.takes(), words.is_empty()) {
        (Takes::Words, true) => return Err(Unfit::Missing(verb)),
        (Takes::Nothing, false) => return Err(Unfit::Odd(verb, words.to_owned())),
        _ => {}
    }
    let odd = || Unfit::Odd(verb, words.to_owned());
    let number = || words.parse::<u32>().map_err(|_| odd());
    Ok(match verb {
        Verb::Continue => Command::Continue,
        Verb::Again => Command::Again,
        Verb::Swipe => Command::Swipe(match words.to_lowercase().as_str() {
            "" | "next" | "right" | "下一个" => Swipe::Next,
            "prev" | "previous" | "left" | "上一个" => Swipe::Previous,
            _ => Swipe::To(number()?),
        }),
        Verb::Impersonate => Command::Impersonate(words.to_owned()),
        Verb::Branch if words.is_empty() => Command::Branch(None),
        Verb::Branch => Command::Branch(Some(number()?)),
        Verb::Aloud if words.is_empty() => Command::Aloud(None),
        Verb::Aloud => Command::Aloud(Some(number()?)),
        Verb::Go => Command::Go(number()?),
        Verb::Hide => Command::Hide(turns(words).ok_or_else(odd)?),
        Verb::Unhide => Command::Unhide(turns(words).ok_or_else(odd)?),
        Verb::Name => Command::Name(words.to_owned()),
        Verb::Save => Command::Save(words.to_owned()),
        Verb::Summarise => Command::Summarise,
        Verb::Note => Command::Note((!words.is_empty()).then(|| words.to_owned())),
        Verb::World => Command::World(world(words).ok_or_else(odd)?),
        Verb::Sheet => Command::Sheet(match words.to_lowercase().as_str() {
            "update" | "更新" => Sheet::Update,
            "freeze" | "pause" | "暂停" => Sheet::Freeze,
            "unfreeze" | "resume" | "继续" => Sheet::Unfreeze,
            "edit" | "改" | "编辑" => Sheet::Edit,
            "lock" | "锁定" => Sheet::Lock,
            "unlock" | "解锁" => Sheet::Unlock,
            _ => return Err(odd()),
        }),
        Verb::Search => Command::Search(words.to_owned()),
        Verb::Lore => Command::Lore,
        Verb::Prompt => Command::Prompt,
        Verb::Read => Command::Read,
        Verb::Export => Command::Export,
    })
}

/// `12`, `3-10`, or nothing.
fn turns(words: &str) -> Option<Option<RangeInclusive<u32>>> {
    if words.is_empty() {
        return Some(None);
    }
    let (first, last) = words.split_once(['-', '–', '—', '~', '～']).unwrap_or((words, words));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some(Some(first..=last))
}

/// `set lamp = lit`, `set lamp lit`, `lamp = lit`, `remove lamp`.
fn world(words: &str) -> Option<WorldEdit> {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let rest = rest.trim();
    match first.to_lowercase().as_str() {
        "remove" | "delete" | "unset" | "删除" => {
            (!rest.is_empty()).then(|| WorldEdit::Remove { key: rest.to_owned() })
        }
        "set" | "设为" | "设" => put(rest),
        _ => put(words),
    }
}

fn put(words: &str) -> Option<WorldEdit> {
    let (key, value) = words.split_once(['=', '＝']).or_else(|| words.split_once(char::is_whitespace))?;
    let (key, value) = (key.trim(), value.trim());
    (!key.is_empty() && !value.is_empty()).then(|| WorldEdit::Put { key: key.to_owned(), value: typed(value) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_a_button_and_those_that_are_composed() {
        let (said, composed) = ("I look.", "I look. And I");
        assert_eq!(
            (Source::Composer.again(said, composed), Source::Composer.left(said, composed)),
            (composed, " And I")
        );
        assert_eq!((Source::Button.again(said, composed), Source::Button.left(said, composed)), (said, composed));
        assert_eq!((Source::Button.again(said, ""), Source::Composer.left(said, "mine")), (said, "mine"));
    }

    #[test]
    fn what_a_line_asks_for() {
        let check = |line: &str, expected: Option<Result<Command, Unfit>>| assert_eq!(read(line), expected, "{line}");
        let does = |line: &str, command: Command| check(line, Some(Ok(command)));
        let odd = |line: &str, verb, words: &str| check(line, Some(Err(Unfit::Odd(verb, words.into()))));
        check("I open the door.", None);
        check("// I say a slash", None);
        check("/ no", None);
        does("/continue", Command::Continue);
        does("／续写 ", Command::Continue);
        does("/REGEN", Command::Again);
        does("/hide", Command::Hide(None));
        does("/hide 3-10", Command::Hide(Some(3..=10)));
        does("/放回 4", Command::Unhide(Some(4..=4)));
        odd("/hide 9-3", Verb::Hide, "9-3");
        odd("/unhide all", Verb::Unhide, "all");
        does("/aloud 2", Command::Aloud(Some(2)));
        does("/阅读", Command::Read);
        does("/swipe", Command::Swipe(Swipe::Next));
        does("/swipe left", Command::Swipe(Swipe::Previous));
        does("/换一个 3", Command::Swipe(Swipe::To(3)));
        odd("/swipe up", Verb::Swipe, "up");
        does("/impersonate", Command::Impersonate(String::new()));
        does("/代我写 问那封信", Command::Impersonate("问那封信".into()));
        does("/branch", Command::Branch(None));
        does("/branch 12", Command::Branch(Some(12)));
        does("/go  7", Command::Go(7));
        odd("/go seven", Verb::Go, "seven");
        check("/go", Some(Err(Unfit::Missing(Verb::Go))));
        does("/save Before the storm", Command::Save("Before the storm".into()));
        does("/note", Command::Note(None));
        does("/note keep it short\nand dark", Command::Note(Some("keep it short\nand dark".into())));
        odd("/summarise now", Verb::Summarise, "now");
        check("/sing a song", Some(Err(Unfit::Unknown("sing".into()))));
        let put = |key: &str, value| Command::World(WorldEdit::Put { key: key.into(), value });
        does("/world set lamp lit", put("lamp", json!("lit")));
        does("/world oil jars = 3", put("oil jars", json!(3)));
        does("/世界 设 灯 ＝ 亮着", put("灯", json!("亮着")));
        does("/world remove oil jars", Command::World(WorldEdit::Remove { key: "oil jars".into() }));
        odd("/world set lamp", Verb::World, "set lamp");
        does("/sheet update", Command::Sheet(Sheet::Update));
        does("/状态卡 解锁", Command::Sheet(Sheet::Unlock));
        odd("/sheet burn", Verb::Sheet, "burn");
        check("/sheet", Some(Err(Unfit::Missing(Verb::Sheet))));
    }

    #[test]
    fn what_a_line_may_become() {
        assert_eq!(complete("/"), Verb::ALL);
        assert_eq!(complete("/s"), [Verb::Swipe, Verb::Save, Verb::Summarise, Verb::World, Verb::Sheet, Verb::Search]);
        assert_eq!(complete("/世"), [Verb::World, Verb::Lore]);
        assert_eq!(complete("/world x"), [Verb::World]);
        assert_eq!(complete("/worl x"), []);
        assert_eq!(complete("words"), []);
        for verb in Verb::ALL {
            assert!(complete(&verb.line()).contains(verb), "{verb:?}");
        }
        assert_eq!((said("//me waves"), said("a // b")), ("/me waves", "a // b"));
    }

    #[test]
    fn no_name_is_taken_twice() {
        let mut names: Vec<&str> = Verb::ALL.iter().flat_map(|verb| verb.names()).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
