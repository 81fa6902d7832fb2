//! Faults in words: what is wrong, and what helps.

use super::{
    Language, Say, Saying, T, fill, lengths,
    reasons::{self, reason},
    warnings::over_limit_words,
};
use crate::{
    store::StoreError,
    story::fault::{Fault, FaultKind},
};

/// A fault as the reader meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// One sentence: what is wrong.
    pub what: String,
    /// What helps; may be empty.
    pub advice: String,
}

impl Explained {
    fn in_line(self) -> String {
        [self.what, self.advice].join(" ").trim().to_owned()
    }
}

/// Puts a fault into words. The provider's own message stands in `what`, so that nothing it said is lost.
pub fn explain(fault: &Fault, language: Language) -> Explained {
    use FaultKind::*;
    // The seed's own sentence, advice and all.
    if let Some(what) = over_limit_words(fault, language) {
        return Explained { what, advice: String::new() };
    }
    if let Some(told) = lengths::words(fault, language) {
        return told;
    }
    let (what, advice) = match fault.kind {
        Stopped => (language.pick("已停止。", "Stopped."), ""),
        TabClosed => (language.pick("写到一半时页面关闭了。", "The page was closed amid the reply."), ""),
        TakenOver => (language.pick("另一个标签页接手了这个故事。", "Another tab took this story over."), ""),
        NoCharacter => (
            language.pick("这个故事的人物不在了。", "This story's character is gone."),
            language.pick("在“设置 → 数据 → 回收站”里恢复它，或重新导入。", "Restore it under Settings → Data → Bin, or import it again."),
        ),
        NoStoryline => (language.pick("这个故事不在了。", "This story is gone."), ""),
        NoSession => (language.pick("这个故事没有当前会话。", "This story has no current session."), ""),
        NoState => (language.pick("读不到角色的状态。", "The character's state cannot be read."), language.pick("请从备份恢复。", "Restore it from a backup.")),
        NoConnection => (
            language.pick("还没有连接模型。", "No model is connected yet."),
            language.pick("在设置里添加一个连接。", "Add a connection in the settings."),
        ),
        KeyMissing => (
            language.pick("这个连接的密钥现在不可用。", "This connection's key is not at hand."),
            language.pick("它只存在内存里，或需要口令解锁。请在设置里输入。", "It was kept in memory only, or waits for the passphrase. Enter it in the settings."),
        ),
        OverLimit => (language.pick("提示词超过了总长度上限。", "The prompt is over the total limit."), language.pick("请执行汇总或调整配置。", "Summarise, or change the limit.")),
        OverBudget => (
            language.pick("预算用完了，这次调用在等着。", "The budget is used up, and this call waits."),
            language.pick("可以让它运行一次，或在“故事”面板和设置里提高预算。", "Let it run once, or raise the budget in the story’s panel or the settings."),
        ),
        Offline => (language.pick("没有网络。", "There is no network."), language.pick("恢复后再试。", "Try again when it is back.")),
        Unreachable => (
            language.pick("连不上这个地址。", "Nothing answers at this address."),
            language.pick("检查地址是否写对，服务是否在运行。", "Check the spelling of the address, and that the service is up."),
        ),
        LocalUnreachable => (
            language.pick("这台机器上没有服务在这个地址回应。", "Nothing on this machine answers at this address."),
            language.pick("启动本地服务（如 Ollama、LM Studio、llama.cpp），并核对端口。浏览器询问能否访问本地网络时请允许。https 页面在 Firefox 里连不上局域网的 http 地址，在 Safari 里连本机的也连不上：请用 Chrome 或 Edge。", "Start the local server (Ollama, LM Studio, llama.cpp, …) and check the port. If the browser asks about the local network, allow it. From an https page, Firefox reaches no http address on the local network and Safari not even this machine: use Chrome or Edge there."),
        ),
        CorsRefused => (
            language.pick("服务有回应，但不允许这个网页读取（CORS）。", "The server answers, but does not let this page read it (CORS)."),
            language.pick("云端服务：多半是密钥不对，或服务不支持浏览器直连。Ollama：设置 OLLAMA_ORIGINS；LM Studio：打开 CORS 开关。", "In the cloud: most likely a wrong key, or a provider that blocks browsers. Ollama: set OLLAMA_ORIGINS. LM Studio: switch CORS on."),
        ),
        MixedContent => (
            language.pick("https 页面不能访问 http 地址。", "A page on https may not call an http address."),
            language.pick("给服务加上 https，或在本机用 localhost。", "Give the server https, or use localhost on this machine."),
        ),
        PolicyBlocked => (
            language.pick("页面的安全策略不允许这个新地址。", "The page's policy does not allow this new address yet."),
            language.pick("保存连接并重新载入一次页面。", "Save the connection and reload the page once."),
        ),
        Stalled => (language.pick("太久没有回应。", "No answer came for too long."), language.pick("可以重试，或在连接里调高无响应上限。", "Try again, or raise the connection's silence limit.")),
        ConnectionLost => (language.pick("连接在半途断开了。", "The connection broke midway."), ""),
        BadAddress => (language.pick("地址写得不对。", "The address is not right."), language.pick("应以 http:// 或 https:// 开头。", "It should begin with http:// or https://.")),
        WrongKey => (language.pick("密钥不对。", "The key is wrong."), language.pick("核对密钥，前后不要有空格。", "Check the key; no spaces around it.")),
        Forbidden => (language.pick("密钥没有权限。", "The key may not do this."), language.pick("核对这个密钥能用的模型与地区。", "Check which models and regions the key is for.")),
        NoCredit => (language.pick("余额不足。", "There is no credit left."), language.pick("到服务商处充值。", "Top up at the provider.")),
        UnknownModel => (language.pick("没有这个模型。", "There is no such model."), language.pick("取得模型列表，从中选一个。", "Fetch the list of models and choose one.")),
        NoEmbeddings => (
            language.pick("这种接口不提供向量。", "This protocol offers no embeddings."),
            language.pick("向量检索请选用 OpenAI 兼容或 Gemini 的连接。", "For search by vectors, choose a connection that is OpenAI-compatible or Gemini."),
        ),
        NotFound => (language.pick("地址有回应，但那里没有这个接口（404）。", "The address answers, but there is nothing there (404)."), language.pick("地址多半要以 /v1 结尾。", "Most addresses end in /v1.")),
        RateLimited => (language.pick("请求太频繁。", "Too many requests."), language.pick("稍后再试。", "Try again in a while.")),
        OverContext | ContextTooLong => (language.pick("提示词超过了模型的上下文。", "The prompt is longer than the model takes."), ""),
        BadRequest => (language.pick("服务不接受这个请求。", "The provider does not take this request."), language.pick("核对模型与采样参数。", "Check the model and the sampling parameters.")),
        ProviderDown => (language.pick("服务出错或过载。", "The provider is broken or overloaded."), language.pick("稍后再试。", "Try again in a while.")),
        Filtered => (language.pick("内容被服务的过滤器拦下。", "The provider's filter held it back."), ""),
        NotTheProtocol => (language.pick("回应不是这种接口的格式。", "The answer is not in this protocol."), language.pick("核对地址与接口类型；也许那是一个网页。", "Check the address and the protocol; it may be a web page.")),
        Elsewhere => (
            language.pick("它的文字在你的另一台设备上，还没有过来。", "Its text is on your other device and has not come yet."),
            language.pick("同步完成后再试。", "Try again once the devices are in sync."),
        ),
        MemoryGone => (
            language.pick("记忆检索没有运行。", "The memory's search is not running."),
            language.pick("对话照常进行。重新载入页面可以让它恢复。", "The story goes on without it. Reload the page to bring it back."),
        ),
        MemoryBuilding => (
            language.pick("这个故事的索引还在建立，建好之前找不到往事。", "This story's index is still being made; nothing of the past is found until it is."),
            language.pick("只在第一次打开长故事时需要，几秒钟就好。", "Needed once, when a long story is first opened; it takes seconds."),
        ),
        BadVectors => (
            language.pick("向量服务给出的向量不能用。", "The embedding server's vectors cannot be used."),
            language.pick("什么都没有保存。检查计算向量的连接所用的模型，或换一个。", "Nothing was stored. Check the model of the embedding connection, or choose another."),
        ),
        StorageFull | StorageFailed => return of_storage(fault, language, reason),
    };
    let said = match fault.kind {
        Filtered => filter_words(fault.detail.trim(), language),
        _ => reason(fault.detail.trim(), language),
    };
    let own_words = !said.is_empty() && !fault.kind.is_told_to_stop();
    let mut what = if own_words {
        let colon = language.pick("：", ": ");
        format!("{}{colon}{said}", what.trim_end_matches(['。', '.']))
    } else {
        what.to_owned()
    };
    // Who is told when need not be told to wait.
    let advice = if fault.retry_after.is_some() { "" } else { advice };
    if let Some(seconds) = fault.retry_after {
        what.push_str(&wait_words(seconds, language));
    }
    Explained { what, advice: advice.to_owned() }
}

