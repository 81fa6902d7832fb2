//! Texts of the memory summary: its panel and its settings.

use super::Language;

texts! {
    Recap: "记忆总结", "Memory summary";
    On: "总结长对话的中段", "Summarise the middle of a long conversation";
    Hint: "对话超过设定的字符数后，提示词里开头三条和最近三条消息照旧，中间由一份总结代替。对话本身不变，需要的细节仍会被回忆起来。", "Beyond so many characters a prompt tells the first three and the last three messages as they are, and a summary of what is between. The conversation itself stays whole, and details that matter are still recalled.";
    OfCharacter: "对所有有{}的故事都有效。", "For all stories with {}.";
    OfNobody: "对所有有这个角色的故事都有效。", "For all stories with this character.";
    Threshold: "超过多少字符", "Beyond";
    Length: "总结的长度", "Length of the summary";
    Characters: "字符", "{character|characters}";
    ThresholdHint: "3000 到 10000。", "3,000 to 10,000.";
    LengthHint: "500 到 2000。", "500 to 2,000.";
    Settings: "何时、多长", "When, and how long";
    NotYet: "对话还不够长。", "The conversation is not long enough yet.";
    StandsFor: "代替{}", "Stands for {}";
    Write: "立即总结", "Summarise now";
    Writing: "正在总结……", "Summarising…";
    NothingNew: "开头和最近的消息之间没有还没总结的。", "There is nothing between the first and the last messages that it does not tell yet.";
    Unusable: "模型的回答是空的、没有写完，或比原文还长。", "The model’s answer is empty, was not finished, or is longer than what it would stand for.";
    EmptyHint: "留空则没有总结，中段照原文。", "Left empty, there is none, and the middle is told as it is.";
}

/// For whose stories the settings hold.
pub fn whose(name: &str, language: Language) -> String {
    match name.trim() {
        "" => T::OfNobody.text(language).to_owned(),
        name => super::fill(T::OfCharacter.text(language), &[name]),
    }
}
