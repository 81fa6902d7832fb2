//! Texts of lorebooks: their library, their editor, and where they hang.

use super::{Language, fill, reasons::reason};
use crate::{
    desk::lorebooks::{KeyFault, NumberFault},
    story::lorebook::Position,
};

texts! {
    New: "新的世界书", "New lorebook";
    EditBook: "编辑世界书", "Edit lorebook";
    None: "还没有世界书。写一本，或导入 SillyTavern 的世界书（World Info）、V2/V3 的 character_book。", "No lorebooks yet. Write one, or import SillyTavern’s World Info or a V2/V3 character_book.";
    Hint: "条目的词在故事里出现时，它的内容就会告诉模型。世界书挂在角色、背景、一个故事，或所有故事上。", "Where an entry’s words come up in a story, the model is told its text. A lorebook hangs on a character, a background, a story, or on all stories.";
    NoneFound: "没有找到。", "None found.";
    Gone: "这本世界书不在这里了，也许在回收站里。", "This lorebook is not here any more; look in the bin.";
    Entries: "{} 条", "{} {entry|entries}";
    EntriesOff: "{} 条，关闭 {} 条", "{} {entry|entries}, {} off";
    HangsOn: "挂在 {} 处", "hangs on {} {place|places}";
    InAll: "所有故事", "all stories";
    Try: "试一段文字", "Try a text";
    TryText: "一段对话", "Something said";
    TryHint: "这段话会唤起哪些条目，为什么。概率、延迟和角色限制不计。", "Which entries it would bring up, and why. Chance, delays and limits to characters are not applied.";
    TryNothing: "没有条目会被唤起。", "It brings up no entry.";
    ForAll: "用在所有故事里", "In all stories";
    StillNamed: "它挂着的地方会等它回来。", "What it hangs on waits for it.";
    Lorebooks: "世界书", "Lorebooks";
    ExportV3: "导出为 V3", "Export as V3";
    // The book
    BookSettings: "这本书的设置", "Settings of the book";
    ScanDepth: "往回看几条消息", "Messages looked at";
    ScanDepthUnit: "条消息", "{message|messages}";
    AsStory: "留空：按故事的设置", "Empty: as the story says";
    AsBook: "留空：按这本书的设置", "Empty: as the book says";
    Budget: "条目最多占用", "Room for its entries";
    BudgetUnit: "tokens", "tokens";
    Recursive: "条目互相唤起", "Entries wake each other";
    AsTheStory: "按故事的设置", "As the story says";
    Yes: "是", "Yes";
    No: "否", "No";
    // The list
    List: "条目", "Entries";
    FindEntry: "查找条目", "Find an entry";
    Sort: "排序", "Sort";
    SortBook: "书中的顺序", "As in the book";
    SortOrder: "插入顺序", "By order";
    SortName: "名称", "By name";
    SortTokens: "篇幅", "By size";
    NewEntry: "新条目", "New entry";
    NoEntries: "还没有条目。", "No entries yet.";
    Sums: "{} 条，启用 {} 条，约 {} {token|tokens}", "{} {entry|entries}, {} on, about {} {token|tokens}";
    ChooseShown: "选中显示的 {} 条", "Select the {} shown";
    Chosen: "已选 {} 条", "{} selected";
    Choose: "选中“{}”", "Select “{}”";
    TurnOn: "启用", "Turn on";
    TurnOff: "关闭", "Turn off";
    MoveTo: "移到……", "Move to…";
    CopyTo: "抄到另一本……", "Copy to another…";
    CopiedTo: "已抄 {} 条到“{}”。", "Copied {} {entry|entries} to “{}”.";
    RemoveChosen: "删除", "Delete";
    Use: "启用“{}”", "Use “{}”";
    Unnamed: "（空条目）", "(empty entry)";
    Page: "{}–{}，共 {} 条", "{}–{} of {}";
    Earlier: "上一页", "Previous page";
    Later: "下一页", "Next page";
    Always: "始终", "always";
    FaultyKeys: "有键无法使用", "a key cannot be used";
    NumbersFirst: "有数字填错了，请先改好。", "A number is not right; mend it first.";
    // The entry
    Keys: "键（每行一个）", "Keys (one a line)";
    KeysHint: "有一个出现就告诉；/…/i 是正则。", "One of them has to come up; /…/i is a pattern.";
    SecondaryKeys: "次要键（每行一个，可留空）", "Secondary keys (one a line; may stay empty)";
    Logic: "次要键怎样才算", "What the secondary keys ask for";
    LogicAny: "至少有一个出现", "any of them comes up";
    LogicAll: "全部出现", "all of them come up";
    LogicNotAny: "一个都不出现", "none of them comes up";
    LogicNotAll: "没有全部出现", "not all of them come up";
    Content: "内容", "Text";
    ByMeaning: "意思相近时也告诉（🔗）", "Told where what is said is like it, too (🔗)";
    ByMeaningMark: "按意思", "by meaning";
    ByMeaningNeeds: "这需要一个计算向量的连接，现在没有。", "This takes a connection for embeddings; there is none.";
    Constant: "始终告诉，不看键", "Always told, whatever comes up";
    PlaceLabel: "放在哪里", "Where it is told";
    BeforeCharacter: "角色设定之前", "Before the character";
    AfterCharacter: "角色设定之后", "After the character";
    BeforeExamples: "示例对话之前", "Before the examples";
    AfterExamples: "示例对话之后", "After the examples";
    BeforeNote: "作者注之前", "Before the author’s note";
    AfterNote: "作者注之后", "After the author’s note";
    AtDepth: "聊天中的某一深度", "At a depth of the chat";
    AtDepthOf: "聊天深度 {}", "Depth {}";
    Depth: "深度", "Depth";
    DepthHint: "从最后一条消息往回数；0 在最后。", "Messages from the end; 0: at the end.";
    Role: "以谁的身份", "Told as";
    Order: "顺序", "Order";
    OrderHint: "小的在前。", "The lower, the earlier.";
    Probability: "概率", "Probability";
    Percent: "%", "%";
    More: "更多", "More";
    Scan: "怎样找", "How it is looked for";
    CaseSensitive: "区分大小写", "Case matters";
    WholeWords: "整词匹配", "Whole words only";
    AsSet: "按设置", "As set";
    Groups: "分组（用逗号隔开）", "Groups (with commas between)";
    Group: "分组：同一组里只告诉一条", "Groups: of those that share one, one is told";
    GroupWeight: "组内权重", "Weight in its groups";
    GroupFirst: "组内优先，不抽签", "Goes before the others, without a draw";
    Time: "时间", "Time";
    Sticky: "停留", "Stays";
    Cooldown: "冷却", "Rests";
    Delay: "推迟到", "Not before";
    Recursion: "互相唤起", "Waking each other";
    ExcludeRecursion: "别的条目不能唤起它", "Other entries do not wake it";
    PreventRecursion: "它不唤起别的条目", "It wakes no other entry";
    RecursionLevel: "只由别的条目唤起（第几层）", "Woken by other entries alone (level)";
    RecursionLevelHint: "0：聊天就能唤起。", "0: the chat wakes it.";
    Room: "篇幅不够时", "Where room is small";
    IgnoreBudget: "不受篇幅限制", "Told whatever room is left";
    Priority: "优先级", "Priority";
    PriorityHint: "小的先让位；留空按顺序。", "The lower, the sooner it gives way; empty: by order.";
    Whom: "对谁", "Of whom it is told";
    Names: "角色名（用逗号隔开）", "Characters (with commas between)";
    Tags: "标签（用逗号隔开）", "Tags (with commas between)";
    WhomHint: "都留空：对所有人。", "Both empty: anybody.";
    Exclude: "除了他们以外", "All but these";
    EntriesRemoved: "已删除 {} 个条目。", "Deleted {} {entry|entries}.";
    RemoveEntry: "删除这个条目", "Delete this entry";
    BrokenPattern: "正则写错了：{}", "This pattern cannot be read: {}";
    LongKey: "这个键有 {} 个字符，最多 1,000：{}", "This key has {} {character|characters}, 1,000 are allowed: {}";
    OutOfRange: "应是 {} 到 {} 之间的整数。", "A whole number from {} to {}.";
    // Where it hangs
    HungHint: "挂在这里的书，在用到它的故事里生效。", "What hangs here counts in each story that uses it.";
    HungNone: "还没有世界书。", "No lorebooks yet.";
    ToLibrary: "去世界书库", "To the library of lorebooks";
    HungGone: "不在了的一本（也许在回收站里）", "One that is gone (look in the bin)";
    CardBook: "这张卡自带一本世界书（{} 条）。", "The card carries a lorebook of its own ({} {entry|entries}).";
    TakeBook: "收进世界书库", "Take it into the library";
    BookTaken: "已收进世界书库，并挂在“{}”上。", "Taken into the library, and hung on “{}”.";
    // Out of a story
    ChosenBook: "放进哪一本", "Into which book";
    ChosenNew: "新的一本（挂在这个故事上）", "A new one (hangs on this story)";
    ChosenBookName: "新书的名字", "Name of the new book";
    ChosenKeep: "存入世界书", "Put it in";
    ChosenNoKeys: "至少要有一个键，否则它永远不会被唤起。", "It takes a key: without one, nothing would ever bring it up.";
    ChosenNoContent: "内容不能为空。", "The text is empty.";
    ChosenNoBookName: "新书要有名字。", "The new book takes a name.";
    ChosenGone: "这本书不在了，请另选一本。", "This book is gone; choose another.";
    ChosenKept: "“{}”已存入《{}》。", "“{}” is in “{}” now.";
    ChosenOpen: "打开这本书", "Open the book";
    // In a story
    LoreOn: "世界书会告诉模型", "The model is told what lorebooks say";
    StoryBooks: "这个故事的书", "Books of this story";
    BudgetPercent: "最多占提示词", "Share of the prompt at most";
    BudgetPercentUnit: "%", "%";
    BudgetTokens: "且不超过", "And no more than";
    BudgetTokensHint: "0：不另设上限。", "0: no bound beside.";
    MaxSteps: "最多唤起几层", "Levels of waking at most";
    MaxStepsHint: "0：直到没有新的。", "0: until nothing new comes up.";
    MostByMeaning: "按意思最多告诉", "Told by meaning, at most";
    MostByMeaningUnit: "条", "{entry|entries}";
    MostByMeaningHint: "0：只看键。需要计算向量的连接。", "0: keys alone. Takes a connection for embeddings.";
    Likeness: "相近程度至少", "Likeness at least";
    LikenessHint: "不同的嵌入模型数值不同。", "Models differ in the numbers that they give.";
    WithNames: "也看说话人的名字", "Who says it is looked at, too";
}

