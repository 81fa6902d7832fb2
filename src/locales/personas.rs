//! Texts of personas: where one stands, and whom one plays.

use super::Language;

texts! {
    Usual: "新故事默认用这个人设", "New stories begin with it";
    Place: "描述放在哪里", "Where the description stands";
    InPrompt: "提示词里，角色之后", "In the prompt, after the character";
    AtDepth: "对话里的某个深度", "At a depth of the chat";
    Nowhere: "不写入提示词，只用名字", "Nowhere: the name alone is told";
    With: "与这个角色对戏时，我是", "With this character I am";
    AsUsual: "照常", "As usual";
    Nobody: "不用人设", "No persona";
    OfStory: "你是谁", "Who you are";
}
