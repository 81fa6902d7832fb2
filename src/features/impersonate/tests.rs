use super::*;

fn asked(name: &str, persona: &str, hint: &str, language: Language) -> String {
    let (character, description, story) = match language {
        Language::Zh => ("林夕", "{{char}}守着一家旧书店，记得{{user}}。", "林夕: 门上的铃响了。\n"),
        Language::En => ("Mira", "{{char}} keeps a bookshop and remembers {{user}}.", "Mira: The bell rang.\n"),
    };
    let told = Told { reader: Reader::new(name, language), persona, character, description, story, hint };
    request(&told).remove(0).content
}

#[test]
fn what_the_model_reads() {
    let all = [
        asked("", "", "", Language::Zh),
        asked("阿远", "{{user}}是个迟到的信差。", "问那封信。", Language::Zh),
        asked("", "", "", Language::En),
        asked("Tom", "{{user}} is a late courier.", "Ask about the letter.", Language::En),
    ];
    insta::assert_snapshot!("impersonate", all.join("\n\n=================\n\n"));
}

#[test]
fn only_the_reader_s_words_are_kept() {
    let tom = Reader::new("Tom", Language::En);
    let cases = [
        ("I open the door.", "I open the door."),
        ("Tom: I open the door.\nMira: Who is there?", "I open the door."),
        ("**Tom:** I wait.\n\n**Mira:** No.\nTom: But.", "I wait."),
        ("I say: Mira, wait.", "I say: Mira, wait."),
        ("Tomorrow: I leave.", "Tomorrow: I leave."),
        ("<think>He should ask.</think>I ask.", "I ask."),
        ("Mira: No.", ""),
        ("  ", ""),
    ];
    for (text, kept) in cases {
        assert_eq!(read(text, tom, &["Mira", ""]), kept, "{text}");
    }
    let nobody = Reader::new("", Language::Zh);
    assert_eq!(read("读者：我推开门。\n林夕：谁？", nobody, &["林夕"]), "我推开门。");
}
