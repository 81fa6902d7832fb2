//! Why something was refused or has failed: the reasons that this program words itself, in the reader's language.
//!
//! A fault keeps its reason in English, among the words of providers, browsers and parsers, which are quoted as they
//! are. `tests/tidy.rs` holds that no reason of our own is without its Chinese.

use super::{Language, fill};

/// Reasons in English, with places, and the same in Chinese. The more exact stand before the more general.
type Reasons = &'static [(&'static str, &'static str)];

/// Those of the store. By themselves: the page words them before it has what words all others.
const STORE: Reasons = &[
    ("the database was closed for a newer version", "数据库已为新版本关闭"),
    ("the database is of a newer version", "数据库的版本比这个页面新"),
    ("not base64", "不是 Base64"),
    ("not a text", "不是文字"),
    ("NewerRecord: {}: written by a newer version of this program", "{} 里有一条记录是新版本写下的，请刷新页面"),
    ("{}: written by a newer version of this program", "{} 里有一条记录是新版本写下的，请刷新页面"),
    ("UnreadableRecord: {}: {}", "{} 里有一条记录读不懂（{}）"),
    ("UnreadableRecord: {}", "有一条记录读不懂（{}）"),
    ("InvalidStateError: {}", "数据库不可用（{}）"),
    ("not of this kind", "不是这一类"),
    ("of version {}, which is not known", "是不认识的版本 {}"),
    ("more than was written", "比写下的多"),
    ("not the fields that were written", "不是写下的那些栏目"),
    ("a segment with more or fewer vectors than keys", "向量与键的数目不符"),
    ("a segment with a vector that is none", "有的向量不成立"),
    ("not a graph", "不是图"),
    ("a stored part of the memory index is damaged", "存着的一段记忆索引已损坏"),
    ("a turn is missing", "缺了一轮"),
    ("the history tree is damaged", "故事树已损坏"),
    ("branch {} is missing or part of a circle", "分支 {} 缺失，或首尾相接"),
];

const OTHERS: Reasons = &[
    // Addresses, keys, answers
    ("the address is empty", "地址是空的"),
    ("the address contains a space or a character that no address has", "地址里有空格，或地址里不会有的字符"),
    ("the address must begin with http:// or https://", "地址应以 http:// 或 https:// 开头"),
    ("the address must not contain a user name or password", "地址里不能有用户名或密码"),
    ("the address must not contain a key: it has a field of its own", "地址里不能有密钥，请填在密钥一栏"),
    ("the port is not a number up to 65535", "端口应是不超过 65535 的数字"),
    ("the address has no host", "地址里没有主机名"),
    ("the host is not a valid name", "主机名不合规则"),
    ("the key contains a space or a character that no key has", "密钥里有空格，或密钥里不会有的字符"),
    ("no model is named", "没有写模型名"),
    ("the reply ended without its end sign", "回复没有结束标记就断了"),
    ("more than {} MiB in one piece", "一段内容超过了 {} MiB"),
    ("a list without names", "列表里没有模型名"),
    ("an answer of absurd length", "回应长得不合常理"),
    ("not as many vectors as texts", "向量的数目与文本不符"),
    ("an index is missing, or there twice", "向量的序号有缺漏或重复"),
    ("vectors of different dimensions", "向量的维数不一致"),
    ("an item without a vector", "有一项没有向量"),
    ("a vector that is not made of finite numbers", "有的向量不是由有限的数字组成的"),
    ("a vector without direction", "有的向量全为零"),
    ("a vector with a number that is not finite", "有的向量里有不是有限的数字"),
    ("a vector of {} dimensions, where {} are wanted", "向量是 {} 维的，需要的是 {} 维"),
    // The story
    ("a turn is already being played", "已有一轮正在进行"),
    ("a reply is still being written", "还有一条回复没有写完"),
    ("the reply is still being written", "这条回复还没有写完"),
    ("the reply is not there any more", "这条回复已经不在了"),
    ("the turn is not there any more", "这一轮已经不在了"),
    ("it is not there any more", "它已经不在了"),
    ("nobody is there to hear it", "没有人在场，听不见"),
    ("who comes is there already, or who goes is not", "来的人已经在场，或走的人并不在场"),
    // The memory's worker
    ("the worker could not be started", "后台程序没能启动"),
    ("the worker failed", "后台程序出错了"),
    ("the worker has ended", "后台程序已经结束"),
    ("the worker takes no message", "后台程序不接收消息"),
    // What a reply says of the state
    ("there is no object in the text", "里面没有 JSON 对象"),
    ("not JSON, however it is read", "怎么读都不是 JSON"),
    // Files
    ("not UTF-8", "不是 UTF-8"),
    ("not Base64", "不是 Base64"),
    ("nested too deeply", "嵌套得太深"),
    ("too large", "太大"),
    ("lines after the end", "结尾之后还有内容"),
    ("the checksum or the number of records is another", "校验和或记录数不符"),
    ("{} storylines in an archive of one", "一个故事的存档里有 {} 个故事"),
    ("{} after their place", "{} 的次序不对"),
    ("{} is there twice", "{} 出现了两次"),
    ("{} hangs on nothing", "{} 没有依附的记录"),
    ("{} belongs to another storyline here", "{} 在这里属于另一个故事"),
    ("a record without an id", "有一条记录没有 id"),
    ("an id that is empty or absurdly long", "有的 id 是空的，或长得不合常理"),
    ("bytes belong to pictures, and a picture needs them", "只有图片应带数据，图片也必须有"),
    ("a branch without measure", "有的分支长得没有限度"),
    ("a picture whose bytes are not those of its id", "有的图片与它的 id 不符"),
    ("a picture of another size than it says", "有的图片大小与所写的不符"),
    ("not a picture of the kind that it says", "有的图片不是所写的类型"),
    // Patterns, in the words of their engine
    ("look-around is not supported", "不支持前后查找"),
    ("backreferences are not supported", "不支持反向引用"),
    ("Unicode character classes are not supported", "不支持 \\p{…} 这类字符类"),
    ("found unclosed character class", "方括号没有合上"),
    ("found open group without closing ')'", "圆括号没有合上"),
    ("expected closing ')', but got end of pattern", "圆括号没有合上"),
    ("found closing ')' without matching '('", "多了一个右圆括号"),
    ("header: {}", "文件头：{}"),
    ("line {}: {}", "第 {} 行：{}"),
];

