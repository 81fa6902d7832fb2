//! The presets: their library, their files, their editor.

use super::Language;

texts! {
    PresetsBuiltIn: "内置", "Built in";
    PresetsOwn: "我的预设", "Your own";
    PresetsBuiltInHint: "点开就能看全文。内置的预设不能改，复制一份就可以。", "Open one to read it. The built-in ones stay as they are; duplicate one to change it.";
    PresetPurpose: "用在什么地方（一行，可留空）", "What it is for (one line, may stay empty)";
    DuplicateToEdit: "复制一份来修改", "Duplicate it to change it";
    BlockIsOff: "未启用", "not in use";
    BlockPlaceOf: "这里放：{}", "The place of: {}";
    PresetsNone: "还没有自己的预设。", "None of your own yet.";
    BlocksLeftOut: "SillyTavern 里没有相应位置，没有写入的块：{}。", "Left out, since SillyTavern has no place for them: {} {block|blocks}.";
    PresetAsOurs: "全部内容，给 Fabula 用", "All of it, for Fabula";
    PresetAsTheirs: "聊天补全预设，给 SillyTavern 用", "A chat-completion preset, for SillyTavern";
    PresetImportHint: "可以导入 Fabula、SillyTavern 和 RisuAI 的预设，或只是一套采样参数。地址和密钥不会读入。", "Takes presets of Fabula, SillyTavern and RisuAI, and samplers alone. Addresses and keys are never taken.";
    PresetUsedPlain: "{} 个故事在用它，删除后改用普通对话。", "{} {story uses it and goes|stories use it and go} on with plain chat.";
    PresetTurnsOn: "随它打开的部分", "What it turns on";
    PresetTurnsOnHint: "在故事里改过的，以故事为准。", "What is set in a story goes before it.";
    PresetGone: "这个预设不在这里了。", "That preset is not here any more.";
    EditPreset: "编辑预设", "Edit preset";
    AddBlock: "添加文段", "Add a block";
    NewBlock: "新文段", "New block";
    BlockRemoved: "已移除文段“{}”。", "Removed the block “{}”.";
    BlockOn: "启用“{}”", "Use “{}”";
    RemoveBlock: "移除", "Remove";
    BlockSource: "内容", "Content";
    BlockOwnText: "自己的文字", "Its own text";
    BlockText: "文字（可用 {{char}}、{{user}} 等宏）", "Text (macros such as {{char}} and {{user}})";
    BlockFrame: "框架：来源的内容放在 {{content}} 处，可留空", "Frame: what the source gives stands at {{content}}; may be empty";
    BlockRole: "身份", "Role";
    BlockDepth: "插入对话的深度（留空则按列表顺序）", "Depth in the chat (empty: in the order of the list)";
    PreviewOf: "以“{}”为例", "As “{}” would be told";
}
