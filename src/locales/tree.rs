//! Texts of the tree: its picture, its branches, save points.

use super::Language;

texts! {
    Tree: "故事的树", "The story's tree";
    TreeHint: "方向键移动，回车前往。", "Arrows move, Enter goes there.";
    Counts: "{} 个分支", "{} {branch|branches}";
    ZoomIn: "放大", "Zoom in";
    ZoomOut: "缩小", "Zoom out";
    ToHere: "回到现在的位置", "Back to where you are";
    AtTurn: "第 {} 轮", "Turn {}";
    AtOpening: "开场", "The opening";
    IsHere: "现在在这里", "you are here";
    IsBud: "还没有下文的回复", "a reply not yet continued";
    HasOthers: "还有没走过的回复", "has replies not yet continued";
    PointDone: "完成剧情点：{} {}", "plot point finished: {} {}";
    OtherReplies: "没走过的回复（{}）", "Replies not continued ({})";
    IsFork: "分岔", "a fork";
    IsSaved: "存档点", "save point";
    IsSession: "之后开始新的会话", "a session opens after it";
    IsUntold: "不讲给模型", "the model is not told it";
    Name: "名字", "Name";
    NamePlaceholder: "给这里起个名字", "Name this place";
    GoThere: "前往", "Go there";
    BranchHere: "从这里另起一支", "Branch from here";
    CompareHere: "与现在比较", "Compare with where you are";
    BranchFile: "这一支存成文件", "This branch as a file";
    BranchFileHint: "从开场到现在的位置，按现在看到的样子。", "From the opening to where you are, as it is seen now.";
    AsChat: "SillyTavern 聊天", "SillyTavern chat";
    AsMarkdown: "Markdown", "Markdown";
    AsHtml: "网页", "Page";
    AsEpub: "EPUB", "EPUB";
    DeleteBranch: "删除这一支", "Delete this branch";
    BranchDeleted: "已删除一个分支。", "A branch was deleted.";
    InBin: "最近删除的分支（{}）", "Deleted branches ({})";
    InBinRow: "第 {} 轮之后 · {} 轮", "after turn {} · {} {turn|turns}";
    Restore: "恢复", "Restore";
    WentBack: "你回到了第 {} 轮：接下来说的话会另起一支，后面的内容仍然保留。", "You are back at turn {}: what you say next begins a branch, and what came after stays.";
    ToTheEnd: "回到这一支的末尾", "To the end of this branch";
    // Editing
    EditWhere: "故事已经从这里继续了。新的文字放在哪里？会记住你的选择，可在设置里更改。", "The story has gone on from here. Where does the new wording go? This is remembered, and can be changed in the settings.";
    EditBranch: "另起一支，原来的保留", "On a new branch; the old one stays";
    EditInPlace: "就地修改，后文不变", "In place; what follows stays";
    EditAs: "改写故事中间的文字", "Rewording amid the story";
    EditAsk: "问一次", "Ask once";
    // Comparing
    Compare: "比较两支", "Two branches compared";
    CompareHereSide: "现在", "Where you are";
    CompareFork: "第 {} 轮之后不同", "They part after turn {}";
    CompareMore: "更多", "More";
    NothingHere: "（这里没有了）", "(ends before)";
    Persona: "人物", "Persona";
    Plot: "剧情", "Plot";
    World: "世界", "World";
    NoDifference: "没有不同", "No difference";
    // Save points
    SavePoints: "存档点", "Save points";
    SaveHere: "在这里存档", "Save this place";
    SaveNote: "备注（可留空）", "Note (may stay empty)";
    NoSavePoints: "还没有存档点。", "No save points yet.";
    SavePointRestore: "回到这里", "Go back here";
    SavePointExport: "导出到这里为止的故事", "Export the story up to here";
    SavePointDelete: "删除存档点", "Delete this save point";
    SavePointDeleted: "已删除一个存档点。", "A save point was deleted.";
    SavePointRestored: "已回到“{}”。", "Back at “{}”.";
    PlotAt: "剧情第 {} 点", "plot point {}";
}
