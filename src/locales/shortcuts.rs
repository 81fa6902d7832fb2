//! Texts of the keys that do something.

use super::Language;

texts! {
    Title: "快捷键", "Keys";
    Writing: "写的时候", "Writing";
    Reading: "读的时候，或输入框空着时", "Reading, or with nothing in the composer";
    Anywhere: "在哪里都行", "Anywhere";
    Send: "说出去", "Say it";
    Line: "换行", "A new line";
    Commands: "命令", "Commands";
    Save: "保存改过的话", "Keep what you reworded";
    GiveUp: "停下正在写的回复，放弃改动，收起侧栏", "Stop the reply that is being written, give up a change, put a panel away";
    GoOn: "输入框空着时：让回复接着写", "With nothing in the composer: the reply goes on";
    Previous: "上一个回复", "The reply before";
    Next: "下一个回复；最后一个之后，写个新的", "The next reply; after the last one, a new one";
    Reword: "输入框空着时：改你上一句话", "With nothing in the composer: reword what you said last";
    Search: "搜索所有故事", "Search all stories";
    Walk: "在树上走动，回车去那里", "Walk the tree; Enter goes there";
    Move: "在列表里上下移动一项", "Move an item of a list";
    These: "这张表", "This list";
    Finger: "用手指：在最后一个回复上左右滑，换下一个或上一个。", "With a finger: swipe over the last reply, left for the next one, right for the one before.";
}
