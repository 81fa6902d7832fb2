//! Texts of the cradle.

use super::Language;
use crate::features::cradle::{Field, Kind};

texts! {
    Hint: "在这里，人物由你投喂的文字慢慢养成：关于它的话、素材、它知道的事。默认七天长成，也可以立刻长成；每一步改了什么都看得见，也收得回。", "Here a character grows out of texts that you feed it: words about it, material, what it knows. It takes seven days, or no time at all; each step shows what it changed, and can be taken back.";
    NewName: "叫什么（可以先空着）", "Its name (may wait)";
    New: "放一个人物进摇篮", "Lay a character in";
    Empty: "摇篮是空的。", "The cradle is empty.";
    Nameless: "还没有名字", "No name yet";
    Gone: "这个人物不在摇篮里。", "This character is not in the cradle.";
    Back: "回到摇篮", "Back to the cradle";
    Editor: "在角色库里打开", "Open in the library";
    NotBegun: "还没有开始。先投喂，再开始。", "It has not begun. Feed it first.";
    Growing: "正在长成：读了 {} 段，共 {} 段。", "Growing: {} of {} {piece|pieces} read.";
    NextIn: "下一步：{}后。", "Next step in {}.";
    Due: "下一步已经到时候了。", "The next step is due.";
    Hungry: "读完了喂的所有文字，到时候就长成；也可以继续投喂。", "All that it was fed is read; it will be grown when its time is over, and may be fed till then.";
    Resting: "正在休息。", "It rests.";
    Ripe: "长成了。它现在是一个完整的人物。", "It is grown: a full character now.";
    Days: "{} 天", "{} {day|days}";
    Hours: "{} 小时", "{} {hour|hours}";
    Minutes: "{} 分钟", "{} {minute|minutes}";
    Over: "多久长成", "Over how long";
    WritesIn: "用什么语言写", "Written in";
    AtOnce: "立刻", "At once";
    Begin: "开始", "Begin";
    Pause: "休息", "Rest";
    GoOn: "继续", "Go on";
    Now: "现在就读下一步", "Try the next step now";
    Stop: "停下", "Stop";
    Reading: "正在读：第 {} 步，共约 {} 步", "Reading: step {} of about {}";
    Elsewhere: "另一个标签页正在养它。", "Another tab is at it.";
    Takes: "从现在到长成：{} 次调用，发出约 {} 个 token，收到约 {} 个。", "From now to the end: {} {call|calls}, about {} {token|tokens} sent and {} received.";
    Price: "约 {}。", "About {}.";
    WhenOpen: "只在页面打开时生长；关着的时候到期的，下次打开时补上。", "It grows while the page is open; what falls due meanwhile is made up for at the next start.";
    Feed: "投喂", "Feed it";
    FeedKind: "这是什么", "What it is";
    AboutMe: "关于我：都是真的", "About me: all of it is true";
    Material: "素材：从中学样", "Material: to learn from";
    Knowledge: "知识：它知道的事", "Knowledge: what it knows";
    FeedTitle: "题目", "Title";
    FeedText: "文字", "Text";
    FeedFile: "或者选一个文本文件", "Or a text file";
    Give: "投喂", "Feed";
    NothingFed: "里面没有文字。", "There is no text in it.";
    TooLong: "一份最多 {}，这份有 {}。", "One may have {} at most; this has {}.";
    NotText: "这不是文本文件（要 UTF-8）。", "This is no text file (UTF-8 is wanted).";
    OfFeed: "{}，约 {} 个 token；读了 {}/{} 段", "{}, about {} {token|tokens}; {} of {} read";
    LeftOut: "{} 段不读", "{} left out";
    ReadAgain: "还是要读", "Read them after all";
    FeedDropped: "“{}”不再读了。", "“{}” is read no further.";
    DropFeed: "不再读", "Read no further";
    SoFar: "现在的样子", "What it is so far";
    Nothing: "还什么都没有。", "Nothing yet.";
    Knows: "所知", "Knows";
    History: "一步一步", "Step by step";
    StepOf: "{}，第 {} 段", "{}, piece {}";
    LastStep: "长成", "Grown";
    NoChange: "没有改变。", "It changed nothing.";
    Faded: "改了什么，已经不再保留。", "What it changed is no longer kept.";
    TakeBack: "收回这一步", "Take this step back";
    LookAhead: "先看看下一步会改什么", "See what the next step would change";
    Ahead: "下一步会改的", "What the next step would change";
    AheadHint: "放着不动，到期时就照这样写进去，不用再调用一次模型。", "Left alone, it is let in when it is due, without another call.";
    LetIn: "现在就写进去", "Let it in now";
    AskAgain: "重来一次", "Another try";
    LeaveOut: "不要这一段", "Leave this piece out";
    Missed: "上一次没有成功：{}", "The newest try failed: {}";
    Unusable: "模型的回答没法用。", "The model’s answer cannot be used.";
}

pub fn kind(kind: Kind) -> T {
    match kind {
        Kind::AboutMe => T::AboutMe,
        Kind::Material => T::Material,
        Kind::Knowledge => T::Knowledge,
    }
}

/// What a field is called in the editor of characters, without what that says of how it is filled in.
pub fn field(field: Field, language: Language) -> &'static str {
    use super::T;
    let label = match field {
        Field::Name => T::Name,
        Field::Description => T::Description,
        Field::Personality => T::Personality,
        Field::Scenario => T::Scenario,
        Field::Examples => T::ExampleMessages,
        Field::Archetype => T::Archetype,
        Field::CoreGoal => T::CoreGoal,
        Field::CoreTraits => T::CoreTraits,
        Field::BackgroundStory => T::BackgroundStory,
        Field::Beliefs => T::Beliefs,
        Field::FirstMessage => T::FirstMessage,
        Field::Greetings => T::AlternateGreetings,
        Field::Emotions => T::Emotions,
        Field::Goals => T::Goals,
    };
    label.text(language).split(['（', '(']).next().unwrap_or_default().trim()
}
