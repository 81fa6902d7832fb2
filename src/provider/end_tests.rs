//! How a reply is known to be whole.

use super::*;

/// As gateways between the protocols send it, and Gemini itself at times: on each piece, on the thoughts, before the first
/// word, or not at all. What is said after it is of the reply, and the reason is that of the last.
#[test]
fn an_end_sign_is_the_end_where_nothing_is_said_after_it() {
    use ProviderKind::*;
    let openai = |delta: &str, end: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{{delta}}},\"finish_reason\":\"{end}\"}}]}}\n\n")
    };
    let [none, thought, a, b] =
        ["", "\"reasoning_content\":\"Hm\"", "\"content\":\"<think>x</th\"", "\"content\":\"ink>B\""];
    let done = "data: [DONE]\n\n";
    let all = |end: &str| [openai(thought, "stop"), openai(a, "stop"), openai(b, end)].concat();
    check(Openai, all("stop").as_bytes(), "|Hmx|B|0+0|Stop");
    check(Openai, (all("length") + done).as_bytes(), "|Hmx|B|0+0|Length");
    check(Openai, (openai(none, "stop") + &said(Openai, "A") + done).as_bytes(), "||A|0+0|Stop");
    check(Openai, (openai(none, "length") + &openai(none, "stop")).as_bytes(), "|||0+0|Length");
    // Nothing is said by what is blank.
    check(Openai, (openai(b, "stop") + &said(Openai, "\\n")).as_bytes(), "||ink>B\n|0+0|Stop");
    // It was not the end, and no other came.
    let lost = "ConnectionLost: the reply ended without its end sign";
    check(Openai, (openai(none, "stop") + &said(Openai, "A")).as_bytes(), &format!("||A|0+0|{lost}"));
    let gemini =
        |text: &str, end: &str| said(Gemini, text).replace("}]}}]}", &format!("}}]}},\"finishReason\":\"{end}\"}}]}}"));
    let all = |end: &str| [gemini("灯", "STOP"), gemini("还亮", "STOP"), gemini("着", end)].concat();
    for (end, reason) in [("STOP", "Stop"), ("MAX_TOKENS", "Length"), ("SAFETY", "Filtered(\"SAFETY\")")] {
        check(Gemini, all(end).as_bytes(), &format!("||灯还亮着|0+0|{reason}"));
    }
    // The bill is the only sign.
    let bill = r#"data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    check(Openai, (said(Openai, "A") + bill).as_bytes(), "||A|3+1|Stop");
}

#[test]
fn a_connection_left_open_after_the_end_is_known_as_closed() {
    let mut decoder = StreamDecoder::new(ProviderKind::Openai, None);
    decoder.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"A\"},\"finish_reason\":\"stop\"}]}\n\n");
    assert_eq!((decoder.is_complete(), decoder.is_closed()), (true, false));
    decoder.push(b"data: [DONE]\n\n");
    assert_eq!((decoder.is_complete(), decoder.is_closed()), (true, true));
}
