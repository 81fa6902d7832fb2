//! Why a file was not taken, and what was changed in one that was: in the reader's words.

use super::{
    Language, Say,
    damage::{damage, mended},
    fill,
    reasons::reason,
    time,
};
use crate::{
    exchange::{
        refusal::{Missing, PictureFault, Refusal, Warning},
        sniff::{Content, FileKind},
    },
    story::{
        clip,
        picture::{Fault, MAX_PICTURE_BYTES, MAX_PIXELS, MAX_SIDE},
    },
};

impl Say for Refusal {
    fn say(&self, language: Language) -> String {
        refusal(self, language)
    }
}

impl Say for Warning {
    fn say(&self, language: Language) -> String {
        warning(self, language)
    }
}

/// Characters of a text from a file that stand in a message.
const QUOTED: usize = 80;

/// Why a file was not taken: one sentence.
pub fn refusal(refusal: &Refusal, language: Language) -> String {
    let size = |bytes: &u64| time::bytes(*bytes as f64);
    let say = |zh: &str, en: &str, values: &[&str]| fill(language.pick(zh, en), values);
    match refusal {
        Refusal::NotJson { line, column, message } => say(
            "这不是完好的 JSON：第 {} 行第 {} 列（{}）。",
            "This is not sound JSON: line {}, column {} ({}).",
            &[&line.to_string(), &column.to_string(), &clip(message, QUOTED)],
        ),
        Refusal::NotText => say("文件里不是文字（UTF-8）。", "The file does not hold text (UTF-8).", &[]),
        Refusal::TooDeep => say("文件的结构嵌套得太深。", "The file is nested too deeply.", &[]),
        Refusal::TooLarge { bytes, limit } => {
            let [bytes, limit] = time::bytes_apart(*bytes as f64, *limit as f64);
            say("文件太大：{}，上限是 {}。", "The file is too large: {}; the limit is {}.", &[&bytes, &limit])
        }
        Refusal::TooMany { limit } => say(
            "文件里的记录太多，上限是 {} 条。",
            "The file holds too many records; the limit is {}.",
            &[&limit.to_string()],
        ),
        Refusal::NoCard(kind) => no_card(*kind, language).to_owned(),
        Refusal::NotFabula(kind) => not_expected(*kind, language).to_owned(),
        Refusal::Picture(fault) => unfit(fault, language),
        Refusal::Unrecognised { wanted, found } => {
            let wanted = content(*wanted, language);
            match found {
                Content::Unknown => say("在文件里找不到{}。", "There is no {} in this file.", &[wanted]),
                found => say(
                    "这个文件里是{}，不是{}。",
                    "This file holds a {}, not a {}.",
                    &[content(*found, language), wanted],
                ),
            }
        }
        Refusal::Unreadable(why) => {
            let why = clip(&reason(why, language), QUOTED);
            say("浏览器没能读取这个文件（{}）。", "The browser could not read this file ({}).", &[&why])
        }
        Refusal::Truncated => say("文件不完整，缺了结尾。", "The file is cut short: its end is missing.", &[]),
        Refusal::Record(why) => say("文件已损坏（{}）。", "The file is damaged ({}).", &[&damage(why, language)]),
        Refusal::Damaged(why) => {
            say("文件已损坏（{}）。", "The file is damaged ({}).", &[&clip(&reason(why, language), QUOTED)])
        }
        Refusal::Newer { file, known } => say(
            "这个文件是更新版本的 Fabula 写的（格式 {}，这里只认识到 {}）。请先重新载入页面以取得新版本。",
            "A newer Fabula wrote this file (format {}; this one knows {}). Reload the page for the newer version.",
            &[&file.to_string(), &known.to_string()],
        ),
        Refusal::Bomb { compressed, decompressed } => say(
            "文件展开后大得不合常理（{} 变成了 {}），已停止读取。",
            "The file unpacks out of all proportion ({} became {}); reading was stopped.",
            &[&size(compressed), &size(decompressed)],
        ),
    }
}

