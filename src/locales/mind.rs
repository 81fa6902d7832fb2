//! Texts of the story's mind: persona, plot and the notes under a turn.

use super::{Language, fill};
use crate::story::{
    condition::{ConditionFault, What},
    world::Refusal,
};

texts! {
    // Replies
    StateUpdate: "状态更新", "State update";
    NothingShown: "（这条回复没有可读的正文，全部内容都收在折叠里。）", "(This reply has nothing to read: all of it is folded away.)";
    ReadingNoted: "读这条回复时留意到 {} 处", "Noticed while reading this reply: {}";
    NoteSheet: "角色状态卡更新了", "The character sheet was updated";
    NoteSheetOf: "{}的状态卡更新了", "{}’s sheet was updated";
    NotePlotSummary: "剧情摘要更新了", "The plot summary was updated";
    NoteReadingNoted: "读书记的笔记时留意到 {} 处", "Noticed while reading the scribe’s note: {}";
    TryAgain: "再试一次", "Try again";
    // Where the story stands
    NowOpen: "还没了结", "Open";
    NowPlot: "剧情", "Plot";
    NowWorld: "世界里刚变的", "Changed in the world";
    NowLately: "最近的变化", "Lately";
    NowNothing: "还没有记下什么。故事往下走，变化会出现在这里：人物、剧情、世界，以及各自的缘由。", "Nothing is noted yet. As the story goes on, what changes stands here: the character, the plot, the world, each with its cause.";
    NowGoals: "人物的全部", "All of the character";
    // Notes under a turn
    Changes: "{} 处变化", "{} {change|changes}";
    NoChange: "没有变化", "No change";
    NoteRelationMoved: "对{}：{} → {}", "To {}: {} → {}";
    NoteRelation: "关系 · {}", "Relationship · {}";
    NotePhysicalMoved: "身体：{} → {}", "Body: {} → {}";
    NotePhysical: "身体 · {}", "Body · {}";
    NoteBelief: "信念 · {}", "Belief · {}";
    NotePattern: "行为模式 · {}", "Pattern · {}";
    NoteEmotion: "情绪 · {}", "Feeling · {}";
    NoteGoal: "目标 · {}", "Goal · {}";
    NoteMajorSaid: "重大事件：回复自己这样说", "A major event: the reply says so";
    NoteMajor: "重大事件：{}", "A major event: {}";
    NoteMajorRelation: "重大事件：与{}的关系变了", "A major event: how things stand with {}";
    NoteMajorBelief: "重大事件：信念来自“{}”", "A major event: a belief formed from “{}”";
    NoteHeld: "成长等你决定：{}", "Growth waits for your word: {}";
    NoteMaintained: "整理了人格：去掉 {} 条旧的或重复的", "Persona tidied: {} old or double {item|items} removed";
    NotePlotCompleted: "剧情点 {} 完成：{}", "Point {} completed: {}";
    NotePlotBegun: "剧情点 {} 进行中：{}", "Point {} in progress: {}";
    NotePlotPending: "剧情点 {} 待开始：{}", "Point {} pending: {}";
    NotePlotBack: "剧情从第 {} 点回到第 {} 点：{}", "The plot went back from point {} to {}: {}";
    NoteWorld: "世界 · {}：{}", "World · {}: {}";
    NoteWorldMoved: "世界 · {}：{} → {}", "World · {}: {} → {}";
    NoteWorldGone: "世界 · {} 不再有了", "World · {} is no more";
    NoteEventBegins: "事件开始：{}", "Event begins: {}";
    NoteEventSettled: "事件了结：{}", "Event settled: {}";
    // Plot
    DirectorOn: "导演跟随大纲", "The director follows the outline";
    PersonaOn: "人格随故事变化", "The persona changes with the story";
    CircleOn: "故事里记得朋友圈的事", "It remembers the circle in this story";
    CircleTells: "朋友圈里知道这个故事", "The circle knows of this story";
    StatusCompleted: "已完成", "completed";
    StatusInProgress: "进行中", "in progress";
    StatusPending: "待开始", "pending";
    SinceTurn: "{} · 自第 {} 轮", "{} · since turn {}";
    SinceStart: "{} · 自开头", "{} · since the beginning";
    MarkAs: "标记为", "Mark as";
    MovePoint: "移动到剧情点 {}", "Move to point {}";
    NoProgress: "{} 轮没有进展；到 {} 轮时导演会提醒", "{} {turn|turns} without progress; the director reminds at {}";
    NoProgressDue: "{} 轮没有进展；导演正在提醒第 {} 点", "{} {turn|turns} without progress; the director is reminding of point {}";
    JustMoved: "这一轮有进展", "The newest turn made progress";
    OutlineFinished: "大纲的剧情点都已完成，导演不再提醒。", "Every point of the outline is completed; the director does not remind.";
    OutlineBeyond: "故事在第 {} 点，这份大纲只有 {} 点；导演不提醒。要继续沿大纲走，请把某一点标记为进行中。", "The story stands at point {}, and this outline has {}; the director does not remind. To go on along it, mark a point as in progress.";
    ReminderUnplaced: "这个预设没有放导演提醒的位置，导演不会提醒。", "This preset has no place for the director’s reminder: there will be none.";
    DirectorOff: "导演没有开启，大纲只作参考。", "The director is off: the outline stands by itself.";
    // Persona
    CoreLayer: "核心 · 从不改变", "Core · never changes";
    GrowthLayer: "成长 · 缓慢改变", "Growth · changes slowly";
    CurrentLayer: "当前 · 随时改变", "Present · changes often";
    EvolvedLayer: "成长人格", "Evolved persona";
    CoreTraits: "核心特质", "Core traits";
    BasePersona: "初始人格", "Base persona";
    KindBelief: "信念", "Belief";
    KindPattern: "行为模式", "Pattern";
    KindRelationship: "关系", "Relationship";
    KindEmotion: "情绪", "Feeling";
    KindGoal: "眼前的目标", "Immediate goal";
    KindPhysical: "身体", "Body";
    FieldFormedFrom: "来由", "Formed from";
    FieldEntity: "对谁", "To whom";
    FieldStatus: "如今", "How it stands";
    FieldHistory: "经过", "How it came about";
    FieldContext: "情境", "Context";
    FieldReason: "缘由", "Reason";
    RelationSentence: "对{}：{}", "To {}: {}";
    AtTurn: "第 {} 轮", "turn {}";
    AtOpening: "开场", "the opening";
    FromStart: "起初", "from the start";
    ByHand: "手动", "by hand";
    NothingYet: "还没有。", "Nothing yet.";
    AddItem: "添加", "Add";
    WhichKind: "是什么", "What it is";
    Remove: "去掉", "Remove";
    PendingTitle: "等你决定的成长", "Growth that waits for your word";
    Accept: "接受", "Accept";
    Refuse: "不接受", "Refuse";
    GrowthPolicy: "成长由谁决定", "Who lets growth in";
    UpdateMemory: "更新记忆", "Update memory";
    UpdateMemoryHint: "把最近 20 轮写进成长人格。旧的留作版本。", "Draws the last 20 turns into the evolved persona. The old one stays as a version.";
    UpdatingMemory: "模型正在写……", "The model is writing…";
    MemoryUpdated: "已更新。", "Updated.";
    MemoryMoved: "更新期间你去了故事的别处，所以什么都没有改。", "You went elsewhere in the story meanwhile, so nothing was changed.";
    MemorySilent: "模型没有写出什么，一切如旧。", "The model had nothing to say; all is as before.";
    Summarise: "汇总", "Summarise";
    SummariseHint: "把这次会话写成情节摘要和详细经过，存入记忆；新的会话从摘要和最近几轮开始。", "Turns this session into points of the story and how they went, kept as memories; a new session opens with the summary and the last turns.";
    Summarising: "模型正在汇总……", "The model is summarising…";
    SummarisingPart: "模型正在汇总（第 {} 部分，共 {} 部分）……", "The model is summarising (part {} of {})…";
    Summarised: "已汇总，新的会话开始了。", "Summarised; a new session has begun.";
    NothingToSummarise: "这次会话还没有说过什么，没有可汇总的。", "Nothing has been said in this session yet: there is nothing to summarise.";
    SummaryMoved: "汇总期间故事有了变化，所以什么都没有改。再汇总一次即可，已写好的部分还留着。", "The story moved on meanwhile, so nothing was changed. Summarise again: what was written is kept.";
    SummarySilent: "模型没有写出什么，故事没有改动。可以再试一次。", "The model had nothing to say; the story is as it was. Try again.";
    SummaryUnusable: "模型的回答里没有可用的汇总，故事没有改动：“{}”", "The model’s answer holds no summary; the story is as it was: “{}”";
    SummaryKept: "故事没有改动；已写好的部分还留着，再汇总会接着做。", "The story is as it was; what was written is kept, and summarising again goes on from there.";
    SessionNumber: "第 {} 次会话", "Session {}";
    Versions: "版本", "Versions";
    VersionNow: "当前", "present";
    Compare: "比较", "Compare";
    CompareHint: "与当前的不同：划去的只在这个版本里，加线的只在当前里。", "Against the present one: struck out is in this version only, underlined in the present one only.";
    NotThereAnyMore: "它已经变了，请再看一眼。", "It has changed meanwhile; look again.";
    NoSuchPoint: "大纲只有 {} 个剧情点。", "The outline has only {} {point|points}.";
    StillWriting: "回复还在写，等它写完。", "A reply is still being written; wait for its end.";
    // World
    WorldOn: "世界状态随回复变化", "The world state changes with the replies";
    WorldState: "世界状态", "World state";
    WorldEmpty: "世界状态还是空的。回复改变的会出现在这里，也可以自己添加。", "The world state is empty. What replies change appears here, and so does what you add.";
    WorldKey: "名称", "Name";
    WorldKind: "类型", "Kind";
    WorldValue: "值", "Value";
    WorldList: "值（一行一项）", "Value (one item a line)";
    KindNumber: "数字", "Number";
    KindText: "文字", "Text";
    KindTruth: "是/否", "Yes or no";
    KindList: "列表", "List";
    WorldYes: "是", "Yes";
    WorldNo: "否", "No";
    WorldMore: "再显示一些（还有 {} 项）", "Show more ({} left)";
    WorldUndo: "撤销手动修改：{}", "Undo the change by hand: {}";
    WorldHistory: "经过", "History";
    WorldHistoryOf: "“{}”的经过", "History of “{}”";
    WorldHistoryEmpty: "这些轮次里没有变过。", "It has not changed in these turns.";
    WorldTakenOut: "去掉了", "taken out";
    WorldKeyTaken: "已经有这个名称了。", "There is one of that name already.";
    NotANumber: "这不是数字。", "That is not a number.";
    WorldRefusedByHand: "没有写进去：{}。", "Not written: {}.";
    WorldBadKey: "这不能当名称", "that is no name for a key";
    WorldLongKey: "名称太长", "the name is too long";
    WorldLongValue: "值太长", "the value is too long";
    WorldTooManyKeys: "条目已经太多", "there are too many entries already";
    WorldNotAddable: "两者加不到一起", "the one cannot be added to the other";
    WorldOutOfRange: "数字太大", "the number is out of range";
    // Planner
    Plan: "计划", "Plan";
    Planning: "正在规划这一轮……", "Planning the turn…";
    PlanTook: "{} 秒", "{} s";
    PlanTokens: "问 {} · 答 {} 个 token", "tokens in {}, out {}";
    NewEventHere: "给这个故事加一个事件", "Add an event to this story";
    EventOn: "在这个故事里会发生：{}", "Happens in this story: {}";
    EventOff: "在这里不发生", "off here";
    SheetOn: "写角色状态卡", "Write a character sheet";
    PlotSummaryOn: "写剧情摘要", "Write a plot summary";
    ScribeOn: "回复之后由书记记下变化", "A scribe notes what changed, after the reply";
    Noted: "书记记下了第 {} 轮", "The scribe noted turn {}";
    NotedTurns: "书记记下了第 {}–{} 轮", "The scribe noted turns {}–{}";
    Noting: "书记正在读……", "The scribe is reading…";
    PlannerOn: "先计划，再回复", "Plan before each reply";
    PlannerConnection: "由哪个连接来计划", "Connection that plans";
    PlannerSame: "和故事相同", "As the story";
    PlannerInstruction: "给计划者的话", "What the planner is told";
    PlannerHint: "空着就用程序自带的。每一轮多一次调用；超过 20 秒或失败时照常回复，只是没有计划。预设里要有“计划”的位置。", "Left empty, the program’s own. One more call each turn; after 20 seconds or a failure the reply comes as ever, without a plan. The preset needs a place for the plan.";
    // Events
    Events: "事件", "Events";
    EventsHint: "条件成立时开始，进行时写进提示词，了结时改变世界。每个事件单独保存。", "An event begins when its condition holds, is told in the prompt while it lasts, and changes the world when it is settled. Each is saved by itself.";
    NewEvent: "新事件", "New event";
    EventDescription: "进行时告诉模型的话", "What the model is told while it lasts";
    EventWhen: "开始的条件", "Begins when";
    EventWhenHint: "例如 world.gold >= 10 and not world.open，或 plot.index == 3，或 turn > 20", "For example world.gold >= 10 and not world.open, or plot.index == 3, or turn > 20";
    EventUntil: "了结的条件", "Settled when";
    EventUntilHint: "空着：只按轮数了结", "Empty: after the turns below alone";
    EventTurns: "最多持续几轮（0 表示不限，没有了结条件时为 1）", "Turns it lasts at most (0: no limit; 1 where nothing else settles it)";
    EventEffects: "了结时的变化", "What it changes when settled";
    EventEffectsHint: "一行一个：gold += 5，place = 酒馆，plot = 3 completed", "One a line: gold += 5, place = tavern, plot = 3 completed";
    EffectFault: "第 {} 行读不懂。", "Line {} cannot be read.";
    EventRepeats: "可以再次发生", "It may happen again";
    EventPending: "未开始", "pending";
    EventActive: "进行中", "active";
    EventSettled: "已了结", "settled";
    TrialStory: "用哪个故事来试", "Try it on";
    TrialTest: "试一试条件", "Test the condition";
    TrialHolds: "成立（第 {} 轮）。", "It holds (turn {}).";
    TrialFails: "不成立（第 {} 轮）。", "It does not hold (turn {}).";
    TrialNoStory: "条件读得懂；还没有用这个背景的故事可试。", "The condition can be read; there is no story with this background to try it on.";
    ConditionAt: "第 {} 个字“{}”处：{}", "At character {}, “{}”: {}";
    ConditionEnd: "在末尾：{}", "At the end: {}";
    ConditionEmpty: "还没有条件", "there is no condition yet";
    ConditionTooLong: "条件太长", "the condition is too long";
    ConditionTooDeep: "括号或 not 嵌套太深", "brackets or nots are nested too deep";
    ConditionOperandDue: "这里应该是一个名称或值", "a name or a value is due here";
    ConditionUnknownName: "没有这个名称；世界状态的名称写作 world.名称", "no such name; those of the world state are written world.NAME";
    ConditionUnclosedText: "引号没有合上", "the quotation does not close";
    ConditionUnclosedBracket: "这里应该合上括号", "the bracket should close here";
    ConditionSurplus: "多余的内容；连接条件用 and 或 or", "more than a condition; join conditions by and or or";
    // Timeline
    Timeline: "关系与情绪的经过", "Relationships and feelings over time";
    TimelineEmpty: "还没有记下关系或情绪。", "No relationship or feeling is noted yet.";
    TimelineEarlier: "更早的", "Earlier";
}

