//! Texts of the scribe's settings.

use super::Language;

texts! {
    Title: "书记", "The scribe";
    Hint: "故事的模型只写正文；变化由第二次调用在回复显示之后记下，不耽误任何人。要记的是这个故事开启的部分：人格、导演、世界。", "The story’s model writes prose alone: a second call notes what changed once the reply is shown, and delays nobody. It notes what is on in this story: persona, director, world.";
    Connection: "由哪个连接来记", "Connection that notes";
    Same: "和故事相同", "As the story";
    Cadence: "什么时候记", "When it notes";
    EveryTurn: "每一轮", "Every turn";
    SomeTurns: "每满几轮", "Every few turns";
    Eventful: "有事发生时", "When something happened";
    EventfulHint: "讲了很多，或者话里提到受伤、承诺、离开之类时才读；这由程序自己判断，不问模型。", "It reads when much was told, or the words speak of a wound, a promise, a parting and the like; the program judges that without a model.";
    Turns: "满几轮记一次", "Notes once in";
    TurnsUnit: "轮", "{turn|turns}";
    CatchUp: "补记", "Catch up";
    CatchUpHint: "给没有书记时讲过的、或导入的故事补记：沿着你现在所在的这条路，从这一轮读到现在。", "For what was told without it, or came from a file: along the path where you stand, from this turn to now.";
    From: "从第几轮起", "From turn";
    Task: "{} 轮没有读过：{} 次调用，发出约 {} 个 token，收到约 {} 个。", "{} {turn|turns} not read: {} {call|calls}, about {} {token|tokens} sent and {} received.";
    TaskPrice: "约 {}。", "About {}.";
    NothingUnread: "从这里起都读过了。", "From here on, all of it was read.";
    NothingOn: "人格、导演和世界都没有开启，没有可记的。", "Persona, director and world are all off: there is nothing to note.";
    Begin: "让书记读", "Let the scribe read";
    Reading: "正在读：第 {} 次，共 {} 次", "Reading: call {} of {}";
    Kept: "已经记下的会留着。", "What was noted stays.";
    Unusable: "书记的回答没法用。", "The scribe’s answer cannot be used.";
}
