//! What is wrong with an archive and where, and what an import set right: in the reader's words.

use super::{Language, fill};
use crate::{
    exchange::archive::{Damage, Flaw, Mended, Place},
    story::clip,
};

/// Characters of a text from a file that stand in a message.
const QUOTED: usize = 80;

/// Where something is wrong in a file: its line, table, record and field, as far as they are known.
fn place(place: &Place, language: Language) -> String {
    let Place { line, part, id, field } = place;
    let line = (*line > 0).then(|| fill(language.pick("第 {} 行", "line {}"), &[&line.to_string()]));
    let record = part.map(|part| format!("{} {}", part.name(), clip(id, QUOTED)).trim_end().to_owned());
    let field = Some(field.clone()).filter(|field| !field.is_empty());
    line.into_iter().chain(record).chain(field).collect::<Vec<_>>().join(language.pick("，", ", "))
}

/// Half a sentence: the place and what is wrong there.
pub fn damage(damage: &Damage, language: Language) -> String {
    let (place, flaw) = (place(&damage.place, language), flaw(&damage.flaw, language));
    if place.is_empty() { flaw } else { format!("{place}{}{flaw}", language.pick("：", ": ")) }
}

fn flaw(flaw: &Flaw, language: Language) -> String {
    let say = |zh: &str, en: &str| language.pick(zh, en).to_owned();
    match flaw {
        Flaw::NotText => say("不是文字（UTF-8）", "not text (UTF-8)"),
        Flaw::NotALine(said) => fill(language.pick("读不懂（{}）", "not readable ({})"), &[&clip(said, QUOTED)]),
        Flaw::Type(said) => {
            fill(language.pick("值的类型不对（{}）", "a value of another type ({})"), &[&clip(said, QUOTED)])
        }
        Flaw::NotBase64 => say("图片不是 Base64", "the picture is not Base64"),
        Flaw::NoId => say("记录没有 id", "the record has no id"),
        Flaw::OddId => say("id 是空的，或长得不合常理", "the id is empty or absurdly long"),
        Flaw::Bytes => say("图片才有字节，也必须有", "bytes belong to pictures, and a picture needs them"),
        Flaw::Lacking => say("缺少这一项", "it is missing"),
        Flaw::Time => say("这个时间不在任何日历上", "no calendar has this time"),
        Flaw::Measure => say("分支的长度没有尽头", "the branch has no end"),
        Flaw::OtherPicture => say("图片的字节与它的 id 不符", "the picture's bytes are not those of its id"),
        Flaw::OtherSize => say("图片的大小与它所写的不符", "the picture has another size than it says"),
        Flaw::OtherKind => say("不是它所写的那种图片", "not a picture of the kind that it says"),
        Flaw::OutOfOrder => say("不在它该在的次序里", "it is out of its order"),
        Flaw::TooDeep => say("嵌套得太深", "it is nested too deeply"),
        Flaw::TooLarge => say("太大", "it is too large"),
        Flaw::Twice => say("出现了两次", "it is there twice"),
        Flaw::Lost => say("它所属的记录不在文件里", "what it belongs to is not in the file"),
        Flaw::Foreign => say(
            "在这里属于另一个故事；可以改用“作为副本导入”",
            "here it belongs to another story; importing as a copy works",
        ),
        Flaw::Taken => say("那个位置上已有另一轮", "another turn stands at its place"),
        Flaw::Outside => say("在它的分支之外", "it stands outside its branch"),
        Flaw::Fork => say("没有从它离开上一分支的地方开始", "it does not begin where it leaves its parent"),
        Flaw::Gaps => say("它所写的轮数比有的多得多", "it says far more turns than there are"),
        Flaw::Circle => say("它的上一分支不在文件里，或绕成了圈", "its parent is missing or part of a circle"),
        Flaw::Nowhere => say("它不指向任何一轮", "it leads to no turn"),
        Flaw::NotOne(count) => fill(
            language.pick("单个故事的存档里有 {} 个故事", "storylines in an archive of one: {}"),
            &[&count.to_string()],
        ),
        Flaw::Checksum => say("校验和或记录数不符", "the checksum or the number of records is another"),
        Flaw::AfterEnd => say("结尾之后还有内容", "there is more after the end"),
        Flaw::NotThere => say("它所指的记录不在文件里", "what it names is not in the file"),
    }
}