/// What was changed or left aside in a file that was taken: one sentence.
pub fn warning(warning: &Warning, language: Language) -> String {
    let say = |zh: &str, en: &str, values: &[&str]| fill(language.pick(zh, en), values);
    match warning {
        Warning::NewerCard { spec, version } => say(
            "这张卡的规格（{} {}）比这里认识的新：认识的栏目已读入，其余原样保留。",
            "This card follows a newer specification ({} {}): the known fields are used, the others kept.",
            &[spec, version],
        ),
        Warning::NoName => say("文件里没有名称。", "The file gives no name.", &[]),
        Warning::NameCleaned { removed, joined_lines, cut_from } => {
            name_cleaned(*removed, *joined_lines, *cut_from, language)
        }
        Warning::FieldIgnored { field } => say(
            "栏目“{}”不是预期的类型：没有使用，导出时原样带走。",
            "The field “{}” is not of the expected type: it is not used, and goes out again with an export.",
            &[&clip(field, QUOTED)],
        ),
        Warning::PictureLeftOut(fault) => picture(fault, language),
        Warning::AssetsLeftOut { why, count } => {
            let (zh, en) = match why {
                Missing::Remote => (
                    "卡里有 {} 个文件在网上：不会去取。",
                    "Elsewhere on the network, and not fetched: {} {file|files} of the card.",
                ),
                Missing::Absent => {
                    ("卡里提到的 {} 个文件不在其中。", "Named by the card and not in it: {} {file|files}.")
                }
                Missing::Large => {
                    ("卡里有 {} 个文件太大，没有读入。", "Too large, and left out: {} {file|files} of the card.")
                }
            };
            say(zh, en, &[&count.to_string()])
        }
        Warning::FaceLeftOut { character, fault } => say(
            "“{}”的头像不会读入：{}",
            "The picture of “{}” will be left out: {}",
            &[&clip(character, QUOTED), &unfit(fault, language)],
        ),
        Warning::OutlineRenumbered => say(
            "大纲的编号不连续，已按顺序重新编号。",
            "The outline's numbers were not in order; it is numbered anew.",
            &[],
        ),
        Warning::LinesSkipped { count } => say(
            "{} 行不是消息，没有读入。",
            "Left out, since they are no messages: {} {line|lines}.",
            &[&count.to_string()],
        ),
        Warning::ChatsLeftOut { count } => say(
            "文件里另有 {} 段对话：只读入最长的一段。",
            "Other conversations in the file: {}. The longest one is taken.",
            &[&count.to_string()],
        ),
        Warning::HiddenThere { count } => say(
            "{} 条消息在原来的程序里不告诉模型。整轮如此的，在这里也不告诉；一轮里只藏了一半的，整轮都告诉。",
            "Hidden from the model in their own program: {} {message|messages}. A turn of such alone is taken out here as well; one of which a part was told is told whole.",
            &[&count.to_string()],
        ),
        Warning::EntriesLeftOut { count } => say(
            "{} 个条目不是世界书条目，没有读入。",
            "Left out, since they are no entries of a lorebook: {}.",
            &[&count.to_string()],
        ),
        Warning::InstructKept => say(
            "指令模板（instruct）只对文本补全有意义，聊天接口自有轮次：原样保留，没有使用。",
            "An instruct template means something to text completion alone; a chat has turns of its own. It is kept as it came, and not used.",
            &[],
        ),
        Warning::ConditionsOff { count } => say(
            "{} 块里写着 RisuAI 自己的条件（#if 之类），这里不会判断：先关着，改好之后可以打开。",
            "Blocks with conditions of RisuAI's own (#if and the like), which nothing here decides: {}. They are off; reword them, and switch them on.",
            &[&count.to_string()],
        ),
        Warning::ItemsLeftOut { count } => say(
            "列表里有 {} 项无法读出，没有读入。",
            "Left out, since they cannot be read: {} of the list.",
            &[&count.to_string()],
        ),
        Warning::ScriptsBroken { count } => say(
            "{} 条脚本的正则表达式在这里不能用（例如前后查找），打开它可以看到原因。",
            "Scripts whose pattern cannot be used here (one that looks ahead or behind, for example): {}. Open one to see why.",
            &[&count.to_string()],
        ),
        Warning::MacrosStay { count } => say(
            "{} 条脚本里有这里不展开的宏：照原样留着。能展开的是 {{char}} 和 {{user}}。",
            "Scripts with macros that stay as they are written: {}. {{char}} and {{user}} stand for their values.",
            &[&count.to_string()],
        ),
        Warning::ByHandOnly { count } => say(
            "{} 个快捷回复原本会自动执行：这里只在你点按时执行，导出时原样带走。",
            "Quick replies that would also run by themselves: {}. Here they wait to be pressed, and go out again as they came.",
            &[&count.to_string()],
        ),
        Warning::OutletsOff { count } => say(
            "{} 个条目写给“出口”（outlet），这里没有这种位置：已关闭，导出时原样带走。",
            "Entries for an outlet, a place that there is none of here: {}. They are off, and go out again as they came.",
            &[&count.to_string()],
        ),
        Warning::MissingCharacter { storyline, .. } => say(
            "故事“{}”的人物不在文件里。",
            "The character of the story “{}” is not in the file.",
            &[&clip(storyline, QUOTED)],
        ),
        Warning::BrokenStoryline { storyline, why } => say(
            "故事“{}”已损坏，没有读入（{}）；其余的完好。",
            "The story “{}” is damaged and was left out ({}); the others are whole.",
            &[&clip(storyline, QUOTED), &damage(why, language)],
        ),
        Warning::Mended { storyline, what, count } => mended(storyline, *what, *count, language),
    }
}

