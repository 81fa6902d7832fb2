//! Which of a card's pictures shows what the character feels: the one that is named for the newest emotion of their state.

use serde_json::Value;

use super::{Desk, Stored};
use crate::story::{
    character::{Asset, Character},
    generation::Generation,
    ids::BlobId,
    state::State,
    storyline::Language,
};

/// What cards name their expressions (SillyTavern's 28, those of the GoEmotions corpus), and words of both languages that a
/// story says for each.
const FEELINGS: &[(&str, &str)] = &[
    ("admiration", "admir impress respect 敬佩 钦佩 欣赏 崇拜"),
    ("amusement", "amuse laugh playful 好笑 被逗 有趣 发笑"),
    ("anger", "angr fury furious rage betray 愤怒 生气 恼火 暴怒 怒 背叛"),
    ("annoyance", "annoy irritat impatient 烦躁 不耐烦 烦 恼"),
    ("approval", "approv agree 赞同 认可"),
    ("caring", "caring tender warm protective gentle 关心 温柔 心疼 体贴 怜惜"),
    ("confusion", "confus puzzl uncertain 困惑 迷茫 疑惑 不解"),
    ("curiosity", "curio intrigu interest 好奇 感兴趣"),
    ("desire", "desir longing want yearn 渴望 向往 想要"),
    ("disappointment", "disappoint 失望 失落"),
    ("disapproval", "disapprov 不赞同 反对 不满"),
    ("disgust", "disgust revuls contempt 厌恶 恶心 鄙夷"),
    ("embarrassment", "embarrass shy bashful 尴尬 害羞 羞涩 难为情"),
    ("excitement", "excit thrill eager 兴奋 激动 期待"),
    ("fear", "fear afraid scare terrif dread 恐惧 害怕 惊恐 畏惧"),
    ("gratitude", "grat thank 感激 感谢"),
    ("grief", "grief mourn heartbroken 悲痛 哀伤 心碎"),
    ("joy", "joy happ delight glad cheer 喜 开心 高兴 快乐 愉快 欢"),
    ("love", "love affection ador 爱 喜欢 倾心"),
    ("nervousness", "nervous anxi worr uneas tense wary alert 紧张 焦虑 担心 不安 警觉 警惕"),
    ("optimism", "optimis hope 乐观 希望"),
    ("pride", "pride proud 自豪 骄傲"),
    ("realization", "realiz realis 恍然 醒悟 明白"),
    ("relief", "relie calm peace content 释然 松了口气 平静 安心"),
    ("remorse", "remors guilt regret sorry asham 内疚 愧疚 后悔 歉疚"),
    ("sadness", "sad sorrow lonely melanchol hopeless despair 悲伤 难过 忧伤 孤独 落寞 绝望"),
    ("surprise", "surpris astonish shock amaze 惊讶 吃惊 震惊 意外"),
    ("neutral", "neutral 平淡"),
];

/// What an expression may be named for, in a language.
pub fn feelings(language: Language) -> impl Iterator<Item = &'static str> {
    FEELINGS.iter().map(move |(label, words)| match language {
        Language::En => label,
        Language::Zh => words.split(' ').find(|word| !word.is_ascii()).unwrap_or(label),
    })
}

impl Desk {
    /// The picture that a reply's speaker has: an expression by their state after it, where the card has one for that.
    ///
    /// # Errors
    /// The store failed.
    pub async fn face(&self, character: &Character, reply: &Generation) -> Stored<Option<BlobId>> {
        let shown = match &reply.state {
            Some(id) if character.assets.iter().any(is_expression) => {
                let state = self.load::<State>(id.as_str()).await?;
                let emotions = state.map(|state| state.persona(reply.speaker.as_ref()).current_state.emotions.clone());
                expression(&character.assets, &emotions.unwrap_or_default())
            }
            _ => None,
        };
        Ok(shown
            .map(|asset| asset.blob.clone())
            .or_else(|| character.thumbnail.clone())
            .or_else(|| character.avatar.clone()))
    }
}

fn is_expression(asset: &Asset) -> bool {
    asset.kind == "emotion"
}

/// The expression of the newest emotion that one is named for; of none, the neutral one.
pub fn expression<'a>(assets: &'a [Asset], emotions: &[Value]) -> Option<&'a Asset> {
    let expressions = || assets.iter().filter(|asset| is_expression(asset));
    let found = emotions.iter().rev().find_map(|emotion| {
        let said = said(emotion)?.to_lowercase();
        expressions().find(|asset| tells(&said, &asset.name))
    });
    found.or_else(|| expressions().find(|asset| feeling(&asset.name) == Some("neutral")))
}

