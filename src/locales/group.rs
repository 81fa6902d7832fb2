//! Texts of scenes of several.

use super::Language;

texts! {
    Title: "登场的人", "Who is in it";
    Hint: "一个故事里可以有好几个角色，各有各的人格、成长和记忆。不在场的人不知道场上发生的事；悄悄话只有听见的人知道。", "Several characters may be in one story, each with a persona, growth and memory of their own. Who is away does not know what happens meanwhile; a whisper is known to those who hear it.";
    Present: "在场", "There";
    Away: "不在场", "Away";
    Own: "故事的主角", "The story's own";
    Leave: "离开", "Leaves";
    Return: "回来", "Returns";
    Remove: "退出故事", "Take out";
    Add: "加入", "Add";
    AddWho: "从角色库加入", "Add from the library";
    Choose: "选一个角色", "Choose a character";
    Mode: "没有点名时谁来说", "Who speaks where nobody is named";
    ModeTurns: "轮流，一次一人", "By turns, one each time";
    ModeAll: "在场的每个人", "Everybody who is there";
    ModeChance: "看各人健谈不健谈", "As talkative as they are";
    ModeModel: "由模型来选（多一次请求）", "Whom the model chooses (a call more)";
    ModeHand: "由我来点", "Whom I let speak";
    ModeHint: "话里叫到谁，谁先回答；回答里叫到的人也会接话。", "Whom your words name answers first; whom an answer names may speak next.";
    Most: "一次最多几个人说", "How many answer at most";
    MostHint: "每个人说话都要请求一次模型。", "Each of them is a call of the model.";
    SaidTo: "说给谁听", "Said to";
    SaidToHint: "一个也不选，在场的人都听得见", "With none chosen, everybody who is there hears it";
    WhisperTo: "只说给{}听", "Whisper to {}";
    LetSpeak: "让{}说话", "Let {} speak";
    Gone: "（已删除的角色）", "(deleted)";
    Whose: "看谁", "Whose mind";
    HeardBy: "悄悄话，听见的只有：{}", "Whispered; heard by {} alone";
}
