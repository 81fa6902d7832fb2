//! Texts of the memory: its panel, its embeddings, its settings, and the search over everything said.

use super::{Language, fill};
use crate::features::recall::RecallPolicy;

texts! {
    // Kinds
    All: "全部", "All";
    KindEvent: "事件", "Event";
    KindSummary: "摘要", "Summary";
    KindPlot: "经过", "How it went";
    KindNote: "笔记", "Note";
    // The panel
    Acts: "汇总与更新", "Summarise and update";
    WhichKinds: "哪些记忆", "Which memories";
    FindMemory: "查找记忆", "Find a memory";
    FindPlaceholder: "查找……", "Find…";
    NoMemories: "还没有记忆。人物或剧情有了变化，这里会自动记下；你也可以自己写。", "No memories yet. Changes of the character and the plot are noted by themselves; you can write some too.";
    NoneOfKind: "没有这一类记忆。", "No memories of this kind.";
    NoneFound: "没有找到与“{}”有关的记忆。", "No memory has to do with “{}”.";
    FindEverywhere: "在所有说过的话里找“{}”", "Look for “{}” in all that was said";
    ReadingMemories: "正在读取记忆……", "Reading the memories…";
    MoreMemories: "更早的记忆", "Earlier memories";
    Elsewhere: "故事树的别处还有 {} 条", "{} elsewhere in the tree";
    ElsewhereHint: "它们属于别的分支，从这里看不见，也不会告诉模型。", "They belong to other branches: not seen from here, and not told to the model.";
    WriteMemory: "写一条记忆", "Write a memory";
    MemoryText: "记忆", "Memory";
    MemoryTextHint: "一两句话：找到的、告诉模型的就是它。", "One or two sentences: what is found, and what the model is told.";
    MemoryDetail: "细节（可留空）", "Detail (may stay empty)";
    MemoryDetailHint: "问起“怎么回事”时才告诉模型。", "Told when the words ask how it went.";
    Detail: "细节", "Detail";
    EditMemory: "编辑这条记忆", "Edit this memory";
    Pin: "始终告诉模型", "Always tell the model";
    Hide: "不告诉模型", "Do not tell the model";
    IsPinned: "始终告诉", "always told";
    IsHidden: "不告诉", "not told";
    IsOwn: "只有{}知道", "known to {} alone";
    DeleteMemory: "删除这条记忆", "Delete this memory";
    MemoryDeleted: "已删除一条记忆。", "A memory was deleted.";
    // What was recalled
    RecalledFor: "第 {} 轮想起的", "Recalled for turn {}";
    RecalledPinned: "始终告诉", "always told";
    RecalledOlder: "后来有变", "has changed since";
    Score: "相关度 {}", "relevance {}";
    SharedWords: "共同的词：{}", "words in common: {}";
    PartWords: "词语", "words";
    PartDense: "意思相近", "likeness";
    PartDate: "日期", "date";
    PartSession: "同一会话", "session";
    PartSpeaker: "说话的人", "speaker";
    PartPrior: "新的内容", "newness";
    PartOther: "其他", "other";
    ForWords: "因为说到：{}", "for the words: {}";
    ForSense: "因为意思相近", "for what they mean";
    ForPins: "始终告诉：{}", "always told: {}";
    // Embeddings
    Embeddings: "向量", "Embeddings";
    NoEmbedder: "只按词语查找。选一个嵌入模型，就能按意思查找。", "Found by words alone. With an embedding model, memories are found by their meaning too.";
    ChooseEmbedder: "去选择", "Choose one";
    Embedded: "{} / {} 段文字有向量", "{} of {} {text|texts} with a vector";
    EmbedNow: "补上缺少的", "Embed what is missing";
    Embedding: "正在计算向量……", "Embedding…";
    BuildingGraph: "正在整理向量，查找照常……", "Arranging the vectors; searches go on…";
    // Settings
    EmbeddingConnection: "用哪个连接计算向量", "Connection that makes embeddings";
    EmbeddingHint: "按意思查找记忆要用嵌入模型：为它单独建一个连接，模型填嵌入模型的名字。文字会发到那个服务。", "To find memories by meaning takes an embedding model: give it a connection of its own, with the name of that model. Texts go to that server.";
    NoEmbedding: "不用", "None";
    TestEmbedding: "试一下", "Test";
    TestedEmbedding: "可以用：向量有 {} 维。", "It works: its vectors have {} {dimension|dimensions}.";
    RecallTitle: "记忆", "Memory";
    RecallPolicy: "什么时候想起过去", "When the past is recalled";
    RecallAlways: "每一轮", "At every turn";
    RecallAsked: "话里问起过去时", "When the words ask for the past";
    RecallNever: "从不", "Never";
    RecallShare: "记忆最多占提示词的", "Share of the prompt for the past";
    RecallShareUnit: "%", "%";
    RecallShareHint: "从 5 到 60。记忆用不完的留给最近的对话。", "From 5 to 60. What the memory does not need is left to the newest turns.";
    RecallExpand: "查找前先问模型有没有别的说法", "Ask the model for other words before searching";
    RecallExpandHint: "每次想起之前多一次短的请求，约 150 tokens。", "One short call more before each recall, about 150 tokens.";
    // Search
    SearchTitle: "搜索所有说过的话", "Search everything said";
    SearchPlaceholder: "输入要找的词……", "Type what to look for…";
    SearchHint: "在所有故事、所有分支里找。按 Ctrl+K 或 / 随时回到这里。", "Looks through all stories and all branches. Ctrl+K or / leads here from anywhere.";
    SearchNothing: "没有找到“{}”。", "“{}” was not found.";
    SearchEmpty: "还没有故事可以搜索。", "There are no stories to search yet.";
    Searching: "正在搜索……", "Searching…";
    Indexing: "第一次搜索：正在为故事建立索引……", "The first search: the stories are being indexed…";
    Found: "找到 {} 处", "{} found";
    FoundMore: "最相关的 {} 处", "The {} that fit best";
    SaidByReader: "你的话", "your words";
    SaidInReply: "回复", "reply";
    AtTurn: "第 {} 轮", "turn {}";
    AtTurns: "第 {}–{} 轮", "turns {}–{}";
    AtOpening: "开场", "the opening";
    OtherWriter: "另一个标签页正在进行这个故事，这里不能换到别的分支。", "Another tab is playing this story: the branch cannot be changed from here.";
}

