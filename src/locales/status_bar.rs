//! Texts of the status bar: the plain one, the asking, and what became of a card's own.

use super::{Language, fill};
use crate::features::status_bar::{BYTES, guard::Off};

texts! {
    StatusBar: "状态栏", "Status bar";
    OwnStatusBar: "“{}”自带的状态栏", "The status bar that “{}” brings";
    Fold: "收起状态栏", "Fold the status bar";
    Unfold: "展开状态栏", "Unfold the status bar";
    MoreInWorld: "还有 {} 项，都在“世界”一栏里。", "And {} more, all of them in the world tab.";
    // The asking
    Asks: "“{}”自带一个用网页代码写的状态栏。你同意之前，它不会运行。", "“{}” brings a status bar of its own, written as web code. It does not run unless you say so.";
    LookAtIt: "看看再决定", "Look and decide";
    Changed: "内容改动之后会再问一次；导入文件时，不会连“同意”一起带进来。", "You are asked again when its text changes; consent is never imported with a file.";
    CanSee: "它能看到：世界状态里的值、最新一轮的编号、角色的名字。", "It can see: the values of the world state, the number of the newest turn, the character's name.";
    CanDo: "它能做到：在下面这个框里显示自己；往空着的输入框里放一句话，发不发由你。", "It can do: show itself in a frame here; put words into an empty composer, which you send or not.";
    CannotDo: "它做不到：看到密钥、别的故事或正文，改动页面或存储，从网络读取内容；除了下面说的，也不能往网络发送。", "It cannot: see keys, other stories or the text of this one, change the page or its storage, read from the network or, but for what follows, send to it.";
    Honest: "它仍然可能显示骗人的字样，或者白白耗电。有一条路堵不住：它可以让自己的框去打开别的网址。框随即被关掉，请求发不出去；但在那之前，浏览器已经查询了那个网址里的名字，并连上了那台服务器，而名字里可以写着它看到的值，一个不够就用许多个。这些值若不能外传，就不要让它运行。", "It can still show words that deceive, or waste power. One way out cannot be closed: it can lead its frame to another address. The frame is switched off and no request goes out, but by then the browser has looked the name in that address up and connected to its server, and that name, or many of them, may spell out values that it was told. If these must not get out, do not let it run.";
    ItsCode: "它的代码（{} 字节）", "Its code ({} {byte|bytes})";
    Allow: "让它运行", "Let it run";
    NotNow: "先不用", "Not now";
    Revoke: "不再运行", "Stop running it";
    // Switched off
    OffLeft: "这个状态栏想离开它的框，已被关掉。", "This status bar tried to leave its frame and was switched off.";
    OffFlooded: "这个状态栏发来的消息太多，已被关掉。", "This status bar sent too many messages and was switched off.";
    OffThrew: "这个状态栏出错了：{}", "This status bar failed: {}";
    OffSilent: "这个状态栏没有反应，已被关掉。", "This status bar does not answer and was switched off.";
    TooLong: "这个状态栏太长，不能运行：{} 字节，最多 {}。", "This status bar is too long to run: {} {byte|bytes} of {} at most.";
    Again: "再运行一次", "Run it again";
    ComposerTaken: "状态栏想放一句话，但输入框里已经有你的字，没有动它。", "The status bar has words to suggest, but the composer holds yours, which stay.";
    // The editor
    Preview: "试运行", "Try it";
    StopPreview: "停止试运行", "Stop trying";
    PreviewWorld: "世界状态取自“{}”。", "With the world of “{}”.";
    PreviewSample: "世界状态是示例。", "With a sample world.";
    PreviewDraft: "会放进输入框：{}", "Would go into the composer: {}";
    Example: "从一个例子写起", "Begin with an example";
    HowTo: "怎么写", "How to write one";
    HowToLead: "HTML、<style> 和 <script> 写在一起，放在一个封闭的框里运行。图片和字体只能写成 data: 地址。", "HTML, <style> and <script> in one text, run in a closed frame. Pictures and fonts only as data: addresses.";
    HowToState: "每次世界状态变化都会调用（打开时先调用一次）；也可以监听 window 的 fabula:state 事件，读 event.detail。", "is called with each change of the world, and once at the start; or listen to fabula:state on window and read event.detail.";
    HowToTags: "没有链接、嵌套的框和外部样式表：<a>、<iframe>、<link> 这些标签会变成普通的元素。", "There are no links, nested frames or style sheets from elsewhere: tags such as <a>, <iframe> and <link> become plain elements.";
    HowToDraft: "往空着的输入框里放一句话。", "puts words into the composer while it is empty.";
    HowToLook: "与页面同色、同字体的 CSS 变量；还有 --fabula-ink-2、--fabula-rule、--fabula-wash、--fabula-vermilion、--fabula-serif 等。", "and --fabula-ink-2, --fabula-rule, --fabula-wash, --fabula-vermilion, --fabula-serif …: CSS variables that match the page.";
}

/// Why a bar was switched off.
pub fn off_words(off: &Off, language: Language) -> String {
    match off {
        Off::Left => T::OffLeft.text(language).to_owned(),
        Off::Flooded => T::OffFlooded.text(language).to_owned(),
        Off::Threw(words) => fill(T::OffThrew.text(language), &[words]),
        Off::Silent => T::OffSilent.text(language).to_owned(),
    }
}

pub fn too_long_words(bytes: usize, language: Language) -> String {
    fill(T::TooLong.text(language), &[&bytes.to_string(), &BYTES.to_string()])
}
