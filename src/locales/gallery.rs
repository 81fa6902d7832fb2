//! Texts of the files of a card.

use super::Language;

texts! {
    Title: "卡里的文件", "Files of the card";
    Hint: "随卡而来。CHARX 带走全部；PNG 和 JSON 带走卡里列出的，合计 6 MB 以内。", "They came with the card. CHARX takes all of them; PNG and JSON those that the card lists, up to 6 MB together.";
    Emotion: "表情", "Expression";
    Background: "背景图", "Background";
    Icon: "头像", "Icon";
    User: "读者的头像", "Icon of the reader";
    File: "文件", "File";
    Opens: "在新标签页里打开，那个网站会知道有人看了：", "Opens in a new tab; its site learns that somebody looks:";
}
