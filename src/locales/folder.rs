//! Texts of whole folders that come in: what is in one, and what became of each file.

use super::{Language, Say, fill, refusals};
use crate::{
    desk::intake::{Fate, Row},
    exchange::folder::Why,
};

texts! {
    Title: "整个文件夹", "A whole folder";
    Looking: "正在查看里面的文件……", "Looking at what is in it…";
    Within: "共 {} 个文件，{}。", "{} {file|files}, {}.";
    Characters: "角色卡", "Character cards";
    Sprites: "表情图片", "Pictures for feelings";
    Chats: "聊天记录", "Conversations";
    Books: "世界书", "Lorebooks";
    Presets: "提示词预设", "Prompt presets";
    Tools: "正则脚本与快捷回复", "Regex scripts and quick replies";
    Personas: "设置里的人设与正则脚本", "Personas and regex scripts of its settings";
    Faces: "人设的头像", "Faces of personas";
    Any: "可能是其中之一", "Perhaps one of these";
    Left: "不会带进来", "Stays where it is";
    Hint: "已经有的不会重复。密钥（secrets.json，以及 RisuAI 的设置）不会读取。", "What is there already stays one. Keys (secrets.json, RisuAI's settings) are not read.";
    Nothing: "里面没有可以带进来的文件。", "There is nothing in it that could come in.";
    Begin: "带进来", "Bring it in";
    Working: "第 {} 个，共 {} 个", "{} of {}";
    Stop: "停下", "Stop";
    Stopping: "做完这一个就停……", "Stops after this one…";
    Done: "都带进来了", "It is all here";
    Stopped: "停下了：已经带进来的都完整地在这里。", "Stopped. What has come in is here, and whole.";
    Broken: "没有做完：{}", "It could not go on: {}";
    Report: "报告", "Report";
    Taken: "新来的", "New";
    Known: "原来就有", "There already";
    Refused: "没有收", "Refused";
    All: "全部", "All";
    SaveReport: "保存报告", "Save the report";
    Close: "关闭", "Close";
    More: "还有 {} 条，都在保存的报告里。", "{} more, in the saved report.";
    Kept: "留着以便导出、这里用不到的：{}", "Kept for an export, and not used here: {}";
    FromElsewhere: "从 SillyTavern 或 RisuAI 搬过来", "Moving in from SillyTavern or RisuAI";
    FromHint: "选它的 data 文件夹（或里面的 default-user），或它的备份 ZIP：角色、世界书、预设、人设、聊天、正则脚本和快捷回复一起进来。RisuAI 的完整备份（.bin）也一样，里面的设置和密钥不会读取。也可以直接拖到页面上。一堆角色卡的文件夹也行。", "Choose its data folder (or default-user in it), or its backup ZIP: characters, lorebooks, presets, personas, conversations, regex scripts and quick replies come in together. A full backup of RisuAI (.bin) does as well; its settings and keys are not read. Dropping it on the page does the same, and so does a folder full of cards.";
    Folder: "选择文件夹", "Choose a folder";
    Zip: "选择 ZIP 或 .bin", "Choose a ZIP or .bin";
    NoFolder: "这不是装着多个文件的 ZIP，也不是 RisuAI 的备份。", "This is not a ZIP of several files, nor a backup of RisuAI.";
}

/// What became of a file: a line.
pub fn said(row: &Row, language: Language) -> String {
    let say = |zh: &str, en: &str, values: &[&str]| fill(language.pick(zh, en), values);
    match &row.fate {
        Fate::Taken { what, name, warnings, kept } => {
            let what = refusals::content(*what, language);
            let mut said = vec![say("收进来了：{}“{}”。", "Taken: {} “{}”.", &[what, name])];
            said.extend(warnings.iter().map(|warning| warning.say(language)));
            if !kept.is_empty() {
                said.push(fill(T::Kept.text(language), &[&kept.join(language.pick("、", ", "))]));
            }
            said.join(" ")
        }
        Fate::Known { what, name } => {
            say("已经有了：{}“{}”。", "There already: {} “{}”.", &[refusals::content(*what, language), name])
        }
        Fate::Left(why) => left(*why, language).to_owned(),
        Fate::Refused(why) => say("没有收：{}", "Refused: {}", &[&why.say(language)]),
    }
}

fn left(why: Why, language: Language) -> &'static str {
    match why {
        Why::Secret => language.pick("里面可能有密钥，没有打开。", "It may hold keys: it was not opened."),
        Why::Copy => language
            .pick("是别的文件的副本（缩略图、备份、索引）。", "A copy of others (small pictures, backups, indexes)."),
        Why::Program => language.pick("只关系到原来程序的外观和运行。", "How the other program looks and keeps house."),
        Why::Media => language.pick("不属于任何角色卡的图片或声音。", "A picture or sound that belongs to no card."),
        Why::Group => language.pick(
            "群组的成员名单；群聊本身会成为故事。",
            "Who is in a group; the group's conversations become stories.",
        ),
        Why::Members => language.pick(
            "群组的成员名单：群聊成为故事时，他们都在里面。",
            "Who is in a group: its conversations become stories with all of them.",
        ),
        Why::Form => language.pick(
            "它的形式这里读不了，留在原来的程序里。",
            "Of a form that is not read here: it stays with its program.",
        ),
        Why::Thrown => language.pick("在原来的程序里已经扔掉。", "Thrown away in its own program."),
        Why::Empty => language.pick("里面还没有说过话。", "Nothing has been said in it."),
        Why::Large => language.pick("一张角色卡装不下这么多图片。", "More pictures than a card has room for."),
        Why::Samplers => language.pick(
            "只是一套采样参数；想要的话，单独导入这个文件就成为预设。",
            "Samplers alone. Import this file by itself where you want a preset of them.",
        ),
        Why::Templates => language.pick(
            "文本补全用的模板，聊天接口用不到；想要的话，单独导入这个文件就成为预设。",
            "A template for text completion, which a chat has no use for. Import this file by itself where you want a preset of it.",
        ),
        Why::Unknown => language.pick("这里不认识的文件。", "Nothing that is known here."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{refusal::Refusal, sniff::Content};

    #[test]
    fn lines_of_a_report() {
        let row = |fate| Row { path: "a".into(), fate };
        let kept = vec!["x".to_owned(), "y".to_owned()];
        let taken = row(Fate::Taken { what: Content::Character, name: "Ada".into(), warnings: vec![], kept });
        assert_eq!(said(&taken, Language::En), "Taken: character “Ada”. Kept for an export, and not used here: x, y");
        assert_eq!(said(&taken, Language::Zh), "收进来了：角色“Ada”。 留着以便导出、这里用不到的：x、y");
        assert_eq!(
            said(&row(Fate::Refused(Refusal::Truncated)), Language::En),
            "Refused: The file is cut short: its end is missing."
        );
        let all = [
            Why::Secret,
            Why::Copy,
            Why::Program,
            Why::Media,
            Why::Group,
            Why::Members,
            Why::Form,
            Why::Thrown,
            Why::Empty,
            Why::Large,
            Why::Samplers,
            Why::Templates,
            Why::Unknown,
        ];
        assert!(all.iter().all(|why| left(*why, Language::Zh) != left(*why, Language::En)));
    }
}
