//! Texts of how a story is set on the page.

use super::Language;
use crate::story::typography::{Leading, Measure, Paragraphs, Speech, Theme, Typeface};

pub fn theme(theme: Theme) -> T {
    match theme {
        Theme::System => T::ThemeSystem,
        Theme::Light => T::ThemeLight,
        Theme::Dark => T::ThemeDark,
        Theme::Sepia => T::ThemeSepia,
        Theme::Contrast => T::ThemeContrast,
    }
}

pub fn typeface(typeface: Typeface) -> T {
    match typeface {
        Typeface::Serif => T::Serif,
        Typeface::Sans => T::Sans,
        Typeface::Kai => T::Kai,
    }
}

pub fn leading(leading: Leading) -> T {
    match leading {
        Leading::Usual => T::Usual,
        Leading::Close => T::Close,
        Leading::Open => T::Open,
    }
}

pub fn measure(measure: Measure) -> T {
    match measure {
        Measure::Usual => T::Usual,
        Measure::Narrow => T::Narrow,
        Measure::Wide => T::Wide,
    }
}

pub fn paragraphs(paragraphs: Paragraphs) -> T {
    match paragraphs {
        Paragraphs::Spaced => T::Spaced,
        Paragraphs::Indented => T::Indented,
    }
}

pub fn speech(speech: Speech) -> T {
    match speech {
        Speech::Coloured => T::Coloured,
        Speech::Plain => T::Plain,
    }
}

texts! {
    Title: "正文排版", "The story's page";
    ThemeSystem: "跟随系统", "Follow the system";
    ThemeLight: "纸（浅色）", "Paper (light)";
    ThemeDark: "夜（深色）", "Night (dark)";
    ThemeSepia: "旧书", "Sepia";
    ThemeContrast: "高对比", "High contrast";
    Typeface: "字体", "Typeface";
    Serif: "宋体", "Serif";
    Sans: "黑体", "Sans serif";
    Kai: "楷体", "Kai (for Chinese)";
    Leading: "行距", "Line spacing";
    Measure: "行宽", "Line length";
    Usual: "通常", "Usual";
    Close: "紧", "Close";
    Open: "疏", "Open";
    Narrow: "窄", "Narrow";
    Wide: "宽", "Wide";
    Paragraphs: "段落", "Paragraphs";
    Spaced: "段间空行", "Space between";
    Indented: "首行缩进", "First line indented";
    Speech: "对白", "Speech";
    Coloured: "着色，各人一色", "In colour, by speaker";
    Plain: "不着色", "As the rest";
    Portraits: "每段回复上方都有说话人的头像和名字", "Face and name of who speaks above every reply";
    Sample: "雨停的时候，书店里只剩下翻页的声音。她没有抬头，把那盏灯往他那边推了一寸。\n她说：“这一页我读过。你若想知道后来，就坐下。”", "When the rain stopped, only the turning of pages was left in the shop. She did not look up, and moved the lamp an inch towards him.\nShe said, “I have read this page. If you want to know what came after, sit down.”";
}