/// When to try again: exact as long as one would count, in minutes and hours after that.
fn wait_words(seconds: u32, language: Language) -> String {
    let (count, template) = match seconds {
        0 => return language.pick("（现在就可再试）", " (try again now)").to_owned(),
        1..=90 => (seconds, language.pick("（{} 秒后可再试）", " (try again in {} s)")),
        91..=5400 => (seconds.div_ceil(60), language.pick("（约 {} 分钟后可再试）", " (try again in about {} min)")),
        _ => (seconds.div_ceil(3600), language.pick("（约 {} 小时后可再试）", " (try again in about {} h)")),
    };
    fill(template, &[&count.to_string()])
}

/// Why a filter held something back, where the provider gave its code, alone or before its own words.
fn filter_words(detail: &str, language: Language) -> String {
    let (code, own) = detail.split_once(": ").map_or((detail, None), |(code, own)| (code, Some(own)));
    let [zh, en] = match code.to_ascii_lowercase().as_str() {
        // It says no more than that there was a filter.
        "content_filter" => return own.unwrap_or_default().to_owned(),
        "refusal" => ["模型不愿回答", "the model would not answer"],
        "safety" | "image_safety" => ["安全规则", "safety"],
        "sensitive" => ["敏感内容", "sensitive content"],
        "recitation" => ["与已有的作品太像", "too close to a published text"],
        "blocklist" => ["含有禁用的词", "a forbidden word"],
        "prohibited_content" => ["禁止的内容", "prohibited content"],
        "spii" => ["涉及个人信息", "personal information"],
        _ => return detail.to_owned(),
    };
    let word = language.pick(zh, en);
    match own {
        Some(own) => format!("{word}{}{own}", language.pick("：", ": ")),
        // For whoever looks it up.
        None => format!("{word}{}", fill(language.pick("（{}）", " ({})"), &[code])),
    }
}

