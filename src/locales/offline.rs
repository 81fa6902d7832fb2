//! Texts of the page as it is kept on a device.

use super::Language;

texts! {
    Title: "这台设备上的 Fabula", "Fabula on this device";
    KeptNot: "这个浏览器还没有把 Fabula 存到这台设备上：没有网络时打不开。", "This browser has not kept Fabula on this device yet: it does not open without a network.";
    Kept: "Fabula 已存在这台设备上：没有网络也能打开、阅读、查找、整理。只有让模型回话才需要网络。", "Fabula is kept on this device: it opens without a network, to read, to search and to put in order. Only the model needs one.";
    Newer: "有新版本，已经取好了。", "A newer Fabula has been fetched.";
    Use: "现在换上", "Use it now";
    UseHint: "页面会重新载入一次；故事和没说出口的话都在。", "The page loads anew once; your stories stay, and so does what you have not sent.";
    AfterReply: "等这个回复写完，就能换上新版本。", "It can be put in place once this reply is written.";
    Install: "想像应用一样打开它：用浏览器菜单里的“安装”或“添加到主屏幕”。", "To open it like an app, choose “Install” or “Add to Home Screen” in the browser's menu.";
    NoNetwork: "现在没有网络。故事可以读、可以查，话可以先写着；要等模型回话，得先连上网。", "There is no network. You can read, search and write your words; the model answers once there is one again.";
}
