//! The limits of seed `000` on a prompt: above the one the turn stops, above the other it is warned of.

use crate::story::{
    account::Account,
    fault::{Fault, FaultKind},
    settings::Limits,
    warning::{Category, Warning},
};

/// A6: a prompt above the limit is not sent.
///
/// # Errors
/// `OverLimit`, with the two numbers as its detail (`{actual} > {limit}`).
pub fn hold(account: &Account, limits: &Limits) -> Result<(), Fault> {
    let (actual, limit) = (account.total_tokens, limits.max_total_tokens);
    if actual > limit {
        return Err(Fault::new(FaultKind::OverLimit, format!("{actual} > {limit}")));
    }
    Ok(())
}

/// A7, and a prompt that is within a tenth of its limit. Nothing is cut for either.
pub fn warnings(account: &Account, limits: &Limits) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let (middle, threshold) = (account.middle_tokens, limits.middle_section_warning_tokens);
    if middle > threshold {
        warnings.push(Warning { category: Category::MiddleSectionOverflow, current_value: middle, threshold });
    }
    let (total, limit) = (account.total_tokens, limits.max_total_tokens);
    if total <= limit && u64::from(total) * 10 > u64::from(limit) * 9 {
        warnings.push(Warning { category: Category::TotalNearLimit, current_value: total, threshold: limit });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_warnings() {
        let check = |head: u32, middle: u32, refused: Option<&str>, expected: &[(Category, u32, u32)]| {
            let account = Account { middle_tokens: middle, total_tokens: head + middle, ..Default::default() };
            let limits = Limits::default();
            assert_eq!(hold(&account, &limits).err().map(|fault| fault.detail).as_deref(), refused);
            let warned: Vec<_> = warnings(&account, &limits)
                .into_iter()
                .map(|warning| (warning.category, warning.current_value, warning.threshold))
                .collect();
            assert_eq!(warned, expected);
        };
        use Category::*;
        check(4_000, 20_000, None, &[]);
        check(4_000, 25_000, None, &[(MiddleSectionOverflow, 25_000, 20_000)]);
        check(75_000, 15_000, None, &[]);
        check(80_000, 15_000, None, &[(TotalNearLimit, 95_000, 100_000)]);
        check(90_000, 10_000, None, &[(TotalNearLimit, 100_000, 100_000)]);
        check(1, 100_000, Some("100001 > 100000"), &[(MiddleSectionOverflow, 100_000, 20_000)]);
    }
}
