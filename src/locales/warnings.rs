//! Warnings, notices and limits in words. They are stored as values: the same story reads in either language.

use super::{Language, T, fill};
use crate::story::{
    fault::{Fault, FaultKind},
    settings::RangeFault,
    warning::{Category, Cause, Notice, Warning},
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
        other => other,
    };
    match &notice.cause {
        Cause::Failed { detail } => fill(T::ModuleFailed.text(language), &[module, detail]),
        Cause::UnreadableUpdate { detail } => fill(T::UnreadableUpdate.text(language), &[detail]),
        Cause::OutOfOutline { index, points } => {
            fill(T::OutOfOutline.text(language), &[&index.to_string(), &points.to_string()])
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

#[cfg(test)]
mod tests {
    use super::*;

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
