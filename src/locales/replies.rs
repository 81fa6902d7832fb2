//! What was odd about a reply, a sentence each.

use super::{Language, fill};
use crate::reply::{notice::ReplyNotice, repair::Repair};

pub fn reply_notice_words(notice: &ReplyNotice, language: Language) -> String {
    use ReplyNotice::*;
    let say = |zh: &'static str, en: &'static str, values: &[&str]| fill(language.pick(zh, en), values);
    match notice {
        UnclosedTag { tag } => say(
            "<{}> 开了没有关，按到末尾为止读。",
            "<{}> was opened and not closed; it was read to the end.",
            &[tag.name()],
        ),
        MisplacedTag { tag } => say(
            "<{}> 出现在没有意义的地方，略过了。",
            "<{}> stands where it means nothing; it was passed over.",
            &[tag.name()],
        ),
        NothingShown => say(
            "整条回复都是思考或状态，没有可读的正文。",
            "The whole reply is thought or state; there is nothing to read.",
            &[],
        ),
        UntaggedState => say(
            "状态更新没有写在标签里，认出来之后收起了。",
            "A state update stood outside its tags; it was recognised and folded.",
            &[],
        ),
        BadJson { .. } => say(
            "状态更新不是能读的 JSON，没有采用；原文在下面。",
            "The state update is no JSON that can be read; nothing of it was applied. It stands below as it came.",
            &[],
        ),
        RepairedJson { what } => {
            let mut what: Vec<&str> = what.iter().map(|repair| repair_words(*repair, language)).collect();
            what.dedup();
            let what = what.join(language.pick("、", ", "));
            say(
                "状态更新的 JSON 有毛病，修补后读了：{}。",
                "The state update's JSON was mended before it was read: {}.",
                &[&what],
            )
        }
        BadWorldOp { excerpt } => {
            say("世界的一处改动读不懂：{}", "A change of the world cannot be read: {}", &[excerpt])
        }
        BadMarker { excerpt } => {
            say("像进度标记却不是：{}", "It looks like a progress marker and is none: {}", &[excerpt])
        }
        CoreRefused { value } => say(
            "核心身份从不改变，这处改动没有采用：{}",
            "The core never changes; this change was refused: {}",
            &[&value.to_string()],
        ),
        NumberDropped { path, value } => say(
            "感受不用数字表示，略去了 {}：{}",
            "Feelings take no numbers; {} was left out: {}",
            &[path, &value.to_string()],
        ),
        KeptAside { path } => {
            say("状态更新里的“{}”不属于人格，没有采用。", "“{}” is no part of a persona; it was not applied.", &[path])
        }
    }
}

fn repair_words(repair: Repair, language: Language) -> &'static str {
    use Repair::*;
    let [zh, en] = match repair {
        Surroundings => ["前后多余的文字", "text around it"],
        Comment => ["注释", "comments"],
        TrailingComma | MissingComma => ["逗号", "commas"],
        MissingColon => ["冒号", "colons"],
        Quotes | InnerQuotes => ["引号", "quotation marks"],
        UnquotedKey | UnquotedValue => ["没有引号的字", "words without quotation marks"],
        FullWidth => ["全角标点", "full-width punctuation"],
        Literal => ["不是 JSON 的字面值", "literals of another language"],
        RawNewline => ["字符串里的换行", "line breaks in strings"],
        Escape => ["转义", "escapes"],
        MissingValue => ["缺少的值", "missing values"],
        MissingBracket | ExtraBracket => ["括号", "brackets"],
        CutOff => ["没有写完的末尾", "an end that broke off"],
        HalfItem => {
            ["没有写完，写了一半的最后一项略去了", "it broke off, and its last, half-written item was left out"]
        }
    };
    language.pick(zh, en)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reply::sxml::Tag;

    #[test]
    fn every_kind_has_its_sentence() {
        let all = [
            ReplyNotice::UnclosedTag { tag: Tag::Thought },
            ReplyNotice::MisplacedTag { tag: Tag::Set },
            ReplyNotice::NothingShown,
            ReplyNotice::UntaggedState,
            ReplyNotice::BadJson { excerpt: "?".into() },
            ReplyNotice::RepairedJson { what: vec![Repair::MissingComma, Repair::TrailingComma, Repair::CutOff] },
            ReplyNotice::RepairedJson { what: vec![Repair::HalfItem] },
            ReplyNotice::BadWorldOp { excerpt: "hp: 90".into() },
            ReplyNotice::BadMarker { excerpt: "[PROGRESS:X:status]".into() },
            ReplyNotice::CoreRefused { value: json!({"core_goal": "peace"}) },
            ReplyNotice::NumberDropped { path: "emotions.intensity".into(), value: json!(8) },
            ReplyNotice::KeptAside { path: "mood".into() },
        ];
        for language in [Language::Zh, Language::En] {
            let mut words: Vec<String> = all.iter().map(|notice| reply_notice_words(notice, language)).collect();
            assert!(words.iter().all(|words| !words.contains("{}")), "{words:?}");
            words.sort();
            words.dedup();
            assert_eq!(words.len(), all.len());
        }
        assert!(reply_notice_words(&all[5], Language::En).ends_with(": commas, an end that broke off."));
    }
}