/// Where an entry is told.
pub fn position(position: Position) -> T {
    match position {
        Position::BeforeCharacter => T::BeforeCharacter,
        Position::AfterCharacter => T::AfterCharacter,
        Position::BeforeExamples => T::BeforeExamples,
        Position::AfterExamples => T::AfterExamples,
        Position::BeforeNote => T::BeforeNote,
        Position::AfterNote => T::AfterNote,
        Position::AtDepth => T::AtDepth,
    }
}

pub fn number_words(fault: NumberFault, language: Language) -> String {
    fill(T::OutOfRange.text(language), &[&fault.min.to_string(), &fault.max.to_string()])
}

pub fn key_words(fault: &KeyFault, language: Language) -> String {
    const QUOTED: usize = 40;
    let clip = |text: &str| text.chars().take(QUOTED).collect::<String>();
    match fault {
        KeyFault::Pattern { key, why } => {
            // The engine draws where it is over several lines; its last says what.
            let why = reason(why.lines().last().unwrap_or_default().trim(), language);
            fill(T::BrokenPattern.text(language), &[&format!("{} ({why})", clip(key))])
        }
        KeyFault::Long { key, chars } => {
            fill(T::LongKey.text(language), &[&chars.to_string(), &format!("{}…", clip(key))])
        }
    }
}