/// What the store says, which the page may have to tell before the part of it is there that words all faults.
fn of_storage(fault: &Fault, language: Language, reason: fn(&str, Language) -> String) -> Explained {
    // What the browser calls a full store says nothing more.
    if fault.kind == FaultKind::StorageFull {
        return Explained { what: T::StorageFull.text(language).to_owned(), advice: String::new() };
    }
    let detail = fault.detail.trim();
    // The store is well: what was asked for cannot be had.
    let advice = if detail.ends_with("is not there any more") {
        language.pick(
            "它可能被删除了，或在另一个标签页里改动过。删掉的分支可以在“树”里恢复。",
            "It may have been deleted, or changed in another tab. Deleted branches can be restored in the tree.",
        )
    } else if detail.ends_with("is still being written") {
        language.pick("等它写完再试。", "Try again when it is done.")
    } else {
        ""
    };
    if !advice.is_empty() {
        let mut what = reason(detail, language);
        what.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        what += language.pick("。", ".");
        return Explained { what, advice: advice.to_owned() };
    }
    let what = match reason(detail, language).as_str() {
        "" => language.pick("浏览器没能读写数据。", "The browser could not read or write.").to_owned(),
        said => fill(language.pick("浏览器没能读写数据：{}", "The browser could not read or write: {}"), &[said]),
    };
    let advice = language
        .pick("重新载入页面；如果还是这样，请导出故事。", "Reload the page; if it stays so, export your stories.");
    Explained { what, advice: advice.to_owned() }
}

/// Why the store refused: what is wrong, as a part of a sentence.
pub fn of_store(error: &StoreError, language: Language) -> String {
    of_storage(&error.clone().into(), language, reasons::of_store).what.trim_end_matches(['。', '.']).to_owned()
}

/// The same with what helps, in one line.
pub fn of_store_in_full(error: &StoreError, language: Language) -> String {
    of_storage(&error.clone().into(), language, reasons::of_store).in_line()
}

/// What is wrong and what helps, in one line.
pub fn in_full(fault: &Fault, language: Language) -> String {
    explain(fault, language).in_line()
}

/// The same, for whoever reads it.
pub fn said(fault: Fault) -> Saying {
    let words = move |language| in_full(&fault, language);
    words.kept()
}

