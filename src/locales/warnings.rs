//! Warnings, notices and limits in words. They are stored as values: the same story reads in either language.

use super::{
    Language, T,
    faults::{Explained, explain},
    fill, mind,
    reasons::reason,
    sampling,
};
use crate::features::{BACKGROUND, recap};
use crate::story::{
    fault::{Fault, FaultKind},
    settings::{Field, RangeFault},
    warning::{Category, Cause, Notice, Warning},
    written::Text,
};

/// A warning as the reader meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarningWords {
    pub message: &'static str,
    pub suggestion: &'static str,
    pub effect: &'static str,
}

pub fn warning_words(warning: &Warning, language: Language) -> WarningWords {
    let [message, suggestion, effect] = match warning.category {
        Category::MiddleSectionOverflow => [T::MiddleOverflow, T::MiddleOverflowAdvice, T::MiddleOverflowEffect],
        Category::TotalNearLimit => [T::TotalNear, T::TotalNearAdvice, T::TotalNearEffect],
    }
    .map(|text| text.text(language));
    WarningWords { message, suggestion, effect }
}

/// A notice of a module in one sentence.
pub fn notice_words(notice: &Notice, language: Language) -> String {
    let module = match notice.module.as_str() {
        "director" => T::ModuleDirector.text(language),
        "persona" => T::ModulePersona.text(language),
        "planner" => T::ModulePlanner.text(language),
        "scribe" => T::ModuleScribe.text(language),
        "sheet" => T::ModuleSheet.text(language),
        "plot_summary" => T::ModulePlotSummary.text(language),
        recap::NAME => T::ModuleRecap.text(language),
        "world" => T::ModuleWorld.text(language),
        "happening" => T::ModuleHappening.text(language),
        other => other,
    };
    match &notice.cause {
        Cause::Failed { detail } => fill(T::ModuleFailed.text(language), &[module, &reason(detail, language)]),
        Cause::DamagedState { detail } => fill(T::DamagedState.text(language), &[module, &reason(detail, language)]),
        Cause::DamagedBackground { detail } if notice.module == BACKGROUND => {
            fill(T::BackgroundUnread.text(language), &[&reason(detail, language)])
        }
        Cause::DamagedBackground { detail } => {
            fill(T::DamagedBackground.text(language), &[module, &reason(detail, language)])
        }
        Cause::UnreadableUpdate { detail } => fill(T::UnreadableUpdate.text(language), &[&reason(detail, language)]),
        Cause::OutOfOutline { index, points } => {
            fill(T::OutOfOutline.text(language), &[&index.to_string(), &points.to_string()])
        }
        Cause::NotRecalled { fault } => {
            let Explained { what, .. } = explain(fault, language);
            fill(T::NotRecalled.text(language), &[&what])
        }
        Cause::NotPlanned { fault } => {
            let why = fault.as_ref().map(|fault| explain(fault, language).what);
            fill(T::NotPlanned.text(language), &[why.as_deref().unwrap_or(T::PlannerSilent.text(language))])
        }
        Cause::NotChosen { fault } => {
            let why = fault.as_ref().map(|fault| explain(fault, language).what);
            let why = why.as_deref().unwrap_or(T::ChoseNobody.text(language));
            fill(T::NotChosen.text(language), &[why.trim_end_matches(['。', '.'])])
        }
        Cause::NotNoted { fault, whose } => {
            let why = fault.as_ref().map(|fault| explain(fault, language).what);
            if notice.module == recap::NAME || Text::of(&notice.module).is_some() {
                let why = why.as_deref().unwrap_or(T::TextUnusable.text(language));
                return match whose.as_str() {
                    "" => fill(T::NotWritten.text(language), &[module, why]),
                    whose => fill(T::NotWrittenOf.text(language), &[whose, module, why]),
                };
            }
            fill(T::NotNoted.text(language), &[why.as_deref().unwrap_or(T::ScribeUnusable.text(language))])
        }
        Cause::WorldRefused { key, why } => {
            fill(T::WorldRefused.text(language), &[key, mind::refusal_words(*why, language)])
        }
        Cause::UnreadEvents { events, excerpt } => {
            fill(T::UnreadEvents.text(language), &[&events.to_string(), excerpt])
        }
        Cause::LeftOut { all } => sampling::left_out_words(all, language),
        Cause::ProseAskedFor { fault: None } => T::ProseAskedFor.text(language).to_owned(),
        Cause::ProseAskedFor { fault: Some(fault) } => {
            fill(T::ProseNotWritten.text(language), &[&explain(fault, language).what])
        }
        Cause::ByHandLost => fill(T::ByHandLost.text(language), &[module]),
    }
}

