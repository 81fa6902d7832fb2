//! Texts of the reader's tools: regex scripts and quick replies.

use super::{Language, fill, reasons::reason};
use crate::{desk::tools::DraftFault, features::scripts::By};

texts! {
    Tools: "工具", "Tools";
    Lead: "正则脚本改写读到的文字，快捷回复是输入框上方的按钮。两者都能读写 SillyTavern 的文件。", "Regex scripts reword what is read; quick replies are buttons above the composer. Both read and write SillyTavern's files.";
    On: "启用", "On";
    SetName: "这一组的名称", "Name of the set";
    NewName: "未命名", "Untitled";
    Add: "加一条", "Add one";
    Up: "上移", "Move up";
    Down: "下移", "Move down";
    Name: "名称", "Name";
    // Scripts
    Scripts: "正则脚本", "Regex scripts";
    ScriptsHint: "存下来的原文从不改动：关掉脚本，原来的字就回来。按顺序执行，先是这里的，再是角色卡的，最后是预设的。", "What is stored is never changed: switch a script off and the words are back. They run in order: those here, then the card's, then the preset's.";
    NoScripts: "还没有正则脚本。", "No regex scripts yet.";
    NewScripts: "新的脚本", "New script";
    Find: "查找", "Find";
    FindHint: "/表达式/标志；没有 g 就只换第一处。", "/pattern/flags; without g, the first that is found.";
    Replace: "替换为", "Replace with";
    ReplaceHint: "{{match}}、$1、$<名称> 代表找到的内容；{{char}}、{{user}} 会展开，别的宏照原样留着；空着就是删去。", "{{match}}, $1 and $<name> stand for what was found, {{char}} and {{user}} for their values; other macros stay as they are. Empty takes it out.";
    Trim: "从找到的内容里去掉", "Take out of what was found";
    TrimHint: "一行一个。", "One a line.";
    Where: "作用于", "Reads";
    OfReader: "我的话", "My words";
    OfReply: "回复", "Replies";
    OfLore: "世界书条目", "Lorebook entries";
    OfThoughts: "思考过程", "Thoughts";
    ForWhom: "改写给谁看", "For whom";
    ForBoth: "我和模型", "Me and the model";
    ForEye: "只给我看", "Me alone";
    ForModel: "只给模型看", "The model alone";
    MinDepth: "最浅深度", "Least depth";
    MaxDepth: "最大深度", "Greatest depth";
    DepthHint: "从最新一条消息数起，最新的是 0；空着就不限。", "Messages from the end, the newest being 0; empty: any.";
    Macros: "查找里的宏", "Macros in the pattern";
    MacrosNo: "不展开", "Stay as they are";
    MacrosRaw: "展开", "Stand for their values";
    MacrosPlain: "展开为普通文字", "Stand for their values, as plain text";
    Try: "试一段文字", "Try a text";
    Tried: "改写之后", "What comes of it";
    Unchanged: "没有找到要改的。", "Nothing in it is found.";
    BadNumber: "应是 0 到 9999 的整数。", "A whole number from 0 to 9999.";
    NoPattern: "还没有写要查找什么。", "It does not say yet what to look for.";
    BadPattern: "这个表达式在这里不能用：{}", "This pattern cannot be used here: {}";
    // Asking
    CardBrings: "角色卡“{}”带有 {} 条正则脚本。你同意之前不会执行。", "The card of “{}” brings {} regex {script|scripts}. They do not run unless you say so.";
    PresetBrings: "预设“{}”带有 {} 条正则脚本。你同意之前不会执行。", "The preset “{}” brings {} regex {script|scripts}. They do not run unless you say so.";
    Look: "看看再决定", "Look and decide";
    CanDo: "它们能改写你读到的、和模型读到的文字；存下来的原文不变。", "They can reword what you read and what the model reads; what is stored stays.";
    CannotDo: "它们不能运行代码、连接网络，也看不到密钥和别的故事。", "They cannot run code or reach the network, and see no keys and no other story.";
    Changed: "内容改动之后会再问一次；导入文件时，不会连“同意”一起带进来。", "You are asked again when they change; consent is never imported with a file.";
    Allow: "允许执行", "Let them run";
    Refuse: "不执行", "Leave them off";
    Copy: "收为己有", "Copy to my scripts";
    Copied: "已收到“{}”里，可在“工具”页修改。", "They are in “{}” now, on the Tools page.";
    Nothing: "（删去）", "(taken out)";
    // Quick replies
    Quick: "快捷回复", "Quick replies";
    QuickHint: "以 / 开头的是命令，一行一条；别的照原样说出。{{char}}、{{user}}、{{input}} 会展开。", "What begins with / is a command, one a line; all else is said. {{char}}, {{user}} and {{input}} stand for their values.";
    NoQuick: "还没有快捷回复。", "No quick replies yet.";
    NewQuick: "新的快捷回复", "New quick reply";
    Label: "按钮上的字", "On the button";
    Message: "说什么、做什么", "What is said or done";
    Hidden: "不显示", "Hidden";
    DoNotSend: "只放进输入框，不发送", "Put into the composer, not sent";
    WithInput: "连同输入框里的字一起发送", "Sent with what stands in the composer";
    BeforeInput: "放在输入框里的字前面", "Before what stands there";
}

/// That scripts wait for the reader's word.
pub fn brings(by: By, name: &str, count: usize, language: Language) -> String {
    let text = match by {
        By::Card => T::CardBrings,
        By::Preset => T::PresetBrings,
    };
    fill(text.text(language), &[name, &count.to_string()])
}

pub fn draft_fault(fault: &DraftFault, language: Language) -> String {
    match fault {
        DraftFault::NoPattern => T::NoPattern.text(language).to_owned(),
        DraftFault::Pattern(why) => fill(T::BadPattern.text(language), &[&reason(why, language)]),
        DraftFault::Number => T::BadNumber.text(language).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::tools::ScriptDraft;

    /// What the engine says of patterns that are often met is said in the reader's language.
    #[test]
    fn the_engine_speaks_chinese() {
        for find in ["/(?<=a)b/", "/(a)\\1/", "/\\p{L}/", "/[a/", "/(a/", "/a)/"] {
            let fault = ScriptDraft { find: find.into(), ..Default::default() }.fault().unwrap();
            let said = draft_fault(&fault, Language::Zh);
            assert!(!said.contains("not") && !said.contains("found") && !said.contains("expected"), "{find}: {said}");
        }
    }
}
