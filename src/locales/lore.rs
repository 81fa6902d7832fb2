//! Why entries of lorebooks are in a prompt, in words.

use super::{Language, sheet::title};
use crate::{
    features::lore::{tell::Reason, wake::Why},
    story::written::Text,
};

/// Entries that one block names at most.
const NAMED: usize = 12;

/// Whether a line of a block's reasons is of an entry of a lorebook.
pub fn is_reason(line: &str) -> bool {
    Reason::read(line).is_some()
}

/// Each entry with what brought it up.
pub fn because(reasons: &[&str], language: Language) -> Vec<String> {
    let read: Vec<Reason> = reasons.iter().filter_map(|line| Reason::read(line)).collect();
    let more = read.len().saturating_sub(NAMED);
    let named = read.iter().take(NAMED).map(|reason| one(reason, language));
    let rest = (more > 0).then(|| match language {
        Language::Zh => format!("还有 {more} 条"),
        Language::En => format!("and {more} more"),
    });
    named.chain(rest).collect()
}

/// An entry with what brought it up.
pub fn one(Reason { book, entry, why }: &Reason, language: Language) -> String {
    match language {
        Language::Zh => {
            let of = if book.is_empty() { String::new() } else { format!("《{book}》") };
            let why = match why {
                Why::Constant => "常驻".to_owned(),
                Why::Stays => "之前触发过，仍然保持".to_owned(),
                Why::Message { key, message: 1 } => format!("最新一条消息里有“{key}”"),
                Why::Message { key, message } => format!("倒数第 {message} 条消息里有“{key}”"),
                Why::Entry { key, entry } => format!("条目“{entry}”里有“{key}”"),
                Why::Text { key, of } => format!("{}里有“{key}”", title(*of).text(language)),
                Why::Meaning { likeness } => format!("意思相近，{}", hundredths(*likeness)),
                Why::NoRoom => "放不下，没有放入".to_owned(),
            };
            format!("{of}“{entry}”：{why}")
        }
        Language::En => {
            let of = if book.is_empty() { String::new() } else { format!(" ({book})") };
            let why = match why {
                Why::Constant => "always told".to_owned(),
                Why::Stays => "came up a while ago, and stays".to_owned(),
                Why::Message { key, message: 1 } => format!("“{key}” is in the newest message"),
                Why::Message { key, message } => format!("“{key}” is in message {message} from the end"),
                Why::Entry { key, entry } => format!("“{key}” is in the entry “{entry}”"),
                Why::Text { key, of: Text::Sheet } => format!("“{key}” is in the character sheet"),
                Why::Text { key, of: Text::Plot } => format!("“{key}” is in the plot summary"),
                Why::Meaning { likeness } => format!("by meaning, {}", hundredths(*likeness)),
                Why::NoRoom => "left out, for there was no room".to_owned(),
            };
            format!("“{entry}”{of}: {why}")
        }
    }
}

fn hundredths(number: u32) -> String {
    format!("{}.{:02}", number / 100, number % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_in_words() {
        let line = |why| serde_json::to_string(&Reason { book: "海".into(), entry: "灯".into(), why }).unwrap();
        let lines = [
            line(Why::Constant),
            "2.31 = words 1.00; 约定".to_owned(),
            line(Why::Message { key: "月 = ;".into(), message: 1 }),
            line(Why::Message { key: "月".into(), message: 3 }),
            line(Why::Entry { key: "月".into(), entry: "潮".into() }),
            line(Why::Meaning { likeness: 83 }),
            line(Why::NoRoom),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let zh = because(&lines, Language::Zh);
        assert_eq!(zh[..2], ["《海》“灯”：常驻", "《海》“灯”：最新一条消息里有“月 = ;”"]);
        let en = because(&lines, Language::En);
        assert_eq!(en.len(), 6);
        assert_eq!((zh[4].as_str(), en[4].as_str()), ("《海》“灯”：意思相近，0.83", "“灯” (海): by meaning, 0.83"));
        assert_eq!(en[2], "“灯” (海): “月” is in message 3 from the end");
        let many = vec![lines[0]; 20];
        assert_eq!(because(&many, Language::En).last().unwrap(), "and 8 more");
    }
}
