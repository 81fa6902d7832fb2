//! Texts of what calls cost, and what may be spent.

use super::{Language, fill, warnings::grouped};
use crate::story::{
    budget::{Bounds, Budget, Standing},
    price::{Nanos, sum},
    spending::{Kind, Total},
};

texts! {
    Costs: "花费", "Costs";
    ByStory: "各个故事的花费", "Costs by story";
    CostsHint: "每次调用都记在这里：服务说了多少就是多少；没有说的由程序估算，前面有 ≈。换掉的回复、删掉的轮次也花过钱，仍然算在内。", "Every call is kept here as its provider counted it; what it does not count is estimated and marked ≈. Replies swiped away and turns deleted were paid for too, and stay.";
    KindOfCall: "调用", "Call";
    ThisTurn: "这一轮", "This turn";
    Session: "这次会话", "This session";
    Today: "今天", "Today";
    InAll: "总共", "In all";
    WholeStory: "整个故事", "Whole story";
    Story: "故事", "Story";
    Gone: "已删除的故事", "Deleted stories";
    Trials: "测试连接", "Connections tried";
    Nothing: "还没有花费。", "Nothing has been spent yet.";
    Chat: "回复", "Replies";
    Planner: "计划", "Plans";
    Scribe: "书记", "Scribe";
    Summary: "汇总", "Summaries";
    Sheet: "状态卡与剧情摘要", "Sheet and plot summary";
    Persona: "成长人格", "Evolved personas";
    Search: "扩展检索", "Words for a search";
    Embedding: "向量", "Embeddings";
    Cradle: "摇篮", "Cradle";
    Circle: "朋友圈", "Circle";
    Trial: "测试", "Trials";
    Tokens: "问 {} · 答 {}", "in {} · out {}";
    Cached: "其中缓存 {}", "{} of it cached";
    BudgetOfDay: "每天的预算（所有故事）", "Budget for a day (all stories)";
    BudgetOfStory: "这个故事的预算", "Budget for this story";
    BudgetHint: "留空就没有预算。用到八成会提醒一次；用完后再发送会先问你，后台的调用会等着。", "Empty: no budget. At four fifths it warns once; when it is used up the next send asks first, and calls in the background wait.";
    NotCounted: "没有以 {} 填写价格的连接不计入：{}。", "Connections without a price in {} are not counted: {}.";
    Unit: "单位", "Unit";
    InTokens: "token", "tokens";
    NotAnAmount: "填一个大于零的数。", "A number above zero.";
    NearDay: "今天已用 {}，预算是 {}。", "{} of today’s budget of {} is used.";
    NearStory: "这个故事已用 {}，预算是 {}。", "{} of this story’s budget of {} is used.";
    UpDay: "今天的预算用完了：已用 {}，预算 {}。", "Today’s budget is used up: {} of {}.";
    UpStory: "这个故事的预算用完了：已用 {}，预算 {}。", "This story’s budget is used up: {} of {}.";
    NothingSent: "还没有发送任何内容；你写的都在。", "Nothing was sent yet; what you wrote is kept.";
    GoOnOnce: "这次继续", "Go on this once";
    RaiseTo: "把预算提高到", "Raise the budget to";
    Raise: "提高并继续", "Raise and go on";
    TooLow: "要高于已用的 {}。", "It has to be above the {} used.";
    Dismiss: "知道了", "Dismiss";
    Prices: "价格", "Prices";
    PricesHint: "每百万 token 的价格，按这个模型记；不填就只数 token。改价不影响已经记下的花费。", "For a million tokens, of this model; left empty, tokens alone are counted. A new price changes nothing that was spent before.";
    Currency: "货币", "Currency";
    PriceIn: "输入", "Input";
    PriceOut: "输出", "Output";
    PriceCached: "缓存读取", "Input from the cache";
    PriceWritten: "缓存写入", "Input into the cache";
    AsInput: "留空：同输入", "Empty: as input";
    TakePrices: "用模型列表里的价格", "Take from the model list";
    Listed: "来自服务的模型列表。", "From the provider’s model list.";
    BothPrices: "输入和输出的价格要么都填，要么都不填。", "Give the prices of both input and output, or of neither.";
}