/// The sentence of seed `000` for a prompt that was not sent, with its two numbers (A6).
pub fn over_limit_words(fault: &Fault, language: Language) -> Option<String> {
    let numbers = fault.detail.split_once(" > ").filter(|_| fault.kind == FaultKind::OverLimit)?;
    Some(fill(T::OverLimit.text(language), &[numbers.0, numbers.1]))
}

pub fn range_words(fault: RangeFault, language: Language) -> String {
    fill(T::OutOfRange.text(language), &[&fault.min.to_string(), &fault.max.to_string()])
}

/// A number of the settings page as seed `000` words it: its label, what stands after the field ([`super::unit`]), and
/// the hint below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldWords {
    pub label: &'static str,
    pub unit: &'static str,
    pub hint: &'static str,
}

pub fn field_words(field: Field, language: Language) -> FieldWords {
    use Field::*;
    let [label, unit, hint] = match field {
        RagFallbackThreshold => language.pick(
            ["容错处理触发阈值", "连续N次未更新后触发", ""],
            ["Fallback threshold", "{turn|turns} in a row without an update", ""],
        ),
        SummaryLastNTurns => {
            language.pick(["汇总保留轮数", "轮", ""], ["Turns kept after a summary", "{turn|turns}", ""])
        }
        MaxTotalTokens => language.pick(["Prompt总长度上限", "tokens", ""], ["Total limit of a prompt", "tokens", ""]),
        MiddleSectionWarningTokens => language.pick(
            ["中间区域警告阈值", "tokens", "超过此值会显示警告，但不会截断"],
            ["Warn of a middle section above", "tokens", "Above it a warning is shown; nothing is cut"],
        ),
        ConversationMaxTokens => language.pick(
            ["会话文件最大token数", "tokens", "不全量读取时，对话历史只取最新的这么多"],
            [
                "Tokens a session may have",
                "tokens",
                "Unless the whole session is read, the newest turns up to this are sent",
            ],
        ),
    };
    FieldWords { label, unit, hint }
}

/// A count with its thousands apart.
pub fn grouped(count: impl Into<u64>) -> String {
    let digits = count.into().to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_apart() {
        let check = |count: u32, expected| assert_eq!(grouped(count), expected);
        check(0, "0");
        check(999, "999");
        check(6_240, "6,240");
        check(1_234_567, "1,234,567");
    }

    #[test]
    fn limits_in_the_seed_s_words() {
        let fault = Fault::new(FaultKind::OverLimit, "123456 > 100000");
        assert_eq!(
            over_limit_words(&fault, Language::Zh).as_deref(),
            Some("Prompt总长度超过限制（123456 > 100000），请执行汇总或调整配置")
        );
        assert_eq!(over_limit_words(&Fault::new(FaultKind::WrongKey, "1 > 2"), Language::Zh), None);
        let warning = Warning { category: Category::MiddleSectionOverflow, current_value: 25_000, threshold: 20_000 };
        let words = warning_words(&warning, Language::Zh);
        assert_eq!((words.message, words.effect), ("当前对话历史过长", "可能导致响应变慢、成本增加"));
        let notice = Notice { module: "director".into(), cause: Cause::OutOfOutline { index: 9, points: 5 } };
        assert!(notice_words(&notice, Language::En).contains("point 9, but the outline has 5"));
    }
}