fn no_card(kind: FileKind, language: Language) -> &'static str {
    match kind {
        FileKind::Zip => {
            language.pick("这个 ZIP 里没有角色卡（card.json）。", "There is no character card (card.json) in this ZIP.")
        }
        _ => language.pick(
            "这张图片里没有角色卡。存图的程序或网站也许把它去掉了：请下载原图。",
            "There is no character card in this picture. What saved it may have taken it out: download the original.",
        ),
    }
}

fn not_expected(kind: FileKind, language: Language) -> &'static str {
    match kind {
        FileKind::Gzip => language.pick(
            "这是压缩文件：故事存档请在书架上导入，备份请在“设置 → 数据”里恢复。",
            "This is a compressed file: import a story from the shelf, and restore a backup under Settings → Data.",
        ),
        FileKind::Zip => language.pick(
            "这是 ZIP 文件。CHARX 卡请在“角色”里导入。",
            "This is a ZIP file. Import a CHARX card under Characters.",
        ),
        FileKind::Png | FileKind::Picture => language.pick(
            "这是图片。图片里的角色卡请在“角色”里导入。",
            "This is a picture. Import a card that it carries under Characters.",
        ),
        FileKind::Json => {
            language.pick("这是 JSON 文件，不是 Fabula 的存档。", "This is a JSON file, not an archive of Fabula.")
        }
        FileKind::Unknown => language.pick("这不是 Fabula 认识的文件。", "This is not a file that Fabula knows."),
    }
}

/// What a file holds.
pub fn content(content: Content, language: Language) -> &'static str {
    match content {
        Content::Character => language.pick("角色", "character"),
        Content::Background => language.pick("背景", "background"),
        Content::Lorebook => language.pick("世界书", "lorebook"),
        Content::Preset => language.pick("提示词预设", "prompt preset"),
        Content::Scripts => language.pick("正则脚本", "regex script"),
        Content::QuickReplies => language.pick("快捷回复", "quick reply"),
        Content::Personas => language.pick("我的人设备份", "backup of personas"),
        Content::Chat => language.pick("聊天记录", "conversation"),
        Content::Archive => language.pick("故事存档或备份", "story archive or backup"),
        Content::Unknown => language.pick("认识的内容", "known content"),
    }
}

fn name_cleaned(removed: usize, joined_lines: bool, cut_from: Option<usize>, language: Language) -> String {
    let mut parts = Vec::new();
    if removed > 0 {
        parts.push(fill(
            language.pick("去掉了 {} 个看不见的字符", "invisible characters taken out: {}"),
            &[&removed.to_string()],
        ));
    }
    if joined_lines {
        parts.push(language.pick("多行并成了一行", "several lines made one").to_owned());
    }
    if let Some(length) = cut_from {
        parts.push(fill(
            language.pick("从 {} 个字符截短", "cut from {} {character|characters}"),
            &[&length.to_string()],
        ));
    }
    let parts = parts.join(language.pick("，", ", "));
    fill(language.pick("名称已整理：{}。", "The name was tidied: {}."), &[&parts])
}