fn said(emotion: &Value) -> Option<&str> {
    emotion.as_str().or_else(|| emotion.get("content").or_else(|| emotion.get("emotion"))?.as_str())
}

/// Whether what is said of an emotion is what an expression is named for.
fn tells(said: &str, name: &str) -> bool {
    let name = stem(name);
    if name.is_empty() {
        return false;
    }
    said.contains(&name) || feeling(&name).is_some_and(|feeling| Some(feeling) == felt(said))
}

/// `Joy-2.png`: the same as `joy`; cards number their variants.
fn stem(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let name = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | ' ')).to_owned()
}

/// The feeling that an expression's name is one of, as a label or as a word for it.
fn feeling(name: &str) -> Option<&'static str> {
    let name = stem(name);
    let labelled = FEELINGS.iter().find(|(label, _)| *label == name);
    labelled.map(|(label, _)| *label).or_else(|| felt(&name))
}

/// The feeling whose word comes first in a text; of two that begin there, the longer word's.
fn felt(said: &str) -> Option<&'static str> {
    let words = FEELINGS.iter().flat_map(|(label, words)| words.split(' ').map(move |word| (*label, word)));
    let places = words.filter_map(|(label, word)| Some((place(said, word)?, std::cmp::Reverse(word.len()), label)));
    places.min().map(|(.., label)| label)
}

/// Where a word begins in a text, and is not denied there: in Latin letters at a word's beginning only, for "unhappy" is
/// not happy.
fn place(said: &str, word: &str) -> Option<usize> {
    let is_latin = word.starts_with(|c: char| c.is_ascii_alphabetic());
    said.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = &said[..*at];
        let is_amid = is_latin && before.ends_with(char::is_alphabetic);
        !is_amid && !["not ", "no longer ", "不", "没"].iter().any(|denied| before.ends_with(denied))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(names: &[&str]) -> Vec<Asset> {
        names.iter().map(|name| Asset { kind: "emotion".into(), name: (*name).into(), ..Asset::default() }).collect()
    }

    #[test]
    fn the_newest_that_has_a_picture() {
        let cases: [(&[&str], Value, Option<&str>); 16] = [
            (&["joy", "sadness"], json!(["Sad", "Happy"]), Some("joy")),
            (&["joy", "sadness"], json!([{"content": "sorrowful", "context": "joy before"}]), Some("sadness")),
            (&["joy", "neutral"], json!(["furious"]), Some("neutral")),
            (&["joy"], json!(["furious"]), None),
            (&["joy"], json!(["unhappy"]), None),
            (&["fear", "anger"], json!(["angry", "not afraid", "不害怕"]), Some("anger")),
            (&["nervousness"], json!(["不安"]), Some("nervousness")),
            (&["Joy-2.png", "fear_1"], json!(["Terrified"]), Some("fear_1")),
            (&["喜", "怒"], json!(["愤怒"]), Some("怒")),
            (&["anger"], json!([{"content": "被背叛的愤怒"}]), Some("anger")),
            (&["开心", "难过"], json!(["She is delighted"]), Some("开心")),
            (&["smug"], json!(["Smug, and proud of it"]), Some("smug")),
            (&["joy", "anger"], json!(["angry", "hungry"]), Some("anger")),
            (&["neutral", "joy"], json!([]), Some("neutral")),
            (&["", "joy"], json!(["calm"]), None),
            (&["nervousness", "caring"], json!(["警觉"]), Some("nervousness")),
        ];
        for (names, emotions, expected) in cases {
            let assets = named(names);
            let shown = expression(&assets, emotions.as_array().unwrap());
            assert_eq!(shown.map(|asset| asset.name.as_str()), expected, "{emotions} of {names:?}");
        }
        let other = Asset { kind: "background".into(), name: "joy".into(), ..Asset::default() };
        assert_eq!(expression(&[other], &[json!("joy")]), None, "only what is an expression");
    }

    #[test]
    fn each_label_is_told_by_its_own_words() {
        for (label, words) in FEELINGS {
            for word in words.split(' ') {
                assert_eq!(felt(word), Some(*label), "{word}");
            }
        }
        for language in [Language::Zh, Language::En] {
            let named: Vec<_> = feelings(language).map(feeling).collect();
            assert_eq!(named, FEELINGS.iter().map(|(label, _)| Some(*label)).collect::<Vec<_>>(), "{language:?}");
        }
    }
}
