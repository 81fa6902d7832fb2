//! Texts of providers by name, and of servers on this machine.

use super::Language;

texts! {
    Provider: "服务", "Provider";
    Other: "其他地址", "Another address";
    Hosted: "在线服务", "Online";
    Local: "本机", "On this machine";
    MakeKey: "到 {} 创建密钥", "Make a key at {}";
    LogIn: "用 OpenRouter 账号登录", "Log in with OpenRouter";
    LogInHint: "不用复制密钥。页面会去 OpenRouter 再回来，表单里没保存的会清空。", "No key to copy. The page goes to OpenRouter and comes back; what is not saved in this form is gone then.";
    NoWay: "浏览器不让这个页面保存登录所需的信息，登录不了。请改为复制密钥。", "The browser does not let this page store what the log-in needs. Copy a key instead.";
    KeyOfAnother: "保存的密钥是给 {} 的。请输入这个服务的密钥。", "The kept key was given for {}. Enter the one of this server.";
    LendKey: "这里也用保存的密钥", "Use the kept key here, too";
    StartLine: "这样启动它，让它允许这个网页：", "Start it like this, so that it lets this page in:";
    Find: "找本机的模型", "Find models on this machine";
    Finding: "正在找……", "Looking…";
    FoundOne: "{}：{} 个模型", "{}: {} {model|models}";
    Take: "用它", "Use it";
    FoundNone: "常用的端口上没有谁回答。没有启动，或不允许这个网页：", "Nothing answers on the usual ports: none is running, or it does not let this page in.";
    Copy: "复制", "Copy";
}