fn picture(fault: &PictureFault, language: Language) -> String {
    let say = |zh: &str, en: &str, values: &[&str]| fill(language.pick(zh, en), values);
    match fault {
        PictureFault::NotIncluded(name) => {
            say("头像“{}”不在文件里。", "The picture “{}” is not in the file.", &[&clip(name, QUOTED)])
        }
        PictureFault::Remote(address) => say(
            "头像在网上（{}），没有下载。",
            "The picture is elsewhere on the network ({}) and was not fetched.",
            &[&clip(address, QUOTED)],
        ),
        PictureFault::Unfit(fault) => {
            format!("{}{}", language.pick("头像没有读入：", "The picture was left out: "), unfit(fault, language))
        }
    }
}

/// Why something is not taken for a picture: one sentence.
pub fn unfit(fault: &Fault, language: Language) -> String {
    let say = |zh: &str, en: &str, values: &[&str]| fill(language.pick(zh, en), values);
    match fault {
        Fault::Unknown => say(
            "这不是 PNG、JPEG、WebP、GIF 或 AVIF 图片。",
            "that is not a PNG, JPEG, WebP, GIF or AVIF picture.",
            &[],
        ),
        Fault::Broken => say("图片已损坏，画不出来。", "it is damaged and cannot be drawn.", &[]),
        Fault::TooManyPixels { width, height } => say(
            "图片有 {} × {} 像素；上限是共 {} 万像素，每边 {}。",
            "it has {} × {} pixels; the limit is {} million, and {} a side.",
            &[
                &width.to_string(),
                &height.to_string(),
                &(MAX_PIXELS / language.pick(10_000, 1_000_000)).to_string(),
                &MAX_SIDE.to_string(),
            ],
        ),
        Fault::TooLarge { bytes } => {
            let [bytes, limit] = time::bytes_apart(*bytes as f64, MAX_PICTURE_BYTES as f64);
            say("图片是 {}，上限是 {}。", "it has {}; the limit is {}.", &[&bytes, &limit])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exchange::archive::Flaw, store::Part};

    #[test]
    fn every_refusal_in_both_languages() {
        let unrecognised = |found| Refusal::Unrecognised { wanted: Content::Character, found };
        for (reason, zh, en) in [
            (
                Refusal::NotJson { line: 2, column: 7, message: "expected value".into() },
                "这不是完好的 JSON：第 2 行第 7 列（expected value）。",
                "This is not sound JSON: line 2, column 7 (expected value).",
            ),
            (Refusal::NotText, "文件里不是文字（UTF-8）。", "The file does not hold text (UTF-8)."),
            (Refusal::TooDeep, "文件的结构嵌套得太深。", "The file is nested too deeply."),
            (
                Refusal::TooLarge { bytes: 200 << 20, limit: 16 << 20 },
                "文件太大：210 MB，上限是 16.8 MB。",
                "The file is too large: 210 MB; the limit is 16.8 MB.",
            ),
            (
                Refusal::TooLarge { bytes: (16 << 20) + 1, limit: 16 << 20 },
                "文件太大：16.777217 MB，上限是 16.777216 MB。",
                "The file is too large: 16.777217 MB; the limit is 16.777216 MB.",
            ),
            (
                Refusal::TooMany { limit: 5_000_000 },
                "文件里的记录太多，上限是 5000000 条。",
                "The file holds too many records; the limit is 5000000.",
            ),
            (
                unrecognised(Content::Lorebook),
                "这个文件里是世界书，不是角色。",
                "This file holds a lorebook, not a character.",
            ),
            (unrecognised(Content::Unknown), "在文件里找不到角色。", "There is no character in this file."),
            (Refusal::Picture(Fault::Broken), "图片已损坏，画不出来。", "it is damaged and cannot be drawn."),
            (Refusal::Truncated, "文件不完整，缺了结尾。", "The file is cut short: its end is missing."),
            (
                Refusal::Unreadable("x".into()),
                "浏览器没能读取这个文件（x）。",
                "The browser could not read this file (x).",
            ),
            (Refusal::Damaged("x".into()), "文件已损坏（x）。", "The file is damaged (x)."),
            (
                Refusal::Newer { file: 9, known: 1 },
                "这个文件是更新版本的 Fabula 写的（格式 9，这里只认识到 1）。请先重新载入页面以取得新版本。",
                "A newer Fabula wrote this file (format 9; this one knows 1). Reload the page for the newer version.",
            ),
            (
                Refusal::Bomb { compressed: 1_000, decompressed: 5_000_000 },
                "文件展开后大得不合常理（1.0 kB 变成了 5.0 MB），已停止读取。",
                "The file unpacks out of all proportion (1.0 kB became 5.0 MB); reading was stopped.",
            ),
        ] {
            assert_eq!(refusal(&reason, Language::Zh), zh);
            assert_eq!(refusal(&reason, Language::En), en);
        }
        let kinds =
            [FileKind::Gzip, FileKind::Zip, FileKind::Png, FileKind::Picture, FileKind::Json, FileKind::Unknown];
        for kind in kinds {
            is_said(|language| refusal(&Refusal::NotFabula(kind), language));
        }
    }

    #[test]
    fn every_warning_in_both_languages() {
        let cleaned = |removed, joined_lines, cut_from| Warning::NameCleaned { removed, joined_lines, cut_from };
        for (reason, zh, en) in [
            (
                cleaned(1, false, None),
                "名称已整理：去掉了 1 个看不见的字符。",
                "The name was tidied: invisible characters taken out: 1.",
            ),
            (
                cleaned(0, true, Some(10_000)),
                "名称已整理：多行并成了一行，从 10000 个字符截短。",
                "The name was tidied: several lines made one, cut from 10000 characters.",
            ),
            (Warning::NoName, "文件里没有名称。", "The file gives no name."),
        ] {
            assert_eq!(warning(&reason, Language::Zh), zh);
            assert_eq!(warning(&reason, Language::En), en);
        }
        let storyline = "s".to_owned();
        let why = Box::new(Flaw::Type("w".repeat(999)).at(Part::Turns, "t", "position"));
        for reason in [
            Warning::NewerCard { spec: "chara_card_v9".into(), version: "9".into() },
            Warning::FieldIgnored { field: "tags".into() },
            Warning::PictureLeftOut(PictureFault::NotIncluded("a.png".into())),
            Warning::PictureLeftOut(PictureFault::Remote("https://x.example/a.png".into())),
            Warning::PictureLeftOut(PictureFault::Unfit(Fault::Unknown)),
            Warning::PictureLeftOut(PictureFault::Unfit(Fault::TooLarge { bytes: 9 << 20 })),
            Warning::FaceLeftOut { character: "林夕".into(), fault: Fault::Broken },
            Warning::FaceLeftOut {
                character: "林夕".into(),
                fault: Fault::TooManyPixels { width: u32::MAX, height: u32::MAX },
            },
            Warning::OutlineRenumbered,
            Warning::EntriesLeftOut { count: 1 },
            Warning::InstructKept,
            Warning::ConditionsOff { count: 2 },
            Warning::ItemsLeftOut { count: 2 },
            Warning::ScriptsBroken { count: 2 },
            Warning::MacrosStay { count: 2 },
            Warning::ByHandOnly { count: 2 },
            Warning::OutletsOff { count: 2 },
            Warning::MissingCharacter { storyline: storyline.clone(), character: "c".into() },
            Warning::BrokenStoryline { storyline, why },
        ] {
            is_said(|language| warning(&reason, language));
        }
    }

    /// A sentence in each language, with nothing left to fill in, and no longer than one reads.
    fn is_said(say: impl Fn(Language) -> String) {
        let (zh, en) = (say(Language::Zh), say(Language::En));
        assert_ne!(zh, en);
        for text in [zh, en] {
            assert!(text.ends_with(['。', '.']) && !text.contains("{}"), "{text}");
            assert!(text.chars().count() < 200, "{text}");
        }
    }
}