/// Why a change of the world was not made, as half a sentence.
pub fn refusal_words(refusal: Refusal, language: Language) -> &'static str {
    let text = match refusal {
        Refusal::BadKey => T::WorldBadKey,
        Refusal::LongKey => T::WorldLongKey,
        Refusal::LongValue => T::WorldLongValue,
        Refusal::TooManyKeys => T::WorldTooManyKeys,
        Refusal::NotAddable => T::WorldNotAddable,
        Refusal::OutOfRange => T::WorldOutOfRange,
    };
    text.text(language)
}

/// Where a condition stops making sense, and why.
pub fn condition_words(fault: ConditionFault, text: &str, language: Language) -> String {
    let why = match fault.what {
        What::Empty => T::ConditionEmpty,
        What::TooLong => T::ConditionTooLong,
        What::TooDeep => T::ConditionTooDeep,
        What::OperandDue => T::ConditionOperandDue,
        What::UnknownName => T::ConditionUnknownName,
        What::UnclosedText => T::ConditionUnclosedText,
        What::UnclosedBracket => T::ConditionUnclosedBracket,
        What::Surplus => T::ConditionSurplus,
    };
    let why = why.text(language);
    let there: String = text.chars().skip(fault.at).take(12).collect();
    match there.is_empty() {
        true => fill(T::ConditionEnd.text(language), &[why]),
        false => fill(T::ConditionAt.text(language), &[&(fault.at + 1).to_string(), &there, why]),
    }
}
