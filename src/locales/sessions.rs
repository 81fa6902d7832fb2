//! Texts about sessions: stretches of a story, and its rests.

use super::Language;

texts! {
    Sessions: "会话", "Sessions";
    SessionNumber: "第 {} 次会话", "Session {}";
    SessionTurns: "{} 轮", "{} {turn|turns}";
    SessionCurrent: "当前", "current";
    ExportSession: "导出第 {} 次会话（JSONL）", "Export session {} (JSONL)";
    NewSession: "开始新的会话", "Begin a new session";
    NewSessionHint: "故事接着往下走，人物和剧情不变；只发送“当前会话”的预设（如导演模式）从空白的对话开始。", "The story goes on, with its persona and plot as they are; presets that send the current session only, such as Director, begin with an empty conversation.";
    Pause: "暂停", "Pause";
    GoOn: "继续", "Go on";
    IsPaused: "这个故事暂停着。", "This story is paused.";
}
