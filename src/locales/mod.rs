//! Every text of the page, in Chinese and English side by side.

pub mod faults;
pub mod prompts;
pub mod reasons;
pub mod refusals;
pub mod time;
pub mod warnings;

use crate::story::storyline::Language;

impl Language {
    /// The language that a browser's preferences ask for.
    pub fn from_browser<'a>(tags: impl IntoIterator<Item = &'a str>) -> Self {
        for tag in tags {
            match tag.get(..2).unwrap_or(tag).to_ascii_lowercase().as_str() {
                "zh" => return Self::Zh,
                "en" => return Self::En,
                _ => {}
            }
        }
        Self::En
    }

    /// The tag of the document's `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Zh => "zh-CN",
            Self::En => "en",
        }
    }

    /// One of two texts.
    pub fn pick<T>(self, zh: T, en: T) -> T {
        match self {
            Self::Zh => zh,
            Self::En => en,
        }
    }
}

macro_rules! texts {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        /// A text of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum T { $($name),* }

        impl T {
            pub const ALL: &[T] = &[$(T::$name),*];

            pub fn text(self, language: Language) -> &'static str {
                match self { $(T::$name => language.pick($zh, $en)),* }
            }
        }
    };
}

// After the macro, which it uses.
pub mod mind;

/// Fills `{}` places in order.
pub fn fill(template: &str, values: &[&str]) -> String {
    let mut parts = template.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        out.push_str(values.get(at).copied().unwrap_or_default());
        out.push_str(part);
    }
    out
}

