//! Providers and local servers by name: where they are, what they speak, and where a key is made or a server started.

use super::{
    address::{self, Address},
    request,
};
use crate::story::connection::{Connection, ProviderKind};

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name, in Chinese and in English.
    pub name: [&'static str; 2],
    pub kind: ProviderKind,
    /// The base address.
    pub url: &'static str,
    pub start: Start,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Start {
    /// The page where a key is made.
    Key(&'static str),
    /// The line that starts it on this machine; `{}` is the page's origin.
    Line(&'static str),
}

const fn hosted(name: [&'static str; 2], kind: ProviderKind, url: &'static str, keys: &'static str) -> Known {
    Known { name, kind, url, start: Start::Key(keys) }
}

const fn local(name: &'static str, url: &'static str, line: &'static str) -> Known {
    Known { name: [name, name], kind: ProviderKind::Openai, url, start: Start::Line(line) }
}

/// In the order in which they are offered. Each answers calls from a page.
pub const KNOWN: &[Known] = {
    use ProviderKind::{Anthropic, Gemini, Openai};
    &[
        hosted(
            ["OpenRouter", "OpenRouter"],
            Openai,
            "https://openrouter.ai/api/v1",
            "https://openrouter.ai/settings/keys",
        ),
        hosted(
            ["DeepSeek", "DeepSeek"],
            Openai,
            "https://api.deepseek.com/v1",
            "https://platform.deepseek.com/api_keys",
        ),
        hosted(
            ["Anthropic（Claude）", "Anthropic (Claude)"],
            Anthropic,
            "https://api.anthropic.com/v1",
            "https://platform.claude.com/settings/keys",
        ),
        hosted(["OpenAI", "OpenAI"], Openai, "https://api.openai.com/v1", "https://platform.openai.com/api-keys"),
        hosted(
            ["Google（Gemini）", "Google (Gemini)"],
            Gemini,
            "https://generativelanguage.googleapis.com/v1beta",
            "https://aistudio.google.com/apikey",
        ),
        hosted(
            ["阿里云百炼（通义千问）", "Alibaba Cloud (Qwen)"],
            Openai,
            "https://dashscope.aliyuncs.com/compatible-mode/v1",
            "https://bailian.console.aliyun.com/?tab=model#/api-key",
        ),
        hosted(
            ["月之暗面（Kimi）", "Moonshot (Kimi)"],
            Openai,
            "https://api.moonshot.cn/v1",
            "https://platform.moonshot.cn/console/api-keys",
        ),
        hosted(
            ["智谱（GLM）", "Zhipu (GLM)"],
            Openai,
            "https://open.bigmodel.cn/api/paas/v4",
            "https://open.bigmodel.cn/usercenter/apikeys",
        ),
        hosted(
            ["硅基流动", "SiliconFlow"],
            Openai,
            "https://api.siliconflow.cn/v1",
            "https://cloud.siliconflow.cn/account/ak",
        ),
        hosted(["xAI（Grok）", "xAI (Grok)"], Openai, "https://api.x.ai/v1", "https://console.x.ai"),
        hosted(["Mistral", "Mistral"], Openai, "https://api.mistral.ai/v1", "https://console.mistral.ai/api-keys"),
        hosted(["Groq", "Groq"], Openai, "https://api.groq.com/openai/v1", "https://console.groq.com/keys"),
        hosted(
            ["Together", "Together"],
            Openai,
            "https://api.together.xyz/v1",
            "https://api.together.ai/settings/api-keys",
        ),
        local("Ollama", "http://localhost:11434/v1", "OLLAMA_ORIGINS={} ollama serve"),
        local("LM Studio", "http://localhost:1234/v1", "lms server start --cors"),
        local("llama.cpp", "http://localhost:8080/v1", "llama-server -m model.gguf"),
        local("KoboldCpp", "http://localhost:5001/v1", "koboldcpp --model model.gguf"),
    ]
};

/// Those that run on this machine.
pub fn locals() -> impl Iterator<Item = &'static Known> {
    KNOWN.iter().filter(|known| matches!(known.start, Start::Line(_)))
}

/// Hosts that are another door to one of them.
const DOORS: [(&str, &str); 4] = [
    ("api.z.ai", "open.bigmodel.cn"),
    ("api.moonshot.ai", "api.moonshot.cn"),
    ("dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com"),
    ("api.siliconflow.com", "api.siliconflow.cn"),
];

impl Known {
    /// Those at a server, whatever they speak there.
    pub(super) fn behind(address: &Address) -> impl Iterator<Item = &'static Self> {
        let door = DOORS.iter().find(|(door, _)| *door == address.host).map(|(_, host)| *host);
        let at_home = Address { host: door.unwrap_or(&address.host).to_owned(), ..address.clone() };
        let origin = at_home.origin().replace("//127.0.0.1", "//localhost");
        KNOWN.iter().filter(move |known| address::origin(known.url).as_ref() == Some(&origin))
    }

    /// Where the protocol begins at its host.
    pub(super) fn path(&self) -> String {
        Address::parse(self.url).map(|address| address.path).unwrap_or_default()
    }

    /// Whether nobody is answered there without a key.
    pub(super) fn wants_key(&self) -> bool {
        matches!(self.start, Start::Key(_))
    }

    /// The one that a connection leads to: the same protocol at the same server.
    pub fn of(connection: &Connection) -> Option<&'static Self> {
        let address = request::address(connection, connection.kind).ok()?;
        Self::behind(&address).find(|known| known.kind == connection.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: ProviderKind, url: &str) -> Option<&'static str> {
        let connection = Connection { kind, url: url.into(), ..Connection::default() };
        Known::of(&connection).map(|known| known.name[1])
    }

    #[test]
    fn each_is_known_again_by_its_address() {
        for known in KNOWN {
            assert_eq!(at(known.kind, known.url), Some(known.name[1]));
            let connection =
                Connection { kind: known.kind, url: known.url.into(), model: "m".into(), ..Default::default() };
            let request = crate::provider::chat_request(&connection, None, &[]).unwrap();
            assert!(request.url.starts_with(known.url), "{}", request.url);
            // The host alone leads there, too, and who hands out keys wants one.
            let bare = Connection { url: address::origin(known.url).unwrap(), ..connection.clone() };
            assert_eq!(crate::provider::chat_request(&bare, None, &[]).unwrap().url, request.url);
            assert_eq!(request::wants_key(&bare), known.wants_key(), "{}", known.url);
            match known.start {
                Start::Key(page) => assert!(page.starts_with("https://") && !address::is_local(known.url)),
                Start::Line(line) => assert!(!line.is_empty() && address::is_local(known.url)),
            }
        }
        assert_eq!(locals().count(), 4);
    }

    #[test]
    fn an_address_says_whose_it_is() {
        use ProviderKind::{Anthropic, Gemini, Openai};
        for (kind, url, want) in [
            (Openai, "", Some("OpenAI")),
            (Anthropic, "", Some("Anthropic (Claude)")),
            (Gemini, " ", Some("Google (Gemini)")),
            (Openai, "https://api.deepseek.com/v1/chat/completions", Some("DeepSeek")),
            (Openai, "http://127.0.0.1:11434", Some("Ollama")),
            (Openai, "http://localhost:1", None),
            (Openai, "https://api.anthropic.com/v1", None),
            (Openai, "nonsense", None),
        ] {
            assert_eq!(at(kind, url), want, "{url}");
        }
    }
}