/// A reason in the reader's language, with what stands in its places; the words of others stay as they are.
pub fn reason(words: &str, language: Language) -> String {
    among(&[STORE, OTHERS], words, language)
}

/// The same for what the store says.
pub fn of_store(words: &str, language: Language) -> String {
    among(&[STORE], words, language)
}

fn among(tables: &[Reasons], words: &str, language: Language) -> String {
    let chinese = || {
        tables.iter().copied().flatten().find_map(|(english, chinese)| {
            let values: Vec<_> =
                values(english, words)?.into_iter().map(|value| among(tables, value, language)).collect();
            Some(fill(chinese, &values.iter().map(String::as_str).collect::<Vec<_>>()))
        })
    };
    let own = if language == Language::Zh { chinese() } else { None };
    own.unwrap_or_else(|| words.to_owned())
}

/// What stands in the places of a template; `None` where the words are of another.
fn values<'a>(template: &str, words: &'a str) -> Option<Vec<&'a str>> {
    let Some((head, rest)) = template.split_once("{}") else { return (template == words).then(Vec::new) };
    let words = words.strip_prefix(head)?;
    // The last place takes all that is left, those before it as little as they can.
    let (next, is_last) = rest.split_once("{}").map_or((rest, true), |(next, _)| (next, false));
    let at =
        if is_last { words.len().checked_sub(next.len()).filter(|_| words.ends_with(next)) } else { words.find(next) };
    let (value, tail) = words.split_at(at?);
    let mut found = vec![value];
    found.extend(values(rest, tail)?);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        provider::{address::Address, chat_request, parse_embeddings},
        story::connection::{Connection, ProviderKind},
    };

    #[track_caller]
    fn check(words: &str) {
        assert_ne!(reason(words, Language::Zh), words);
        assert_eq!(reason(words, Language::En), words);
    }

    #[test]
    fn every_refused_address_says_why_in_chinese() {
        let bad = [
            "",
            "host",
            "ftp://host",
            "https://",
            "https://a@b",
            "https://a b",
            "https://h:x",
            "https://h%",
            "https://h?key=1",
        ];
        for address in bad {
            check(&Address::parse(address).unwrap_err().detail);
        }
    }

    #[test]
    fn so_does_every_refused_request() {
        let connection = Connection { kind: ProviderKind::Gemini, ..Default::default() };
        check(&chat_request(&connection, Some("a b"), &[]).unwrap_err().detail);
        check(&chat_request(&connection, None, &[]).unwrap_err().detail);
        assert_eq!(reason("Rate limit reached", Language::Zh), "Rate limit reached");
    }

    #[test]
    fn what_stands_in_a_reason_goes_with_it() {
        let zh = |words| reason(words, Language::Zh);
        assert_eq!(zh("a vector of 3 dimensions, where 1024 are wanted"), "向量是 3 维的，需要的是 1024 维");
        assert_eq!(zh("line 12: turns t1 hangs on nothing"), "第 12 行：turns t1 没有依附的记录");
        assert_eq!(zh("UnreadableRecord: turns: a turn is missing"), "turns 里有一条记录读不懂（缺了一轮）");
        assert_eq!(zh("QuotaExceededError: no room"), "QuotaExceededError: no room");
    }

    #[test]
    fn so_does_every_refused_vector() {
        let bad = [
            "[]",
            r#"[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]"#,
            "[[1],[1,2]]",
            "[{},{}]",
            "[[null],[1]]",
            "[[0],[1]]",
        ];
        for body in bad {
            check(&parse_embeddings(body, 2, None).unwrap_err().detail);
        }
    }
}