texts! {
    // Shell
    Storylines: "故事线", "Storylines";
    Characters: "角色", "Characters";
    Backgrounds: "背景", "Backgrounds";
    Settings: "设置", "Settings";
    OpenShelf: "打开书架", "Open the shelf";
    OpenNotebook: "打开笔记", "Open the notebook";
    CollapseShelf: "收起书架", "Collapse the shelf";
    CollapseNotebook: "收起笔记", "Collapse the notebook";
    ShowShelf: "展开书架", "Show the shelf";
    ShowNotebook: "展开笔记", "Show the notebook";
    Close: "关闭", "Close";
    NewStoryline: "新的故事", "New story";
    NoStorylines: "还没有故事。", "No stories yet.";
    Loading: "正在打开……", "Opening…";
    SkipToStory: "跳到故事正文", "Skip to the story";
    MainNavigation: "主导航", "Main navigation";
    // Shared actions
    Save: "保存", "Save";
    Saved: "已保存", "Saved";
    Cancel: "取消", "Cancel";
    Edit: "编辑", "Edit";
    Duplicate: "复制一份", "Duplicate";
    Delete: "删除", "Delete";
    Undo: "撤销", "Undo";
    Export: "导出", "Export";
    Import: "导入", "Import";
    Back: "返回", "Back";
    Retry: "重试", "Retry";
    More: "更多", "More";
    Name: "名称", "Name";
    Description: "描述", "Description";
    Required: "这里需要填写。", "Please fill this in.";
    CopyOf: "{}（副本）", "{} (copy)";
    Deleted: "已删除“{}”。", "Deleted “{}”.";
    UnsavedChanges: "有未保存的修改。", "There are unsaved changes.";
    NameNeeded: "还缺一个名称。", "A name is needed.";
    DiscardChanges: "放弃修改", "Discard the changes";
    StayHere: "继续编辑", "Stay here";
    FileUnreadable: "浏览器没能读取这个文件：{}", "The browser could not read this file: {}";
    AndMore: "另有 {} 处。", "And {} more.";
    // Welcome
    WelcomeTitle: "灯下的一本书", "A book by lamplight";
    WelcomeLead: "Fabula 在你的浏览器里和你一起写故事。故事、记忆与钥匙都留在这台设备上。", "Fabula writes stories with you, whole in your browser. Stories, memories and keys stay on this device.";
    WelcomeDemo: "先读一段演示", "Read a demo first";
    WelcomeDemoNote: "不需要密钥。回复是预先录好的。", "No key needed. Its replies are recorded.";
    WelcomeConnect: "连接模型，开始自己的故事", "Connect a model and begin your own";
    WelcomeConnectNote: "三步：连接、人物、开场。", "Three steps: connect, character, open.";
    StepConnect: "连接一个模型", "Connect a model";
    StepCharacter: "写一个人物", "Write a character";
    StepOpen: "开始故事", "Open the story";
    StepsTitle: "三步开始", "Three steps to begin";
    DemoLabel: "演示：回复是预先录好的，没有模型在工作。", "Demo: the replies are recorded; no model is at work.";
    DemoConnect: "连接模型继续", "Connect a model to go on";
    DemoGoOn: "用我的模型继续", "Go on with my model";
    WipedTitle: "浏览器清除了这里的故事", "The browser has deleted the stories kept here";
    WipedBody: "这台设备上曾有故事，但数据库已经不在了（清除网站数据或磁盘空间不足都会这样）。如果有备份，可以在“设置 → 数据”里恢复。", "There were stories on this device, but the database is gone (cleared site data or a full disk do this). If you have a backup, restore it under Settings → Data.";
    // Chat
    ComposerPlaceholder: "说些什么，或推动剧情……", "Say something, or move the story on…";
    ComposerLabel: "你的话", "Your words";
    Send: "发送", "Send";
    Stop: "停止", "Stop";
    Waiting: "等待回复……", "Waiting for the reply…";
    Continue: "继续写", "Continue";
    Regenerate: "重新生成", "Regenerate";
    EditUser: "修改我的话", "Edit my words";
    EditReply: "修改回复", "Edit the reply";
    SaveAndRegenerate: "保存并重新生成", "Save and regenerate";
    PreviousReply: "上一个回复", "Previous reply";
    NextReply: "下一个回复", "Next reply";
    CopyText: "复制文字", "Copy text";
    Copied: "已复制", "Copied";
    Thinking: "思考过程", "Reasoning";
    StatusInterrupted: "未写完", "Broken off";
    StatusError: "出错了", "Failed";
    StatusEmpty: "没有内容", "Empty";
    NoReply: "(无回复)", "(No reply)";
    SystemError: "(系统错误: {})", "(System error: {})";
    TurnNumber: "第 {} 轮", "Turn {}";
    Opening: "开场", "Opening";
    Words: "{} 字词", "{} words";
    Tokens: "{} tokens", "{} tokens";
    EmptyStory: "这里还空着。说第一句话吧。", "Nothing here yet. Say the first words.";
    ReadOnly: "这个故事正在另一个标签页里进行。这里实时显示，但只能阅读。", "This story is being played in another tab. It shows live here, read-only.";
    TakeOver: "在这里继续", "Take over here";
    NoConnectionYet: "还没有连接模型。", "No model is connected yet.";
    ConnectNow: "去连接", "Connect one";
    JumpToEnd: "回到最新", "Back to the newest";
    NotSaved: "没能保存：{}", "Could not save: {}";
    StoryTitle: "故事标题", "Story title";
    StoryStatus: "状态", "Status";
    StatusActive: "进行中", "Active";
    StatusPaused: "暂停", "Paused";
    StatusFinished: "完结", "Finished";
    StoryConnection: "用哪个模型", "Model";
    DefaultConnection: "默认连接", "Default connection";
    ImageHidden: "图片未加载：{}", "Image not loaded: {}";
    TurnsPlayed: "已进行 {} 轮", "{} turns played";
    LastActive: "上次 {}", "last {}";
    // Notebook
    TabPersona: "人物", "Character";
    TabPlot: "剧情", "Plot";
    TabPrompt: "提示词", "Prompt";
    TabStory: "故事", "Story";
    Outline: "大纲", "Outline";
    NoOutline: "这个背景没有大纲。", "This background has no outline.";
    NoBackground: "没有背景。", "No background.";
    PromptNone: "还没有请求过模型。", "The model has not been asked yet.";
    PromptOf: "第 {} 轮的提示词", "Prompt of turn {}";
    PromptTrimmed: "省去最早的 {} 轮", "{} oldest turns left out";
    PromptLanguage: "内置提示词的语言", "Language of the built-in prompts";
    LanguageChinese: "中文", "Chinese";
    LanguageEnglish: "英文", "English";
    SessionsCount: "会话 {} 次", "{} sessions";
    // New storyline
    ChooseCharacter: "人物", "Character";
    ChooseBackground: "背景", "Background";
    ChoosePreset: "提示词预设", "Prompt preset";
    WithoutBackground: "不用背景", "Without a background";
    TitleOptional: "标题（可留空）", "Title (may stay empty)";
    YourName: "你在故事里的名字", "Your name in the story";
    Begin: "开始", "Begin";
    NeedCharacter: "先要有一个人物。", "A character is needed first.";
    WriteCharacter: "写一个人物", "Write a character";
    // Libraries
    NewCharacter: "新的人物", "New character";
    NewBackground: "新的背景", "New background";
    NoCharacters: "还没有人物。写一个，或者导入一张角色卡（JSON）。", "No characters yet. Write one, or import a card (JSON).";
    NoBackgrounds: "还没有背景。写一个世界，或者导入一个（JSON）。", "No backgrounds yet. Write a world, or import one (JSON).";
    UsedBy: "{} 个故事在用", "stories that use it: {}";
    UsedAndWaiting: "{} 个故事在用它，会等它恢复。", "Stories that use it: {}. They wait until it is restored.";
    EntryGone: "这一条不在这里了，也许在回收站里。", "It is not here any more; look in the bin.";
    BackToList: "回到列表", "Back to the list";
    EditCharacter: "编辑角色", "Edit the character";
    EditBackground: "编辑背景", "Edit the background";
    OpeningsAndExamples: "其他开场与示例", "Further openings and examples";
    Instructions: "给模型的提示", "Instructions to the model";
    AboutCard: "关于这张卡", "About this card";
    PictureTooLarge: "图片是 {}，上限是 {}。", "The picture has {}; the limit is {}.";
    PictureUnknown: "这不是 PNG、JPEG、WebP 或 GIF 图片。", "That is not a PNG, JPEG, WebP or GIF picture.";
    PlayedElsewhere: "这个故事正在另一个标签页里进行，请在那里修改。", "This story is being played in another tab; change it there.";
    PlayThis: "用它开始故事", "Begin a story with it";
    Avatar: "头像", "Picture";
    ChoosePicture: "选择图片", "Choose a picture";
    RemovePicture: "去掉图片", "Remove the picture";
    Personality: "性格", "Personality";
    Scenario: "场景", "Scenario";
    FirstMessage: "开场白", "First message";
    FirstMessageHint: "故事的第一段，由角色说出。", "The story's first words, spoken by the character.";
    AlternateGreetings: "其他开场白", "Further openings";
    AlternateGreetingsHint: "每段之间用单独一行 --- 隔开。", "Separate them by a line of ---.";
    ExampleMessages: "对话示例", "Example dialogue";
    SystemPrompt: "系统提示（替换预设）", "System prompt (replaces the preset's)";
    PostHistory: "历史之后的提示", "Text after the history";
    CreatorNotes: "作者的话（不进入提示词）", "Creator's notes (never in a prompt)";
    Tags: "标签（逗号隔开）", "Tags (by commas)";
    Creator: "作者", "Creator";
    CardVersion: "版本", "Version";
    Archetype: "原型", "Archetype";
    CoreGoal: "核心目标", "Core goal";
    CoreTraits: "核心特质（逗号隔开）", "Core traits (by commas)";
    BackgroundStory: "背景故事", "Background story";
    CoreIdentity: "核心身份", "Core identity";
    CoreIdentityHint: "从不改变。开始故事时复制一份。", "Never changes. Copied when a story begins.";
    GrowthState: "成长层的起点", "Where growth begins";
    Beliefs: "信念（每行一条）", "Beliefs (one a line)";
    Patterns: "行为模式（每行一条）", "Behavioural patterns (one a line)";
    Relationships: "关系（每行：对象：关系）", "Relationships (a line each: who: what)";
    CurrentState: "当前状态的起点", "Where the present begins";
    Emotions: "情绪（每行一条）", "Emotions (one a line)";
    Physical: "身体状况", "Physical condition";
    Goals: "眼前的目标（每行一条）", "Immediate goals (one a line)";
    CardFields: "角色卡", "Card";
    MoreFields: "更多栏目", "More fields";
    WorldSetting: "世界观", "World setting";
    WorldRules: "世界规则", "Rules of the world";
    InitialContext: "开场情境", "Initial context";
    InitialContextHint: "读者最先看到的一段。", "What the reader meets first.";
    OutlinePoints: "故事大纲（每行一点）", "Story outline (one point a line)";
    // Settings
    Connections: "模型连接", "Model connections";
    NewConnection: "新的连接", "New connection";
    NoConnections: "还没有连接。演示故事不需要它。", "No connection yet. The demo story needs none.";
    ConnectionName: "名称", "Name";
    ConnectionKind: "接口", "Protocol";
    KindOpenai: "OpenAI 兼容", "OpenAI-compatible";
    KindAnthropic: "Anthropic", "Anthropic";
    KindGemini: "Google Gemini", "Google Gemini";
    ConnectionUrl: "地址", "Address";
    ConnectionUrlHint: "任何 OpenAI 兼容的地址都可以，例如 http://localhost:11434/v1。", "Any OpenAI-compatible address will do, e.g. http://localhost:11434/v1.";
    ConnectionKey: "密钥", "Key";
    ConnectionKeyKept: "（已保存，留空则不变）", "(kept; leave empty to keep it)";
    ConnectionKeyHint: "本地模型通常不需要。请用设有花费上限的密钥。", "Local models usually need none. Use a key with a spending limit.";
    ConnectionModel: "模型", "Model";
    FetchModels: "取得列表", "Fetch the list";
    ModelsFound: "找到 {} 个模型", "{} models found";
    Sampling: "采样与上下文", "Sampling and context";
    Temperature: "温度（0–2）", "Temperature (0–2)";
    TopP: "Top P（0–1）", "Top P (0–1)";
    TopK: "Top K", "Top K";
    FrequencyPenalty: "频率惩罚（-2–2）", "Frequency penalty (-2–2)";
    PresencePenalty: "存在惩罚（-2–2）", "Presence penalty (-2–2)";
    MaxTokens: "回复最多 tokens", "Longest reply, tokens";
    ContextTokens: "上下文 tokens", "Context, tokens";
    TimeoutSeconds: "无响应上限（秒）", "Silence limit (seconds)";
    StopTexts: "停止词（每行一个）", "Stop texts (one a line)";
    Seed: "随机种子", "Seed";
    OutOfRange: "应在 {} 到 {} 之间。", "Must be between {} and {}.";
    NotANumber: "这不是数字。", "That is not a number.";
    TestConnection: "测试", "Test";
    Testing: "正在测试……", "Testing…";
    TestWorks: "可以用。{} 回答了：“{}”", "It works. {} answered: “{}”";
    MakeDefault: "设为默认", "Make default";
    IsDefault: "默认", "default";
    NeedsReload: "页面只允许已保存的地址。用新地址前要重新载入一次；只存在内存里的密钥需要再输入。", "The page only allows saved addresses. A new one takes a reload; keys kept in memory only must be typed again.";
    SaveAndReload: "保存并重新载入", "Save and reload";
    KeyKeeping: "密钥怎么保存", "How the key is kept";
    KeepMemory: "只在内存里", "In memory only";
    KeepSealed: "用口令加密", "Encrypted by a passphrase";
    KeepClear: "明文存在本机", "In the clear on this device";
    KeepMemoryHint: "关掉标签页就没有了，下次再输入。", "Gone with this tab; you type it again next time.";
    KeepSealedHint: "加密后存在这台设备上，每次打开页面输入一次口令。口令丢了只能重新输入密钥。", "Kept on this device, encrypted; you give the passphrase once per visit. If you lose it, enter the keys anew.";
    KeepClearHint: "能打开这个浏览器的人都能读到它。", "Whoever can open this browser can read it.";
    Passphrase: "口令", "Passphrase";
    Unlock: "解锁", "Unlock";
    Locked: "密钥已加密。输入口令解锁。", "Keys are encrypted. Give the passphrase to unlock.";
    WrongPassphrase: "口令不对。", "That passphrase is wrong.";
    VaultBroken: "浏览器的加密功能不可用。", "The browser's cryptography is not available.";
    PassphraseNeeded: "加密保存需要口令。", "Encrypting takes a passphrase.";
    ForgetKeys: "忘记所有密钥", "Forget all keys";
    KeysForgotten: "所有密钥都已忘记。", "All keys are forgotten.";
    EnterKey: "输入密钥", "Enter the key";
    PassphraseNew: "新的口令", "New passphrase";
    ForgetKey: "忘记这个密钥", "Forget this key";
    KeyInMemory: "密钥只在内存里", "key in memory only";
    KeySealed: "密钥已加密保存", "key kept encrypted";
    KeyInClear: "密钥明文存在本机", "key kept in the clear";
    NoKeyNeeded: "不需要密钥", "No key is needed";
    KeyGoneHint: "这个连接的密钥只存在内存里，已经不在了。请再输入一次。", "This connection's key was kept in memory only, and is gone. Enter it again.";
    KeyToMove: "要换保存方式，请再输入一次密钥。", "To keep it another way, enter the key once more.";
    ConnectionNameHint: "留空则用地址里的主机名。", "Left empty, it takes the name of the host.";
    ConnectionModelHint: "只有一个模型的本地服务可以留空。", "A local server with a single model needs none.";
    MoreSampling: "更多采样参数", "More sampling parameters";
    SamplingHint: "留空则由服务决定。", "What is left empty is the provider's choice.";
    NotWhole: "应是整数。", "Must be a whole number.";
    TestSilent: "可以用。{} 有回应，只是这次没有正文。", "It works. {} answered, though without text this time.";
    LocalAllow: "让本机服务允许这个网页。Ollama：设 OLLAMA_ORIGINS={} 后重启。LM Studio：在服务器设置里打开 CORS。llama.cpp 和 KoboldCpp 默认允许。", "Let the local server allow this page. Ollama: set OLLAMA_ORIGINS={} and restart it. LM Studio: switch CORS on in the server's settings. llama.cpp and KoboldCpp allow it by default.";
    LocalPort: "常见端口：Ollama 11434，LM Studio 1234，llama.cpp 8080，KoboldCpp 5001。地址通常以 /v1 结尾。", "Usual ports: Ollama 11434, LM Studio 1234, llama.cpp 8080, KoboldCpp 5001. Most addresses end in /v1.";
    LocalSlow: "本机模型第一次要先载入，可能超过半分钟。稍等再测。", "A local model is loaded first, which may take longer than half a minute. Wait a little and test again.";
    Appearance: "外观", "Appearance";
    LanguageLabel: "语言", "Language";
    FollowBrowser: "跟随浏览器", "Follow the browser";
    ThemeLabel: "明暗", "Theme";
    ThemeSystem: "跟随系统", "Follow the system";
    ThemeLight: "浅色", "Light";
    ThemeDark: "深色", "Dark";
    TypeSize: "正文字号", "Size of the story's type";
    Data: "数据", "Data";
    StorageUsed: "已用 {}，可用 {}", "{} used of {}";
    StoragePersisted: "浏览器答应不会自行删除这些数据。", "The browser promises not to delete this by itself.";
    StorageNotPersisted: "空间不足时浏览器可能删除这些数据。请常备份。", "The browser may delete this when space is short. Keep backups.";
    AskPersist: "请浏览器保留", "Ask the browser to keep it";
    BackupExport: "备份整个书架", "Back up the whole shelf";
    BackupImport: "从备份恢复", "Restore from a backup";
    BackupHint: "一个文件，包含所有人物、背景、故事和图片。不含密钥和连接。", "One file with all characters, backgrounds, stories and pictures. Never keys or connections.";
    BackupNever: "还没有备份过。", "Never backed up.";
    BackupLast: "上次备份：{}", "Last backup: {}";
    BackupRemind: "自上次备份以来已有 {} 轮。现在备份？", "{} turns since the last backup. Back up now?";
    BackupRemindNever: "这里有 {} 轮还没有备份过。现在备份？", "{} turns here have never been backed up. Back up now?";
    BackupGo: "去备份", "To the backup";
    BackupDone: "备份完成：{} 条记录。", "Backed up: {} records.";
    Exporting: "正在导出……{} 条", "Exporting… {} records";
    Importing: "正在读取……{} 条", "Reading… {} records";
    Writing: "正在写入……{} 条", "Writing… {} records";
    ImportCancelled: "已取消，书架没有改变。", "Cancelled; the shelf is unchanged.";
    ImportSummaryTitle: "这个文件里有", "In this file";
    ImportMerge: "合并", "Merge";
    ImportCopy: "作为副本导入", "Import as a copy";
    ImportMergeHint: "合并：补上没有的，已有的保留较新的。副本：另存一份，互不影响。", "Merge adds what is missing and keeps the newer of what is there. A copy stands beside, and neither touches the other.";
    ImportDone: "已导入 {} 条记录。", "{} records imported.";
    ImportNothingNew: "文件里的内容这里都已经有了。", "Everything in the file is here already.";
    ImportFinishing: "马上就好……", "Nearly done…";
    ImportUndoing: "正在撤回已写入的内容……", "Taking back what was written…";
    ImportUnfinished: "导入没能写完：{}。下次打开页面时会自动补完。", "The import could not be finished: {}. It will be when the page is next opened.";
    ImportUndone: "上次中断的导入已撤回，书架没有改变。", "An import that was cut off has been taken back; the shelf is unchanged.";
    ImportCompleted: "上次中断的导入已补完。", "An import that was cut off has been completed.";
    ImportBusy: "另一个导入正在进行，请等它完成。", "Another import is under way. Wait until it is done.";
    ImportStoryline: "导入故事或备份", "Import a story or backup";
    StoryInUse: "“{}”正在进行，或者开在另一个标签页里。请先停下或关掉它，或者作为副本导入。", "“{}” is being played, or is open in another tab. Stop or close it first, or import a copy.";
    BelongsToCharacters: "这是一张角色卡，请在“角色”页面导入。", "This is a character card. Import it on the Characters page.";
    BelongsToBackgrounds: "这是一个背景，请在“背景”页面导入。", "This is a background. Import it on the Backgrounds page.";
    ArchiveOfStoryline: "一个故事", "One story";
    ArchiveOfLibrary: "整个书架的备份", "Backup of a whole shelf";
    StoriesNew: "这里还没有的故事", "Stories that are new here";
    StoriesKnown: "这里已有的故事", "Stories that are here already";
    StoryDiverged: "“{}”在这里走了另一条路：合并时，文件里的会作为副本放在旁边。", "“{}” took another turn here: merging puts the file's beside it as a copy.";
    Turns: "轮次", "Turns";
    Presets: "提示词预设", "Prompt presets";
    Pictures: "图片", "Pictures";
    ExportingStory: "正在导出“{}”……", "Exporting “{}”…";
    ExportFailed: "没能导出。{}", "The export failed. {}";
    RecordsLeftOut: "有 {} 条记录已损坏，没有导出。", "{} records are damaged and were left out.";
    TurnsSinceBackup: "之后又有 {} 轮。", "{} turns since then.";
    ImportedOne: "已导入“{}”。", "Imported “{}”.";
    Bin: "回收站", "Bin";
    Storyline: "故事", "Story";
    BinEmpty: "回收站是空的。", "The bin is empty.";
    BinHint: "删除的东西保留 7 天。", "What you delete stays for 7 days.";
    Restore: "恢复", "Restore";
    DeleteForever: "永久删除", "Delete for ever";
    DeleteForeverSure: "确定永久删除？", "Really for ever?";
    DeleteForeverUsed: "{} 个故事在用它，没有它就不能继续。", "Stories that use it: {}. They cannot go on without it.";
    TurnsCount: "{} 轮", "{} turns";
    PicturesCount: "{} 张图片", "{} pictures";
    DroppedFile: "松开以导入", "Drop to import";
    // Faults of the house
    DatabaseBlocked: "另一个标签页还开着旧版本。请关掉或刷新它。", "Another tab holds an older version open. Close or reload it.";
    DatabaseOutdated: "这个页面有了新版本，请重新载入。", "There is a newer version of this page. Please reload.";
    DatabaseNewer: "这里的数据是更新版本的 Fabula 写的。为了不损坏它，这个版本不打开它。请重新载入页面以取得新版本。", "The data here was written by a newer Fabula. So as not to harm it, this version does not open it. Reload to get the newer version.";
    DatabaseFailed: "浏览器不让打开数据库：{}", "The browser would not open the database: {}";
    Reload: "重新载入", "Reload";
    Broken: "这个页面出错停下了。你看到的文字都已保存，重新载入就能继续。", "This page has stopped on a fault. All that you saw is saved; reload to go on.";
    StoryGone: "这个故事不在这里。", "That story is not here.";
    // Limits and warnings (seed 000)
    SystemWarnings: "系统警示", "Warnings";
    WarningDetails: "警示详情", "Warning";
    WarningKind: "类型", "Kind";
    WarningValue: "当前值", "Now";
    WarningThreshold: "建议阈值", "Threshold";
    WarningAdvice: "建议操作", "Advice";
    WarningEffect: "影响", "Effect";
    MiddleOverflow: "当前对话历史过长", "The conversation so far is long";
    MiddleOverflowAdvice: "执行汇总功能", "Summarise the session";
    MiddleOverflowEffect: "可能导致响应变慢、成本增加", "Replies may come slower and cost more";
    TotalNear: "Prompt总长度接近上限", "The prompt is near its total limit";
    TotalNearAdvice: "执行汇总功能或调高总长度上限", "Summarise the session, or raise the limit";
    TotalNearEffect: "超过上限后将不再发送", "Above the limit, turns are no longer sent";
    OverLimit: "Prompt总长度超过限制（{} > {}），请执行汇总或调整配置", "The prompt is over its total limit ({} > {}). Summarise the session, or change the limit";
    // Modules
    ModuleDirector: "导演", "Director";
    ModulePersona: "人格", "Persona";
    ModuleFailed: "{}没能处理这一轮：{}。其余部分不受影响。", "{} could not take this turn in: {}. All else went on.";
    UnreadableUpdate: "这条回复的状态更新读不懂（{}），已原样保留。", "This reply's state update cannot be read ({}); it is kept as it is.";
    OutOfOutline: "回复提到第 {} 个剧情点，但大纲只有 {} 个；按没有进展计。", "The reply names point {}, but the outline has {}; counted as no progress.";
    ByHandLost: "{}：一处手动修改与重新读取的回复不再相符。", "{}: a change made by hand no longer fits the reply as read anew.";
    GrowthRule: "成长层只在重大事件时改变：回复自己声明了重大事件，或某段关系有了不同的状态，或形成了有来由的信念。其余的成长等你决定。", "Growth changes only on a major event: the reply says it is one, or a relationship takes another status, or a belief comes with what it was formed from. Other growth waits for you.";
    GrowthAuto: "重大事件时自动", "On a major event";
    GrowthAsk: "每次都问我", "Ask me each time";
    GrowthAlways: "总是接受", "Always";
    GrowthNever: "从不（只手动）", "Never (by hand only)";
    // The limits' page, the composer, the author's note
    PromptLimits: "提示词的边界", "The bounds of a prompt";
    Thresholds: "阈值", "Thresholds";
    Limits: "限制", "Limits";
    StoryPreferences: "偏好设置", "Preferences";
    SummaryOrderLabel: "新会话初始内容顺序", "What a new session opens with";
    SummaryFirst: "先放摘要，再放对话", "The summary, then the conversation";
    LastNFirst: "先放对话，再放摘要", "The conversation, then the summary";
    LoadAll: "全量读取会话文件", "Read the whole session";
    RestoreDefaults: "恢复默认", "Restore defaults";
    ChangeLimits: "调整配置", "Change the limits";
    WarningOpen: "双击查看详情", "Double-click for details";
    WarningMore: "详情", "Details";
    LastTurnTokens: "上轮约 {} tokens", "Last turn: about {} tokens";
    AuthorNote: "作者注", "Author's note";
    NoteText: "内容", "Text";
    AuthorNoteHint: "每一轮都写进提示词，故事里看不到。", "Goes into every prompt; the story does not show it.";
    NoteOn: "启用", "In use";
    NoteDepth: "深度", "Depth";
    NoteDepthHint: "放在最后几条消息之前；0 为最末。", "How many messages before the end; 0 is the very end.";
    NoteRole: "身份", "Role";
    NoteAsSystem: "系统", "System";
    NoteAsUser: "用户", "User";
    NoteAsAssistant: "助手", "Assistant";
    StorageFull: "没有空间保存了。请导出故事，再腾出一些空间。", "There is no room left to save. Export your stories, then free some space.";
    // Presets and the prompt inspector
    PresetsBuiltIn: "内置", "Built in";
    PresetsOwn: "我的预设", "Your own";
    PresetsBuiltInHint: "内置的预设不能改，复制一份就可以。", "The built-in ones stay as they are; duplicate one to change it.";
    PresetsNone: "还没有自己的预设。", "None of your own yet.";
    PresetImportHint: "可以导入 Fabula 和 SillyTavern（对话补全）的预设。采样参数、地址和密钥不会读入。", "Takes presets of Fabula and of SillyTavern (chat completion). Samplers, addresses and keys are never taken.";
    PresetUsedPlain: "{} 个故事在用它，删除后改用普通对话。", "Stories that use it: {}. They go on with plain chat.";
    PresetGone: "这个预设不在这里了。", "That preset is not here any more.";
    EditPreset: "编辑预设", "Edit preset";
    BlocksCount: "{} 个文段", "{} blocks";
    AddBlock: "添加文段", "Add a block";
    NewBlock: "新文段", "New block";
    BlockMoved: "{}：移到第 {} 位，共 {} 位", "{}: moved to place {} of {}";
    BlockRemoved: "已移除文段“{}”。", "Removed the block “{}”.";
    BlockOn: "启用“{}”", "Use “{}”";
    MoveUp: "上移（Alt+↑）", "Move up (Alt+↑)";
    MoveDown: "下移（Alt+↓）", "Move down (Alt+↓)";
    RemoveBlock: "移除", "Remove";
    BlockSource: "内容", "Content";
    BlockOwnText: "自己的文字", "Its own text";
    BlockText: "文字（可用 {{char}}、{{user}} 等宏）", "Text (macros such as {{char}} and {{user}})";
    BlockFrame: "框架：来源的内容放在 {{content}} 处，可留空", "Frame: what the source gives stands at {{content}}; may be empty";
    BlockRole: "身份", "Role";
    BlockDepth: "插入对话的深度（留空则按列表顺序）", "Depth in the chat (empty: in the order of the list)";
    RoleSystem: "系统", "System";
    RoleUser: "用户", "User";
    RoleAssistant: "助手", "Assistant";
    Preview: "预览", "Preview";
    PreviewOf: "以“{}”为例", "As “{}” would be told";
    PreviewLeftOut: "中间省去 {} 条消息", "{} messages between are not shown";
    TurnWhy: "为什么这样回复：看这一轮的提示词", "Why so: the prompt of this turn";
    PromptNewest: "看最新一轮", "The newest turn";
    PromptTrimmedEntries: "为了长度省去 {} 条", "{} left out to fit";
    PromptAtDepth: "对话倒数第 {} 条之前", "{} messages before the chat's end";
    PromptTurns: "第 {}–{} 轮", "Turns {}–{}";
    PromptNoText: "这段文字没有保存。", "This text was not kept.";
    PromptUnread: "这一轮没有提示词的记录。", "There is no record of a prompt for this turn.";
    PromptUsage: "服务商计数：提示词 {}，回复 {}", "Counted by the provider: prompt {}, reply {}";
    PromptDifference: "与上一轮的不同", "What changed since the turn before";
    PromptSame: "与上一轮相同。", "The same as the turn before.";
    PromptAdded: "新增", "added";
    PromptGone: "不再有", "gone";
    PromptChanged: "有变化", "changed";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_say_the_same() {
        for text in T::ALL {
            let [zh, en] = [Language::Zh, Language::En].map(|language| text.text(language));
            assert!(!zh.trim().is_empty() && !en.trim().is_empty(), "{text:?}");
            assert_eq!(zh.matches("{}").count(), en.matches("{}").count(), "{text:?}");
        }
    }

    #[test]
    fn fills_places() {
        assert_eq!(fill("{} of {}", &["1", "2"]), "1 of 2");
        assert_eq!(fill("plain", &["x"]), "plain");
        assert_eq!(fill("{} {}", &["{}"]), "{} ");
    }

    #[test]
    fn follows_the_browser() {
        assert_eq!(Language::from_browser(["zh-TW", "en"]), Language::Zh);
        assert_eq!(Language::from_browser(["fr", "en-GB", "zh"]), Language::En);
        assert_eq!(Language::from_browser([]), Language::En);
    }
}
