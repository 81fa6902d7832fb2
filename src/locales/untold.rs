//! Texts of turns that the reader takes out of what a model is told.

use super::Language;

texts! {
    TakeOut: "抽走：不再告诉模型", "Take out: no model is told it any more";
    IsOut: "这一轮不再告诉模型，也不会被想起；它已经改变的照旧。", "No model is told this turn, nor recalls it; what it changed stays.";
    IsFolded: "这里有一轮被抽走了。", "A turn here was taken out.";
    PutBack: "放回去", "Put it back";
    Fold: "也从页面上收起", "Fold it away, too";
    Unfold: "展开看看", "Show it";
    Delete: "删掉：故事回到它之前", "Delete it: the story is as before it";
    TakenOut: "抽走了一轮。", "A turn was taken out.";
    Deleted: "删掉了最后一轮。一周内可以在“树”里找回。", "The last turn was deleted. The tree brings it back for a week.";
}
