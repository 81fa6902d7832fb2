//! The form of a connection.

use super::Language;

texts! {
    ConnectionName: "名称", "Name";
    ConnectionKind: "接口", "Protocol";
    KindOpenai: "OpenAI 兼容", "OpenAI-compatible";
    KindAnthropic: "Anthropic", "Anthropic";
    KindGemini: "Google Gemini", "Google Gemini";
    ConnectionUrl: "地址", "Address";
    ConnectionUrlHint: "任何 OpenAI 兼容的地址都可以，例如 http://localhost:11434/v1。", "Any OpenAI-compatible address will do, e.g. http://localhost:11434/v1.";
    ConnectionKeyKept: "（已保存，留空则不变）", "(kept; leave empty to keep it)";
    ConnectionKeyHint: "本地模型通常不需要。请用设有花费上限的密钥。", "Local models usually need none. Use a key with a spending limit.";
    ConnectionModel: "模型", "Model";
    FetchModels: "取得列表", "Fetch the list";
    TestConnection: "测试", "Test";
    TestWorks: "可以用。{} 回答了：“{}”", "It works. {} answered: “{}”";
    SaveAndReload: "保存并重新载入", "Save and reload";
    ForgetKey: "忘记这个密钥", "Forget this key";
    NoKeyNeeded: "不需要密钥", "No key is needed";
    KeyGoneHint: "这个连接的密钥只存在内存里，已经不在了。请再输入一次。", "This connection's key was kept in memory only, and is gone. Enter it again.";
    ConnectionNameHint: "留空则用地址里的主机名。", "Left empty, it takes the name of the host.";
    ConnectionModelHint: "只有一个模型的本地服务可以留空。", "A local server with a single model needs none.";
    TestSilent: "可以用。{} 有回应，只是这次没有正文。", "It works. {} answered, though without text this time.";
    LocalAllow: "让本机服务允许这个网页。Ollama：设 OLLAMA_ORIGINS={} 后重启。LM Studio：在服务器设置里打开 CORS。llama.cpp 和 KoboldCpp 默认允许。", "Let the local server allow this page. Ollama: set OLLAMA_ORIGINS={} and restart it. LM Studio: switch CORS on in the server's settings. llama.cpp and KoboldCpp allow it by default.";
    LocalPort: "常见端口：Ollama 11434，LM Studio 1234，llama.cpp 8080，KoboldCpp 5001。地址通常以 /v1 结尾。", "Usual ports: Ollama 11434, LM Studio 1234, llama.cpp 8080, KoboldCpp 5001. Most addresses end in /v1.";
    LocalSlow: "本机模型第一次要先载入，可能超过半分钟。稍等再测。", "A local model is loaded first, which may take longer than half a minute. Wait a little and test again.";
}
