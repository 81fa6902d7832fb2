//! Who the reader is: a prompt speaks of the user, of `{{user}}`, and the story of “you”.

use crate::{prompt::draft::Draft, story::storyline::Language};

pub fn text(draft: &mut Draft) -> String {
    let reader = draft.scene.storyline.reader();
    let name = reader.told().plain;
    match (reader.is_named(), reader.language) {
        (true, Language::Zh) => format!("用户就是{name}。"),
        (true, Language::En) => format!("The user is {name}."),
        (false, Language::Zh) => {
            "用户就是“读者”：故事里的一个人物，姓名没有给出。故事正文称其为“你”，不写“读者”二字；其人在故事里说出名字以后，也可以用那个名字。".to_owned()
        }
        (false, Language::En) => {
            "The user is “the reader”: a character in the story whose name is not given. The story itself calls them “you”, never “the reader”; once they have given a name in it, that name will do too.".to_owned()
        }
    }
}