/// When the past is recalled.
pub fn policy_words(policy: RecallPolicy) -> T {
    match policy {
        RecallPolicy::Always => T::RecallAlways,
        RecallPolicy::Asked => T::RecallAsked,
        RecallPolicy::Never => T::RecallNever,
    }
}

/// The turn at a position.
pub fn turn_words(position: u32, language: Language) -> String {
    match position {
        0 => T::AtOpening.text(language).to_owned(),
        _ => fill(T::AtTurn.text(language), &[&position.to_string()]),
    }
}

/// Several turns, or the one.
pub fn turns_words((first, last): (u32, u32), language: Language) -> String {
    if first >= last {
        return turn_words(last, language);
    }
    fill(T::AtTurns.text(language), &[&first.to_string(), &last.to_string()])
}

/// Why a text was recalled, as `features::recall` notes it with the prompt: `2.31 = words 1.00 + prior 0.42; 约定`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// Empty where nothing was looked for.
    pub score: String,
    /// The terms of the score.
    pub parts: Vec<(&'static str, String)>,
    /// Words that the text and the question have in common.
    pub words: Vec<String>,
    pub pinned: bool,
}

/// Reads a reason; one of another form says nothing.
pub fn why(reason: &str, language: Language) -> Why {
    if reason == "pinned" {
        return Why { pinned: true, ..Why::default() };
    }
    let (sum, words) = reason.split_once(';').unwrap_or((reason, ""));
    let Some((score, parts)) = sum.split_once(" = ") else { return Why::default() };
    let part = |part: &str| {
        let (name, value) = part.trim().rsplit_once(' ')?;
        Some((part_word(name).text(language), value.to_owned()))
    };
    Why {
        score: score.trim().to_owned(),
        parts: parts.split(" + ").filter_map(part).collect(),
        words: words.split_whitespace().map(str::to_owned).collect(),
        pinned: false,
    }
}

/// Words that reasons in a summary name at most.
const NAMED: usize = 12;

