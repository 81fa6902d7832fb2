//! Texts of the files of a card.

use super::Language;

texts! {
    Title: "表情和图片", "Expressions and pictures";
    AddHint: "一张图代表一种情绪，就叫那种情绪的名字（喜悦、愤怒、joy……）。人物有了那种情绪，回复上方的头像就换成那张图；叫“平淡”的用在其余时候。多人的故事里总有头像，一对一的要在设置里打开。", "A picture stands for a feeling and bears its name (joy, anger, 喜悦…). While the character feels it, that picture is the face above the reply; one named “neutral” is, otherwise. Faces are shown in stories of several, and in others where the settings say so.";
    Add: "加表情图", "Add expressions";
    Feeling: "情绪", "Feeling";
    RemoveOne: "去掉“{}”", "Remove “{}”";
    Removed: "去掉了“{}”。", "“{}” is removed.";
    Full: "这个人物的文件已满，{} 张没有放进去。", "There is no more room with this character: {} {picture|pictures} left out.";
    Hint: "CHARX 导出带走全部；PNG 和 JSON 带走列出的，合计 6 MB 以内。", "Exported as CHARX all of them go along; as PNG and JSON those that the card lists, up to 6 MB together.";
    Emotion: "表情", "Expression";
    Background: "背景图", "Background";
    Icon: "头像", "Icon";
    User: "读者的头像", "Icon of the reader";
    File: "文件", "File";
    Opens: "在新标签页里打开，那个网站会知道有人看了：", "Opens in a new tab; its site learns that somebody looks:";
}
