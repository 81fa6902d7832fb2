//! Texts of the library on several devices.

use super::{Language, fill};
use crate::sync::{Lacks, Trouble};

texts! {
    Title: "几台设备，同一个书架", "One library on several devices";
    Lead: "故事经由你自己的存储在设备之间同步，你的称呼和讲故事的设置也一起。离开这台设备之前先加密：存储那边一个字也读不到。模型的密钥、连接和花费从不离开。", "Your stories travel between your devices through storage of your own, with your name and how you like stories told. They are sealed before they leave: whoever runs it cannot read a word. Keys of models, connections and costs never leave.";
    SetUp: "设置存储", "Set up a storage";
    Kind: "存储类型", "Storage";
    KindWebdav: "WebDAV（Nextcloud、Koofr、Apache……）", "WebDAV (Nextcloud, Koofr, Apache, …)";
    KindS3: "S3（R2、B2、MinIO、AWS……）", "S3 (R2, B2, MinIO, AWS, …)";
    Address: "地址", "Address";
    AddressHint: "以 https:// 开头；http:// 只能用于本机或自己的局域网。", "Begins with https://; http:// will do on this machine or your own network only.";
    Bucket: "存储桶", "Bucket";
    Region: "区域", "Region";
    RegionHint: "不清楚就空着。", "Leave it empty if in doubt.";
    Folder: "文件夹", "Folder";
    FolderHint: "空着就是 fabula。", "Empty means fabula.";
    User: "用户名", "User name";
    Password: "密码", "Password";
    PasswordHint: "最好是只给这一个用途的应用密码。", "Best use an app password made just for this.";
    KeyId: "访问密钥 ID", "Access key ID";
    Secret: "私有访问密钥（Secret Access Key）", "Secret access key";
    Passphrase: "书架口令", "Passphrase of the library";
    PassphraseFor: "第一台设备定下它，其余设备用同一个。忘了它，没有人能打开存储里的东西；这台设备上的故事不受影响。", "The first device sets it, the others use the same. Whoever forgets it cannot open what lies in the storage; the stories on this device stay as they are.";
    Keep: "密码和口令怎么保存", "How password and passphrase are kept";
    KeepClear: "存在这台设备上", "On this device";
    KeepMemory: "只在内存里：每次打开页面再输入", "In memory only: entered anew with each visit";
    KeepSealed: "和模型密钥一起加密", "Sealed with the keys of models";
    Test: "测试", "Test";
    Start: "连接并同步", "Connect and sync";
    Works: "能读能写，可以用。", "It reads and writes; it will do.";
    Now: "现在同步", "Sync now";
    Stop: "这台设备不再同步", "Stop syncing this device";
    Stopped: "这台设备不再同步，这里的一切都还在。", "This device syncs no more; all that is here stays.";
    Wipe: "清空存储", "Wipe the storage";
    WipeAsk: "存储里的副本会全部删除，其他设备也不再同步；各台设备上的故事都留着。真的清空吗？", "The copies in the storage go, and your other devices sync no more; the stories on each device stay. Wipe it?";
    WipeYes: "清空", "Wipe";
    Wiped: "存储已清空，这台设备不再同步。", "The storage is empty, and this device syncs no more.";
    Cancel: "取消", "Cancel";
    NewPassphrase: "新的书架口令", "New passphrase";
    NewPassphraseFor: "已连接的设备照常同步，新设备用新的口令。", "Devices that are connected go on; a new one takes the new passphrase.";
    ChangePassphrase: "更换口令", "Change the passphrase";
    Changed: "口令换好了。其他设备不用重新输入；新设备用新的。", "The passphrase is changed. Other devices go on; new ones use the new one.";
    Waits: "没有网络，连上之后再同步。", "There is no network; it goes on once there is.";
    Metered: "系统要求节省流量，等你按“现在同步”。", "The system asks to save data; it waits for “Sync now”.";
    Elsewhere: "另一个标签页正管着同步。", "Another tab of this browser takes care of it.";
    Syncing: "正在同步……", "Syncing…";
    Done: "已同步：{}。", "In sync: {}.";
    Left: "还有 {} 条没有发出。", "{} {record|records} still to go out.";
    Moved: "收 {}，发 {}。", "Received {}, sent {}.";
    PicturesLeft: "还有 {} 张图片没有取来。", "{} {picture|pictures} still to come.";
    OnlySeen: "图片只在看到时才取来", "Fetch pictures only when they are seen";
    OnlySeenNote: "省流量和空间；在这台设备上做的备份只带看过的图片。", "Saves data and room. A backup made on this device then holds only those that were seen.";
    Vectors: "记忆的向量也一起同步", "Vectors of the memory travel, too";
    VectorsNote: "给用向量模型的人：别的设备不用再花钱算一遍；每一千段文字 1.5 到 12 MB，看模型。每台设备都要打开。", "For those who use an embedding model: other devices need not pay for them again. 1.5 to 12 MB for each thousand texts, as the model has it. To be switched on on each device.";
    Missing: "有 {} 台设备的内容还没到齐，后面的先等着。", "What {} {device|devices} told is not complete yet; what follows waits.";
    Began: "那里还没有书架，新建了一个：这台设备上的故事正在过去。", "There was no library there, so a new one is begun: the stories of this device go there now.";
    Found: "打开了那里的书架：里面的故事和这台设备上的合在一起。", "The library there is opened: what it has comes to this device, and what is here goes there.";
    Coming: "正从你的其他设备过来：{}。先能读到最新的几页，到齐了就能接着写。", "On the way from your other devices: {}. The newest pages can be read first; once all of it is here, you can play on.";
    ComingMore: "正从你的其他设备过来：{}，还有 {} 篇。先能读到最新的几页，到齐了就能接着写。", "On the way from your other devices: {} and {} more. The newest pages can be read first; once all of one is here, you can play on.";
    OnItsWay: "正在过来", "On its way";
    OnItsWayReadable: "正在过来 · 已能读最新的几页", "On its way · can be read";
    NotReadable: "这一篇正从你的另一台设备过来，到齐了就能读。", "This one is on its way from your other device; once all of it is here, it can be read.";
    NewestPages: "最新的几页", "The newest pages";
    RestIsComing: "其余的还在路上；到齐了，就从这里接着写。", "The rest is on its way. Once all of it is here, you can play on.";
    Locked: "密码和口令要再输入一次，才能继续同步。", "Enter password and passphrase once more, and syncing goes on.";
    Sealed: "密码和模型密钥锁在一起：在上面解锁密钥，就继续同步。", "The password is sealed with the keys of models: unlock them above, and syncing goes on.";
    Apart: "《{}》在另一台设备上从别处续写了：两条路都在故事树里。", "“{}” went on elsewhere on another device: both ways stand in the tree.";
    ShowTree: "看故事树", "Show the tree";
    Older: "被较新版本替换的内容：{} 处", "Replaced by something newer: {}";
    OlderIn: "{}（{}）", "{} ({})";
    OlderWords: "你的话", "Your words";
    OlderReply: "回复", "A reply";
    OlderMemory: "记忆", "A memory";
    OlderSetting: "设置", "A setting";
    ForgetOlder: "不再保留", "Forget them";
    Cors: "服务器要先允许这个页面访问", "The server must let this page in first";
    CorsHint: "把它交给存储的服务器（CORS 设置）：", "Give this to the storage's server (its CORS settings):";
    Copy: "复制", "Copy";
    LacksAddress: "要一个以 https:// 开头的地址。", "It takes an address that begins with https://.";
    LacksHttps: "在自己的局域网之外只能用 https://：否则传输途中的人能读到密码。", "Outside your own network only https:// will do: anybody on the way could read the password.";
    LacksBucket: "存储桶叫什么？", "What is the bucket called?";
    LacksUser: "要用户名（或访问密钥 ID）。", "It takes the user name (or the access key ID).";
    LacksSecret: "要密码（或私有访问密钥）。", "It takes the password (or the secret key).";
    Unreachable: "没有连上：没有网络、地址不对，或者服务器不让这个页面访问（CORS）。", "It was not reached: no network, a wrong address, or a server that does not let this page in (CORS).";
    Refused: "服务器不认这个用户名和密码，或者它没有权限。", "The server does not take this name and password, or they may not write there.";
    NoSuchPlace: "那里没有这个存储桶或文件夹。", "There is no such bucket or folder.";
    Clock: "这台设备的时钟和服务器差得太多：校准时间再试。", "The clocks of this device and the server are too far apart: set the time, then try again.";
    Full: "存储满了。", "The storage is full.";
    Busy: "服务器正忙，过一会儿会再试。", "The server is busy; it is tried again in a while.";
    Server: "服务器的回应出乎意料。", "The server gave another answer.";
    WrongPassphrase: "书架是用另一个口令锁的。", "The library is locked under another passphrase.";
    Damaged: "存储里有一个文件已损坏。", "A file there is not what was written.";
    NewerThere: "更新版的 Fabula 写过那里：先更新这个页面。", "A newer Fabula wrote there: update this page first.";
    StoreFailed: "这台设备的存储出了问题。", "The store of this device failed.";
}

