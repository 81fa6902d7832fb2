//! Texts of the commands in the composer.

use super::Language;
use crate::desk::commands::{Unfit, Verb};

texts! {
    Title: "命令", "Commands";
    Hint: "上下键选择，Tab 补全，Enter 执行。要说以斜杠开头的话，写两个斜杠。", "Arrows choose, Tab completes, Enter does it. To say a line that begins with a slash, write two.";
    None: "没有叫这个名字的命令。", "There is no command of that name.";
    Unknown: "没有“/{}”这个命令。输入“/”可以看到全部。", "There is no command /{}. A slash alone shows them all.";
    Missing: "“/{}”后面还要写：{}。", "Still to be written after /{}: {}.";
    Odd: "“/{}”不明白“{}”。", "/{}: “{}” is not understood.";
    OddTakes: "“/{}”不明白“{}”。要写的是：{}。", "/{}: “{}” is not understood. It takes: {}.";
    NoReply: "这里还没有可以这样做的回复。", "There is no reply here yet to do that with.";
    NoWords: "最后的回复没有正文，接不下去；可以用 /重写 重新生成。", "The last reply has no words to go on from. /regenerate asks for it anew.";
    NoSuchReply: "这一轮有 {} 个回复。", "This turn has {} {reply|replies}.";
    Hidden: "抽走了 {} 轮。", "{} {turn was|turns were} taken out.";
    Unhidden: "放回了 {} 轮。", "{} {turn was|turns were} put back.";
    NoneToTell: "那里没有可以抽走或放回的轮次。", "There is no turn there to take out or to put back.";
    NoSuchTurn: "这条路上的轮次是 0 到 {}。", "The turns on this path are 0 to {}.";
    Busy: "先等这一轮结束，或者停下它。", "Wait for this turn to end, or stop it.";
    WriteForMe: "替我写", "Write for me";
    Impersonating: "正在替你想接下来说什么……", "Thinking of what you might say…";
    NotImpersonated: "模型没有写出你的话，再试一次吧。", "The model wrote none of your words; try again.";
    Named: "这一轮叫“{}”了。", "This turn is called “{}” now.";
    Saved: "已存为“{}”。", "Saved as “{}”.";
    NoteSet: "作者注已写好。", "The author’s note is written.";
    NoteOn: "作者注已开启。", "The author’s note is on.";
    NoteOff: "作者注已关闭。", "The author’s note is off.";
    NoNote: "还没有作者注。", "There is no author’s note yet.";
    WorldSet: "世界状态里，“{}”现在是“{}”。", "In the world, “{}” is “{}” now.";
    WorldRemoved: "世界状态里不再有“{}”。", "“{}” is gone from the world.";
    SheetOff: "这个故事没有开启角色状态卡（笔记本的“人物”一页可以开启）。", "This story writes no character sheet; the notebook’s persona tab switches it on.";
    SheetUpdated: "角色状态卡更新了。", "The character sheet was updated.";
    SheetFrozen: "角色状态卡不再自动更新。", "The character sheet is not updated of itself any more.";
    SheetUnfrozen: "角色状态卡又会自动更新了。", "The character sheet is updated of itself again.";
    SheetLocked: "已锁定：状态卡和剧情摘要一起更新。", "Locked: sheet and plot summary are updated together.";
    SheetUnlocked: "已解锁：状态卡和剧情摘要各自更新。", "Unlocked: sheet and plot summary are updated each by itself.";
    Summarised: "已汇总，新的会话从这里开始。", "Summarised: a new session begins here.";
}

/// What a verb does, and what it takes.
pub fn words(verb: Verb, language: Language) -> (&'static str, &'static str) {
    let [zh, en] = match verb {
        Verb::Continue => [("让最后的回复接着写", ""), ("lets the last reply go on", "")],
        Verb::Again => [("给最后一轮再写一个回复", ""), ("writes another reply to the last turn", "")],
        Verb::Swipe => [
            ("看最后一轮的另一个回复；过了末尾就新写一个", "下一个、上一个或第几个"),
            ("shows another reply of the last turn, a new one past the end", "next, prev or a number"),
        ],
        Verb::Impersonate => [
            ("替你写接下来要说的话，放进输入框", "大意"),
            ("writes what you say next, for you to change or send", "what it shall say"),
        ],
        Verb::Branch => [("从某一轮另开一条分支", "第几轮"), ("begins a branch at a turn", "number of the turn")],
        Verb::Go => [("跳到某一轮", "第几轮"), ("leads to a turn", "number of the turn")],
        Verb::Hide => [
            ("抽走最后一轮或这几轮：不再告诉模型", "第几轮，或从几到几，如 3-10"),
            ("takes the last turn or these out: no model is told them", "a turn, or several: 3-10"),
        ],
        Verb::Unhide => [
            ("把最后一轮或这几轮放回去", "第几轮，或从几到几，如 3-10"),
            ("puts the last turn or these back", "a turn, or several: 3-10"),
        ],
        Verb::Name => [("给最后一轮起名字", "名字"), ("names the last turn", "name")],
        Verb::Save => [("在这里存档", "存档的名字"), ("keeps a save point here", "name")],
        Verb::Summarise => [("汇总这次会话，开始新的会话", ""), ("summarises the session and begins a new one", "")],
        Verb::Note => {
            [("写下作者注；不写内容就开关它", "内容"), ("writes the author’s note; alone, switches it", "text")]
        }
        Verb::World => [
            ("改世界状态", "名字 = 值，或“删除 名字”"),
            ("changes the state of the world", "key = value, or remove key"),
        ],
        Verb::Sheet => [
            ("更新、暂停、改写或锁定角色状态卡", "更新、暂停、继续、编辑、锁定或解锁"),
            ("updates, pauses, edits or locks the character sheet", "update, freeze, unfreeze, edit, lock or unlock"),
        ],
        Verb::Search => [("在所有故事里找", "要找的词"), ("looks through all stories", "words")],
        Verb::Lore => [("打开世界书", ""), ("opens the lorebooks", "")],
        Verb::Prompt => [("看模型读到了什么", ""), ("shows what the model was told", "")],
        Verb::Read => [("只看故事，别的都收起来", ""), ("shows the story and nothing else", "")],
        Verb::Aloud => [("朗读，从某一轮开始", "第几轮"), ("reads aloud, from a turn on", "number of the turn")],
        Verb::Export => [("把这个故事存成文件", ""), ("saves the story as a file", "")],
    };
    language.pick(zh, en)
}

/// Why a line is no command that can be done.
pub fn unfit(why: &Unfit, language: Language) -> String {
    let name = |verb: Verb| verb.names()[language.pick(1, 0)];
    match why {
        Unfit::Unknown(written) => T::Unknown.with(&[written])(language),
        Unfit::Missing(verb) => T::Missing.with(&[name(*verb), words(*verb, language).1])(language),
        Unfit::Odd(verb, said) => match words(*verb, language).1 {
            "" => T::Odd.with(&[name(*verb), said])(language),
            takes => T::OddTakes.with(&[name(*verb), said, takes])(language),
        },
    }
}