/// What was set right in a story: one sentence.
pub fn mended(storyline: &str, what: Mended, count: u64, language: Language) -> String {
    let (zh, en) = match what {
        Mended::Head => (
            "故事“{}”停留的地方没有内容：读入时移到最近的一轮。",
            "The story “{}” stands where there is no turn: the import puts it at the nearest one.",
        ),
        Mended::Length => (
            "故事“{}”有分支写错了长度（{} 条）：读入时按轮数改正。",
            "The story “{}” has branches of a wrong length ({}): the import goes by their turns.",
        ),
        Mended::ReplyPlace => (
            "故事“{}”有回复不在它那一轮里（{} 条）：读入时移回。",
            "The story “{}” has replies apart from their turns ({}): the import puts them back.",
        ),
        Mended::Stream => (
            "故事“{}”有回复仍标为“正在写”（{} 条）：读入后算作中断。",
            "The story “{}” has replies that are said to be still coming ({}): they will count as broken off.",
        ),
        Mended::State => (
            "故事“{}”有回复缺少状态（{} 条）：读入后沿用之前的状态。",
            "The story “{}” has replies without their state ({}): the one before each will hold.",
        ),
        Mended::FirstState => (
            "故事“{}”缺少最初的状态：读入后以最早的一个代替。",
            "The story “{}” lacks its first state: the oldest one will be it.",
        ),
        Mended::Session => (
            "故事“{}”没有当前会话：读入后接上最新一轮的会话。",
            "The story “{}” has no current session: it will go on with that of its newest turn.",
        ),
    };
    fill(language.pick(zh, en), &[&clip(storyline, QUOTED), &count.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Part;

    #[test]
    fn a_flaw_stands_with_its_place() {
        let mut found = Flaw::Taken.at(Part::Turns, "t7", "position");
        found.place.line = 12;
        assert_eq!(damage(&found, Language::Zh), "第 12 行，turns t7，position：那个位置上已有另一轮");
        assert_eq!(damage(&found, Language::En), "line 12, turns t7, position: another turn stands at its place");
        found.place = Place::default();
        assert_eq!(damage(&found, Language::En), "another turn stands at its place");
    }

    #[test]
    fn every_flaw_and_every_mend_in_both_languages() {
        let said = || "x".repeat(999);
        let flaws = [
            Flaw::NotText,
            Flaw::NotALine(said()),
            Flaw::NotBase64,
            Flaw::NoId,
            Flaw::OddId,
            Flaw::Bytes,
            Flaw::Type(said()),
            Flaw::Lacking,
            Flaw::Time,
            Flaw::Measure,
            Flaw::OtherPicture,
            Flaw::OtherSize,
            Flaw::OtherKind,
            Flaw::OutOfOrder,
            Flaw::TooDeep,
            Flaw::TooLarge,
            Flaw::Twice,
            Flaw::Lost,
            Flaw::Foreign,
            Flaw::Taken,
            Flaw::Outside,
            Flaw::Fork,
            Flaw::Gaps,
            Flaw::Circle,
            Flaw::Nowhere,
            Flaw::NotThere,
            Flaw::NotOne(2),
            Flaw::Checksum,
            Flaw::AfterEnd,
        ];
        for flaw in flaws {
            let [zh, en] =
                [Language::Zh, Language::En].map(|language| damage(&flaw.clone().of(Part::Turns, "t"), language));
            assert_ne!(zh, en);
            assert!(zh.contains(|char: char| char > '\u{2e80}') && !(zh + &en).contains("{}"), "{flaw:?}");
        }
        use Mended::{FirstState, Head, Length, ReplyPlace, Session, State, Stream};
        for what in [Head, Length, ReplyPlace, Stream, State, FirstState, Session] {
            let [zh, en] = [Language::Zh, Language::En].map(|language| mended("雨夜", what, 3, language));
            assert!(zh.ends_with('。') && en.ends_with('.') && !(zh + &en).contains("{}"), "{what:?}");
        }
    }
}
