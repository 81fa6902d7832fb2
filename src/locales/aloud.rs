//! Texts of a story that is read: without its machinery, and aloud.

use super::Language;

texts! {
    Dictate: "口述", "Dictate";
    DictateHint: "（浏览器可能会把声音发给它的厂商来识别）", "(your browser may send what you say to its maker)";
    StopListening: "停止口述", "Stop dictating";
    MayNotListen: "浏览器没有让这个页面使用麦克风。", "The browser does not let this page use the microphone.";
    HearsNothing: "浏览器听写不了（{}）。", "The browser cannot take dictation ({}).";
    Comes: "回复正在写。", "The reply is being written.";
    Read: "只看故事", "Read without distraction";
    Leave: "回到写作", "Back to writing";
    Aloud: "朗读", "Read aloud";
    Playing: "正在朗读第 {} 轮", "Reading turn {}";
    Pause: "停一停", "Pause";
    GoOn: "接着读", "Go on";
    Back: "上一句", "The sentence before";
    Forth: "下一句", "The next sentence";
    Stop: "不读了", "Stop reading aloud";
    Voice: "嗓音", "Voice";
    UsualVoice: "浏览器的", "The browser's own";
    Rate: "快慢", "Pace";
    NoVoice: "这个浏览器没有会说这种语言的嗓音。在系统设置里装一个，再试。", "This browser has no voice for this language. Add one in the system's settings and try again.";
    NotSaid: "浏览器没有念出来。再按一次试试，或换一个嗓音。", "The browser did not say it. Press again, or choose another voice.";
    Nothing: "这里没有可以念的字。", "There is nothing here to read aloud.";
}