/// What brought the texts of a block, of all their reasons together; nothing where they are of another form.
pub fn because(reasons: &[&str], language: Language) -> Vec<String> {
    let reasons: Vec<Why> = reasons.iter().map(|reason| why(reason, language)).collect();
    let mut words: Vec<&str> = Vec::new();
    for word in reasons.iter().flat_map(|why| &why.words) {
        if !words.contains(&word.as_str()) && words.len() < NAMED {
            words.push(word);
        }
    }
    let say = |text: T, with: &str| fill(text.text(language), &[with]);
    let by_words = (!words.is_empty()).then(|| say(T::ForWords, &words.join(language.pick("、", ", "))));
    let by_sense = reasons.iter().any(|why| why.words.is_empty() && !why.score.is_empty());
    let pinned = reasons.iter().filter(|why| why.pinned).count();
    let by_pins = (pinned > 0).then(|| say(T::ForPins, &pinned.to_string()));
    by_words.into_iter().chain(by_sense.then(|| say(T::ForSense, ""))).chain(by_pins).collect()
}

fn part_word(name: &str) -> T {
    match name {
        "words" => T::PartWords,
        "dense" => T::PartDense,
        "date" => T::PartDate,
        "session" => T::PartSession,
        "speaker" => T::PartSpeaker,
        "prior" => T::PartPrior,
        _ => T::PartOther,
    }
}

/// A text as the prompt recalled it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    pub turn: u32,
    pub text: String,
    /// It has changed since.
    pub is_older: bool,
    pub reason: String,
}

/// The texts of a recalled block, each with its reason.
pub fn recalled(block: &str, reasons: &[&str]) -> Vec<Recalled> {
    let mut texts: Vec<Recalled> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("- ").and_then(turn_named) {
            Some((turn, head, text)) => texts.push(Recalled {
                turn,
                text: text.to_owned(),
                // As prompts were told once.
                is_older: head.contains("（后来有变）") || head.contains("(has changed since)"),
                reason: String::new(),
            }),
            None => {
                if let Some(last) = texts.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(line);
                }
            }
        }
    }
    for (text, reason) in texts.iter_mut().zip(reasons) {
        (*reason).clone_into(&mut text.reason);
    }
    for text in &mut texts {
        text.text = text.text.trim().to_owned();
    }
    texts
}

/// `第12轮，沈渡：…`, `Turn 12, Mira: …`, `Turns 1–3: …`: the (first) turn, what stands before the colon, and what after it.
fn turn_named(line: &str) -> Option<(u32, &str, &str)> {
    let rest = ["第", "Turn ", "Turns "].into_iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    let turn = rest[..end].parse().ok()?;
    let (head, text) = rest.split_once(['：', ':']).unwrap_or(("", rest));
    Some((turn, head, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_in_plain_language() {
        let said = why("2.31 = words 1.00 + prior 0.42; 约定 knife", Language::En);
        assert_eq!(said.score, "2.31");
        assert_eq!(said.parts, [("words", "1.00".to_owned()), ("newness", "0.42".to_owned())]);
        assert_eq!(said.words, ["约定", "knife"]);
        assert!(why("pinned", Language::Zh).pinned);
        let all =
            ["2.31 = words 1.00; 约定 knife", "pinned", "1.00 = words 1.00; knife", "0.40 = dense 0.40", "recent"];
        assert_eq!(because(&all, Language::En), ["for the words: 约定, knife", "for what they mean", "always told: 1"]);
        assert_eq!(because(&all[..1], Language::Zh), ["因为说到：约定、knife"]);
        assert_eq!(because(&["store"], Language::Zh), [""; 0]);
        assert_eq!(why("store", Language::Zh), Why::default());
    }

    #[test]
    fn what_was_recalled_is_read_from_the_prompt() {
        let block = "【回忆】\n- 第12轮：他点了头\n- 也笑了\n- 第3轮（后来有变）：钥匙在罐子里\n- Turns 4–6: A knife";
        let read = recalled(block, &["pinned", "1.00 = words 1.00"]);
        let turns: Vec<_> = read.iter().map(|told| (told.turn, told.is_older)).collect();
        assert_eq!(turns, [(12, false), (3, true), (4, false)]);
        assert_eq!((read[0].text.as_str(), read[1].text.as_str()), ("他点了头\n- 也笑了", "钥匙在罐子里"));
        assert_eq!([&read[0].reason, &read[1].reason, &read[2].reason], ["pinned", "1.00 = words 1.00", ""]);
    }
}
