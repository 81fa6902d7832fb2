//! Texts of the character sheet and the plot summary: their panels and their settings.

use super::Language;
use crate::{
    features::sheet::Position,
    story::{preset::Role, written::Text},
};

texts! {
    Sheet: "角色状态卡", "Character sheet";
    Plot: "剧情摘要", "Plot summary";
    SheetHint: "每隔一段，由第二次调用站在角色自己的立场，把此刻的状态重写一遍，并告诉模型。故事里有几个人物，就各写各的，每人一次调用；没开过口的不写。", "Every so often a second call writes anew how things stand for the character, in their own view, and the model is told. Where several are in a story, each who has spoken gets a sheet of their own, one call each.";
    PlotHint: "每隔一段，由第二次调用客观地记下发生了什么，并告诉模型。", "Every so often a second call writes down what has happened, as nobody’s view, and the model is told.";
    SheetOn: "写角色状态卡", "Write a character sheet";
    PlotOn: "写剧情摘要", "Write a plot summary";
    Frozen: "暂停自动更新", "Pause updates";
    FrozenByLock: "已锁定：随状态卡一起更新，不能单独暂停。", "Locked: it is updated with the sheet and cannot be paused by itself.";
    Lock: "锁定：任何一方到期，两者同一轮都更新（先状态卡，后摘要）", "Lock: when either is due, both are updated in the same turn (the sheet first)";
    Connection: "由哪个连接来写", "Connection that writes";
    Same: "和故事相同", "As the story";
    Messages: "每隔多少条消息", "Every so many messages";
    MessagesUnit: "条", "{message|messages}";
    Words: "每隔多少字", "Every so many words";
    WordsUnit: "字", "{word|words}";
    ZeroOff: "0 为不按此计。", "0: not by this.";
    Length: "目标长度", "Length to aim at";
    MaxTokens: "回答的上限", "Limit of the answer";
    MaxTokensHint: "0 为按目标长度。", "0: by the length.";
    Tokens: "token", "{token|tokens}";
    Position: "放在提示词的哪里", "Where it stands in the prompt";
    PositionPrompt: "角色之后", "After the character";
    PositionChat: "对话之中", "In the chat";
    PositionFirst: "最前面", "Before all else";
    PositionMacro: "只在预设的宏里", "Where a preset’s macro puts it";
    Depth: "深度", "Depth";
    DepthUnit: "条消息", "{message|messages}";
    Role: "以谁的身份", "As whose words";
    RoleSystem: "系统", "System";
    RoleUser: "用户", "User";
    RoleAssistant: "助手", "Assistant";
    Scan: "其中的词也唤起世界书", "Its words wake lore, too";
    Prompt: "要求（留空用内置的）", "What is asked (empty: the built-in one)";
    PromptHint: "可用 {{previous_sheet}}、{{new_dialogue}}、{{words}}、{{char}}、{{user}}。", "Knows {{previous_sheet}}, {{new_dialogue}}, {{words}}, {{char}}, {{user}}.";
    Template: "怎样告诉模型（留空用内置的）", "How the model is told (empty: the built-in way)";
    TemplateHint: "{{sheet}} 是正文。", "{{sheet}} stands for the text.";
    Update: "立即更新", "Update now";
    Updating: "正在写……", "Writing…";
    Pause: "暂停", "Pause";
    Resume: "继续", "Resume";
    Export: "导出", "Export";
    Import: "导入", "Import";
    NotYet: "还没有写过。“立即更新”会从头读这个故事，长的分几次读。", "Not written yet. “Update now” reads the story from its beginning, a long one in several calls.";
    NothingNew: "上次之后没有新的对话。", "Nothing was told since.";
    Unusable: "模型的回答是空的，或没有写完。", "The model’s answer is empty, or was not finished.";
    Versions: "版本", "Versions";
    ByReader: "由你改写", "worded by you";
    NoVersions: "还没有。", "None yet.";
    Drawing: "心情与目标", "Feelings and goals";
    DrawingHint: "从第 0 轮到第 {} 轮。", "From turn 0 to turn {}.";
    Emotion: "心情", "Feelings";
    Goal: "目标", "Goals";
    Lasted: "第 {} 至 {} 轮", "turns {}–{}";
    Bulk: "全部替换", "Replace in all of them";
    BulkFind: "找", "Find";
    BulkBy: "换成", "Replace with";
    BulkCount: "{} 个版本里有，共 {} 个版本。", "{} of {} {version|versions} have it.";
    BulkDo: "全部替换", "Replace in all";
    BulkDone: "改了 {} 个版本。", "Changed in {} {version|versions}.";
    TooLong: "太长：最多 {} 个字符。", "Too long: at most {} {character|characters}.";
}

pub fn title(text: Text) -> T {
    match text {
        Text::Sheet => T::Sheet,
        Text::Plot => T::Plot,
    }
}

pub fn position(position: Position, language: Language) -> &'static str {
    let text = match position {
        Position::Prompt => T::PositionPrompt,
        Position::Chat => T::PositionChat,
        Position::First => T::PositionFirst,
        Position::Macro => T::PositionMacro,
    };
    text.text(language)
}

pub fn role(role: Role, language: Language) -> &'static str {
    let text = match role {
        Role::System => T::RoleSystem,
        Role::User => T::RoleUser,
        Role::Assistant => T::RoleAssistant,
    };
    text.text(language)
}
