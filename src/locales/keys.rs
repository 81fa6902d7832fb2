//! Texts of the key: how it may be kept, and the asking for one that is not at hand.

use super::Language;
use crate::story::passphrase::{Strength, Weakness, strength};

/// A new passphrase, while it is typed.
pub fn judged(passphrase: &str) -> T {
    if passphrase.is_empty() {
        return T::PassphraseAdvice;
    }
    match strength(passphrase) {
        Strength::Weak(why) => weak(why),
        Strength::Fair => T::PassphraseFair,
        Strength::Strong => T::PassphraseStrong,
    }
}

/// Why a new passphrase was not taken, and which would be.
pub fn refused(why: Weakness, language: Language) -> String {
    format!("{}{}{}", weak(why).text(language), language.pick("", " "), T::PassphraseAdvice.text(language))
}

fn weak(why: Weakness) -> T {
    match why {
        Weakness::Short => T::PassphraseShort,
        Weakness::Repeated => T::PassphraseRepeated,
        Weakness::Sequence => T::PassphraseSequence,
        Weakness::Common => T::PassphraseCommon,
    }
}

texts! {
    // How it is kept
    KeepMemory: "只在内存里", "In memory only";
    KeepSealed: "用口令加密", "Encrypted by a passphrase";
    KeepClear: "明文存在本机", "In the clear on this device";
    KeepMemoryHint: "哪里都不写下：拿到硬盘或浏览器资料的人也找不到它。刷新或关掉标签页就没有了，下次发送时会就地问你；页面自己要求的重新载入会把它带过去。", "Written down nowhere: whoever gets at the disk or the browser profile finds nothing. Gone when you reload or close the tab; you are asked on the spot when you next send. A reload that the page itself asks for takes it along.";
    KeepSealedHint: "加密后存在这台设备上：没有口令，拿到资料的人也用不了。每次重新载入之后输入一次口令；口令丢了，就要重新输入密钥。", "Kept on this device, encrypted: of no use to anyone without the passphrase. You give it once after each reload. If you lose it, enter the keys anew.";
    KeepClearHint: "照原样存在这台设备上：不用再输入，但能打开这个浏览器的人都能读到它。", "Kept on this device as it is: nothing to type again, but whoever can open this browser can read it.";
    // A new passphrase
    PassphraseAdvice: "八个以上不成套话的汉字，或五个互不相干的词，才挡得住拿到资料的人去猜。", "Five unrelated words, or eight Chinese characters and more, keep whoever gets at the data from guessing it.";
    PassphraseShort: "强度：太弱。太短，或变化太少。", "Strength: too weak. It is too short, or of too few kinds.";
    PassphraseRepeated: "强度：太弱。重复的部分不算数。", "Strength: too weak. What is repeated does not count.";
    PassphraseSequence: "强度：太弱。顺着字母、数字或键盘排下来的不算数。", "Strength: too weak. What follows the alphabet, the digits or the keyboard does not count.";
    PassphraseCommon: "强度：太弱。很多人都用这样的口令。", "Strength: too weak. Many people use passphrases like this.";
    PassphraseFair: "强度：够用。", "Strength: fair.";
    PassphraseStrong: "强度：很强。", "Strength: strong.";
    // Reloads that the page asks for
    NeedsReload: "页面只允许已保存的地址，用新地址前要重新载入一次。只存在内存里的密钥会带过去。", "The page only allows saved addresses, so a new one takes a reload. Keys kept in memory only are taken along.";
    // The asking
    Missing: "“{}”的密钥不在手边", "The key of “{}” is not at hand";
    WasInMemory: "它只留在上一个页面的内存里，已经没有了。", "It was only in the memory of an earlier page, and is gone.";
    IsLocked: "它加密存在这台设备上，输入口令就能用。", "It is kept here, encrypted; the passphrase opens it.";
    NeverGiven: "这里没有它的密钥，而这个服务没有密钥不会回答。", "No key is stored here, and this provider does not answer without one.";
    WhatThen: "输入之后就接着做；取消则什么都不写下。", "Enter it, and what you began goes on. Cancel, and nothing is written.";
    StaysInMemory: "它仍只留在内存里。想留住它，可以换一种保存方式：", "It stays in memory only. To keep it, choose another way in the";
    Settings: "设置", "settings";
    GoOn: "继续", "Go on";
    UnsentTooLong: "输入框里的字太多：只有前 {} 个字会在重新载入后还在。", "There is more in the composer than can be kept: only its first {} {character|characters} survive a reload.";
}