/// What is missing to try a place.
pub fn lacks(lacks: Lacks) -> T {
    match lacks {
        Lacks::Address => T::LacksAddress,
        Lacks::Https => T::LacksHttps,
        Lacks::Bucket => T::LacksBucket,
        Lacks::User => T::LacksUser,
        Lacks::Secret => T::LacksSecret,
    }
}

/// What went wrong, and what the server said of it.
pub fn trouble(trouble: &Trouble, language: Language) -> String {
    let (text, said) = match trouble {
        Trouble::Unreachable(_) => (T::Unreachable, ""),
        Trouble::Refused(said) => (T::Refused, said.as_str()),
        Trouble::NoSuchPlace(said) => (T::NoSuchPlace, said.as_str()),
        Trouble::Clock(said) => (T::Clock, said.as_str()),
        Trouble::Full(said) => (T::Full, said.as_str()),
        Trouble::Busy(said) => (T::Busy, said.as_str()),
        Trouble::Server(said) => (T::Server, said.as_str()),
        Trouble::Damaged(said) => (T::Damaged, said.as_str()),
        Trouble::Passphrase => (T::WrongPassphrase, ""),
        Trouble::Newer => (T::NewerThere, ""),
        Trouble::Store(error) => (T::StoreFailed, error.name.as_str()),
    };
    let text = text.text(language);
    if said.is_empty() { text.to_owned() } else { fill(language.pick("{}（{}）", "{} ({})"), &[text, said]) }
}

/// A trouble by a plain name, as tests and styles know it.
pub fn name(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Unreachable(_) => "unreachable",
        Trouble::Refused(_) => "refused",
        Trouble::NoSuchPlace(_) => "no_such_place",
        Trouble::Clock(_) => "clock",
        Trouble::Full(_) => "full",
        Trouble::Busy(_) => "busy",
        Trouble::Server(_) => "server",
        Trouble::Passphrase => "passphrase",
        Trouble::Damaged(_) => "damaged",
        Trouble::Newer => "newer",
        Trouble::Store(_) => "store",
    }
}
