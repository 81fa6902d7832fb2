//! stub
use super::Language;
use crate::exchange::refusal::{Refusal, Warning};

pub fn refusal(refusal: &Refusal, language: Language) -> String {
    format!("{}{refusal}", language.pick("没有接受这个文件：", "The file was not taken: "))
}

pub fn warning(warning: &Warning, language: Language) -> String {
    format!("{}{warning:?}", language.pick("请注意：", "Note: "))
}
