//! Why an address, a key or an answer was refused: the reasons that `provider` words itself, in the reader's language.

use super::Language;

/// Reasons as `provider::address`, the requests and the readers of answers word them, and the same in Chinese.
const REASONS: [(&str, &str); 17] = [
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
    ("not as many vectors as texts", "向量的数目与文本不符"),
    ("an index is missing, or there twice", "向量的序号有缺漏或重复"),
    ("vectors of different dimensions", "向量的维数不一致"),
    ("an item without a vector", "有一项没有向量"),
    ("a vector that is not made of finite numbers", "有的向量不是由有限的数字组成的"),
    ("a vector without direction", "有的向量全为零"),
];

/// A reason in the reader's language; the words of others stay as they are.
pub fn reason(words: &str, language: Language) -> &str {
    let chinese = || REASONS.iter().find(|(english, _)| *english == words).map(|(_, chinese)| *chinese);
    language.pick(chinese(), None).unwrap_or(words)
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
