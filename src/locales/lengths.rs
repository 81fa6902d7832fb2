//! A prompt that is too long: its numbers, and the two ways on.

use super::{Language, faults::Explained, fill, warnings::grouped};
use crate::story::fault::{Fault, FaultKind};

texts! {
    Title: "太长了，没有发送", "Too long to send";
    Over: "这个故事比连接装得下的长：提示词约 {} tokens，给回复留 {}，而连接的上下文是 {}。还没有发送。", "The story is longer than its connection takes: the prompt is about {} {token|tokens}, {} are kept for the reply, and the connection’s context is {}. Nothing was sent.";
    Choices: "你的话已经存好。可以先汇总；也可以只发送最近的对话，更早的由记忆按需找回，这个故事以后也都这样。", "Your words are stored. Summarise first; or send the newest turns only, in this story from now on: what is earlier is recalled where it matters.";
    Bare: "不带任何对话，提示词也约有 {} tokens，而连接的上下文是 {}。还没有发送。", "Even with no conversation in it the prompt is about {} {token|tokens}, and the connection’s context is {}. Nothing was sent.";
    BareUnknown: "不带任何对话，提示词也约有 {} tokens，模型装不下。还没有发送。", "Even with no conversation in it the prompt is about {} {token|tokens}, more than the model takes. Nothing was sent.";
    BareAdvice: "请缩短人物、世界或预设的文字，或换一个上下文更大的模型；如果模型其实装得下，在连接里调高上下文。", "Shorten the texts of the character, the world or the preset, or choose a model that takes more; if this one does, raise the connection’s context.";
    Refused: "服务说提示词超过了模型的上下文", "The provider says that the prompt is longer than its model takes";
    Silent: "服务答应了，却一个字也没说就断开了。提示词约 {} tokens，多半超过了模型的上下文", "The provider accepted the request and broke off without a word. The prompt is about {} {token|tokens}, most likely more than its model takes";
    RefusedOf: "服务说提示词超过了模型的上下文：模型最多 {} tokens", "The provider says that the prompt is longer than its model takes: at most {} {token|tokens}";
    RefusedBoth: "服务说提示词超过了模型的上下文：提示词 {} tokens，模型最多 {}", "The provider says that the prompt is longer than its model takes: {} {token|tokens}, and at most {}";
    SetContext: "连接的上下文不超过 {}，已经记下，以后发送之前就会知道。", "The connection’s context is {} at most: that is kept, and known from now on before anything is sent.";
    SetContextUnknown: "要以后在发送之前就知道，在连接里填上模型的上下文。", "To be told before it is sent, enter the model’s context in the connection.";
    SummariseAndSend: "汇总后发送", "Summarise, then send";
    SendNewest: "只发送最近的对话", "Send the newest only";
    Always: "装不下时不再询问，只发送最近的对话", "When it does not all fit, send the newest turns without asking";
    ChangeConnection: "调整连接", "Change the connection";
}

/// What is wrong and what helps, for a prompt that a context has no room for.
pub(super) fn words(fault: &Fault, language: Language) -> Option<Explained> {
    let say = |text: T, numbers: &[u32]| {
        let numbers: Vec<String> = numbers.iter().map(|number| grouped(*number)).collect();
        fill(text.text(language), &numbers.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let length = fault.length.unwrap_or_default();
    let (what, advice) = match fault.kind {
        FaultKind::OverContext if length.bare && length.takes == 0 => {
            (say(T::BareUnknown, &[length.prompt]), say(T::BareAdvice, &[]))
        }
        FaultKind::OverContext if length.bare => {
            (say(T::Bare, &[length.prompt, length.takes]), say(T::BareAdvice, &[]))
        }
        FaultKind::OverContext => (say(T::Over, &[length.prompt, length.reply, length.takes]), String::new()),
        FaultKind::ContextTooLong => {
            let what = match (length.prompt, length.takes) {
                (prompt, 0) if fault.is_guess() => say(T::Silent, &[prompt]),
                (_, 0) => say(T::Refused, &[]),
                (0, takes) => say(T::RefusedOf, &[takes]),
                (prompt, takes) => say(T::RefusedBoth, &[prompt, takes]),
            };
            let set = match length.takes {
                0 => say(T::SetContextUnknown, &[]),
                takes => say(T::SetContext, &[takes]),
            };
            let said = fault.detail.trim();
            let [open, close] = language.pick(["（“", "”）。"], [" (“", "”)."]);
            let what = match said.is_empty() {
                true => format!("{what}{}", language.pick("。", ".")),
                false => [&what, open, said, close].concat(),
            };
            (what, set)
        }
        _ => return None,
    };
    Some(Explained { what, advice })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::fault::Length;

    #[test]
    fn with_the_numbers_there_are() {
        let check = |kind, length: Option<Length>, zh: &str, en: &str| {
            let fault = Fault { length, ..Fault::new(kind, "") };
            for (language, expected) in [(Language::Zh, zh), (Language::En, en)] {
                let told = words(&fault, language).unwrap();
                assert!(told.what.contains(expected), "{told:?}");
                assert!(!told.what.contains("{}"), "{told:?}");
            }
        };
        let length = Length { prompt: 12_345, reply: 1_024, takes: 8_192, bare: false };
        let over = FaultKind::OverContext;
        check(
            over,
            Some(length),
            "约 12,345 tokens，给回复留 1,024，而连接的上下文是 8,192",
            "about 12,345 tokens, 1,024 are kept for the reply, and the connection’s context is 8,192",
        );
        check(over, Some(Length { bare: true, ..length }), "不带任何对话", "Even with no conversation");
        let refused = FaultKind::ContextTooLong;
        check(refused, Some(Length { prompt: 0, ..length }), "模型最多 8,192", "at most 8,192");
        check(refused, Some(length), "提示词 12,345 tokens，模型最多 8,192", "12,345 tokens, and at most 8,192");
        let guess = Length { prompt: 12_345, ..Length::default() };
        check(refused, Some(guess), "提示词约 12,345 tokens", "The prompt is about 12,345 tokens, most likely");
        check(refused, None, "超过了模型的上下文。", "longer than its model takes.");
        let said = words(&Fault::new(refused, "Too long!"), Language::Zh).unwrap();
        assert!(said.what.ends_with("（“Too long!”）。"), "its own words: {}", said.what);
        assert_eq!(words(&Fault::new(FaultKind::OverLimit, "2 > 1"), Language::Zh), None);
    }
}