pub fn kind(kind: Kind) -> T {
    match kind {
        Kind::Chat => T::Chat,
        Kind::Planner => T::Planner,
        Kind::Scribe => T::Scribe,
        Kind::Summary => T::Summary,
        Kind::Sheet => T::Sheet,
        Kind::Persona => T::Persona,
        Kind::Search => T::Search,
        Kind::Embedding => T::Embedding,
        Kind::Cradle => T::Cradle,
        Kind::Circle => T::Circle,
        Kind::Trial => T::Trial,
    }
}

/// `1,000 in · 50 out`, with what of it was cached; `≈` before what is estimated.
pub fn tokens(total: &Total, language: Language) -> String {
    let about = if total.is_estimated { "≈ " } else { "" };
    let said = fill(T::Tokens.text(language), &[&grouped(total.prompt), &grouped(total.completion)]);
    let cached = (total.cached > 0).then(|| fill(T::Cached.text(language), &[&grouped(total.cached)]));
    let between = language.pick("，", ", ");
    format!("{about}{said}{}", cached.map(|cached| format!("{between}{cached}")).unwrap_or_default())
}

/// Each currency's sum; `None` where no price was known.
pub fn money(total: &Total) -> Option<String> {
    let about = if total.is_estimated { "≈ " } else { "" };
    let sums = total.money.iter().map(|(currency, nanos)| format!("{about}{}", in_currency(*nanos, currency)));
    Some(sums.collect::<Vec<_>>().join(" + ")).filter(|sums| !sums.is_empty())
}

/// A no-break space keeps the two together.
pub fn in_currency(nanos: Nanos, currency: &str) -> String {
    format!("{}\u{a0}{currency}", sum(nanos))
}

fn amount(budget: &Budget, amount: u64, language: Language) -> String {
    match budget {
        Budget::Tokens(_) => format!("{}\u{a0}{}", grouped(amount), T::InTokens.text(language)),
        Budget::Money { currency, .. } => in_currency(amount, currency),
    }
}

/// What was used of a budget, in its own unit.
pub fn used(standing: &Standing, language: Language) -> String {
    amount(&standing.budget, standing.spent, language)
}

/// How a budget stands that is nearly used, or used up.
pub fn standing(standing: &Standing, is_up: bool, language: Language) -> String {
    let text = match (standing.bounds, is_up) {
        (Bounds::Day, false) => T::NearDay,
        (Bounds::Story, false) => T::NearStory,
        (Bounds::Day, true) => T::UpDay,
        (Bounds::Story, true) => T::UpStory,
    };
    let whole = amount(&standing.budget, standing.budget.amount(), language);
    fill(text.text(language), &[&used(standing, language), &whole])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_said() {
        let exact = Total { calls: 1, prompt: 12_345, completion: 60, cached: 800, ..Total::default() };
        assert_eq!(tokens(&exact, Language::En), "in 12,345 · out 60, 800 of it cached");
        assert_eq!(tokens(&exact, Language::Zh), "问 12,345 · 答 60，其中缓存 800");
        assert_eq!(money(&exact), None, "no price, no money");
        let money_of = [("USD".to_owned(), 1_500_000_000), ("¥".to_owned(), 20_000_000)].into();
        let about = Total { calls: 1, is_estimated: true, prompt: 5, money: money_of, ..Total::default() };
        assert_eq!(tokens(&about, Language::En), "≈ in 5 · out 0");
        assert_eq!(money(&about).as_deref(), Some("≈ 1.50\u{a0}USD + ≈ 0.02\u{a0}¥"));
    }

    #[test]
    fn a_standing_is_said() {
        let budget = Budget::Money { nanos: 2_000_000_000, currency: "USD".into() };
        let of = Standing { bounds: Bounds::Day, budget, spent: 1_700_000_000 };
        assert_eq!(standing(&of, false, Language::En), "1.70\u{a0}USD of today’s budget of 2.00\u{a0}USD is used.");
        let of = Standing { bounds: Bounds::Story, budget: Budget::Tokens(9_000), spent: 10_000 };
        assert_eq!(
            standing(&of, true, Language::Zh),
            "这个故事的预算用完了：已用 10,000\u{a0}token，预算 9,000\u{a0}token。"
        );
    }
}