/// The text that stands in the place of a failed reply (A4): the provider's own message where there is one.
pub fn in_place_of_reply(fault: &Fault, language: Language) -> String {
    let explained = explain(fault, language);
    fill(T::SystemError.text(language), &[explained.what.trim_end_matches(['。', '.'])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_store_is_said_without_the_browsers_word_for_it() {
        let full = StoreError::new("QuotaExceededError", "The current transaction exceeded its quota limitations.");
        assert_eq!(of_store(&full, Language::Zh), "没有空间保存了。请导出故事，再腾出一些空间");
        for language in [Language::Zh, Language::En] {
            let said = explain(&Fault::from(full.clone()), language);
            assert!(!(said.what + &said.advice).contains("uota"));
        }
        let other = StoreError::new("AbortError", "why");
        assert!(of_store(&other, Language::En).ends_with("AbortError: why"), "what is odd is told as it is");
    }

    #[test]
    fn a_reason_of_a_turn_is_worded_also_where_it_is_called_the_stores() {
        let fault = Fault::new(FaultKind::StorageFailed, "the reply is still being written");
        assert_eq!(explain(&fault, Language::Zh).what, "这条回复还没有写完。");
        let gone = explain(&Fault::new(FaultKind::StorageFailed, "it is not there any more"), Language::En);
        assert_eq!(gone.what, "It is not there any more.");
        assert!(gone.advice.contains("in the tree"), "no word of a broken browser");
        let broken = StoreError::unreadable(crate::store::Table::Branches, "the history tree is damaged");
        assert_eq!(of_store(&broken, Language::Zh), explain(&broken.into(), Language::Zh).what);
    }

    #[test]
    fn a_wait_is_told_as_one_would_say_it() {
        let check = |seconds, zh, en| {
            let fault = Fault { retry_after: Some(seconds), ..Fault::new(FaultKind::RateLimited, "") };
            let said = [Language::Zh, Language::En].map(|language| explain(&fault, language));
            assert_eq!(said.each_ref().map(|said| (said.what.as_str(), said.advice.as_str())), [(zh, ""), (en, "")]);
        };
        check(0, "请求太频繁。（现在就可再试）", "Too many requests. (try again now)");
        check(12, "请求太频繁。（12 秒后可再试）", "Too many requests. (try again in 12 s)");
        check(90, "请求太频繁。（90 秒后可再试）", "Too many requests. (try again in 90 s)");
        check(91, "请求太频繁。（约 2 分钟后可再试）", "Too many requests. (try again in about 2 min)");
        check(5_401, "请求太频繁。（约 2 小时后可再试）", "Too many requests. (try again in about 2 h)");
        let unknown = explain(&Fault::new(FaultKind::RateLimited, ""), Language::En);
        assert_eq!([unknown.what.as_str(), &unknown.advice], ["Too many requests.", "Try again in a while."]);
    }

    #[test]
    fn a_filter_is_told_by_its_reason() {
        fn check(detail: &str, zh: &str, en: &str) {
            let said = |language| explain(&Fault::new(FaultKind::Filtered, detail), language).what;
            assert_eq!([said(Language::Zh), said(Language::En)], [zh, en], "{detail}");
        }
        let [zh, en] = ["内容被服务的过滤器拦下", "The provider's filter held it back"];
        check("content_filter", &format!("{zh}。"), &format!("{en}."));
        check(
            "refusal",
            &format!("{zh}：模型不愿回答（refusal）"),
            &format!("{en}: the model would not answer (refusal)"),
        );
        check("SAFETY", &format!("{zh}：安全规则（SAFETY）"), &format!("{en}: safety (SAFETY)"));
        check(
            "SPII: A name.",
            &format!("{zh}：涉及个人信息：A name."),
            &format!("{en}: personal information: A name."),
        );
        check("Content Exists Risk", &format!("{zh}：Content Exists Risk"), &format!("{en}: Content Exists Risk"));
    }

    #[test]
    fn says_what_the_provider_said() {
        let mut fault = Fault::new(FaultKind::RateLimited, "Rate limit reached for gpt-x");
        fault.retry_after = Some(20);
        let zh = explain(&fault, Language::Zh);
        assert_eq!(zh.what, "请求太频繁：Rate limit reached for gpt-x（20 秒后可再试）");
        assert_eq!(zh.advice, "");
        assert_eq!(in_place_of_reply(&Fault::new(FaultKind::WrongKey, ""), Language::Zh), "(系统错误: 密钥不对)");
        assert_eq!(
            in_place_of_reply(&Fault::new(FaultKind::WrongKey, "bad"), Language::En),
            "(System error: The key is wrong: bad)"
        );
        let refused = Fault::new(FaultKind::BadAddress, "the address has no host");
        assert_eq!(explain(&refused, Language::Zh).what, "地址写得不对：地址里没有主机名");
        let over = Fault::new(FaultKind::OverLimit, "123456 > 100000");
        assert_eq!(
            in_place_of_reply(&over, Language::Zh),
            "(系统错误: Prompt总长度超过限制（123456 > 100000），请执行汇总或调整配置)"
        );
    }
}
