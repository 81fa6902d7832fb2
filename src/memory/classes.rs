//! Kinds of things and things of that kind: who asks for a hobby may mean the kayaking that was told.
//!
//! A short table, for the kinds that people ask for by name. Of all ways to bring words together that were tried
//! without a model it is the only one that helps (`FINDINGS.md`), for each row counts as one word, and a weak one.

use std::{collections::HashMap, sync::LazyLock};

use super::words;

/// Names of a kind, and after the colon what is of it or tells of it.
const TABLE: &str = "\
    hobby hobbies pastime leisure recreational: paint draw sketch carve knit sew read write sing dance hike camp swim \
        run jog fish climb ski surf kayak sail skate cycle bike garden cook bake craft collect chess game photography \
        yoga pottery guitar piano violin;\
    instrument: guitar piano violin flute drum harp lute fiddle cello trumpet clarinet saxophone ukulele accordion \
        concertina harmonica banjo organ;\
    afraid fear scared phobia: terrify frighten dread panic nightmare tremble scream spider height dark horror;\
    pet animal: dog cat puppy kitten bird parrot hamster rabbit turtle fish horse snake;\
    ill illness sick disease health: cough fever cold flu asthma cancer pneumonia headache pain hospital doctor \
        diabetes weight;\
    allergic allergy: rash itch swell throat breath hives sneeze peanut nut shellfish;\
    job profession occupation career: teacher nurse doctor engineer lawyer artist writer chef farmer soldier carpenter \
        blacksmith merchant clerk apprentice hire salary work;\
    weapon armed: sword knife dagger gun pistol rifle bow arrow axe spear blade crossbow;\
    religion religious faith: god pray prayer church temple saint priest candle bible mosque bless;\
    food eat meal dish: bread rice soup pasta pizza cake fruit meat fish cheese noodle salad chicken steak;\
    drink beverage: wine beer tea coffee water juice whisky ale;\
    family relative: mother father brother sister son daughter uncle aunt cousin grandmother grandfather wife husband;\
    vehicle transport: car truck bike motorcycle boat ship train bus carriage wagon horse;\
    sport exercise: football soccer basketball tennis baseball swim run gym yoga hockey volleyball boxing;\
    love romance crush: kiss marry wedding date heart blush darling sweetheart boyfriend girlfriend;\
    clothes clothing: shirt dress coat jacket hat shoe boot scarf cloak skirt;\
    injury injured wound: cut bleed break bone sprain bruise scar stitch burn;\
    爱好 兴趣 消遣: 画画 唱歌 跳舞 读书 看书 写字 下棋 钓鱼 爬山 游泳 跑步 骑车 摄影 做饭 雕 刻 织 种花 书法 \
        打球 旅行 电影 音乐;\
    乐器: 琴 笛 箫 鼓 琵琶 二胡 吉他 钢琴 小提琴 埙 唢呐 古筝 弹 吹;\
    害怕 恐惧: 怕 吓 不敢 发抖 噩梦 惊;\
    宠物 动物: 猫 狗 鸟 兔 鱼 马 龟 鹤 虎 鹿 蛇;\
    病 疾病 健康: 咳 发烧 感冒 头痛 医院 药 哮喘 失眠;\
    过敏: 疹 痒 肿 喘 喷嚏 花生 海鲜;\
    职业 工作 谋生: 老师 医生 护士 工程师 商人 铁匠 木匠 掌柜 学徒 士兵 农夫 画师 上班 公司;\
    武器 兵器: 刀 剑 枪 弓 箭 弩 斧 匕首 矛;\
    信仰 宗教: 神 佛 菩萨 庙 香 拜 祈祷 教堂 道观;\
    食物 菜: 饭 面 饺子 肉 鱼 汤 包子 水果 蛋糕;\
    家人 亲人: 父亲 母亲 爸爸 妈妈 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶;\
    恋爱 爱上 喜欢: 脸红 亲吻 结婚 娶 嫁 约会 心跳 男朋友 女朋友;\
    婚姻 离婚: 妻子 丈夫 媳妇 老婆 老公 婚礼 嫁 娶;\
    运动 锻炼: 跑步 篮球 足球 羽毛球 游泳 健身 瑜伽 打球;\
    受伤 伤: 断 流血 骨头 疤 缝 绷带 疼;\
    容貌 外表 打扮: 脸 头发 眼睛 衣服 剪";

/// In the index's form: what is of a kind, by a name of the kind.
static CLASSES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut classes = HashMap::new();
    for row in TABLE.split(';') {
        let (names, members) = row.split_once(':').expect("a row has names and members");
        let members: Vec<String> = members.split_whitespace().filter_map(whole).collect();
        classes.extend(names.split_whitespace().filter_map(whole).map(|name| (name, members.clone())));
    }
    classes
});

/// The index's form of a word; of a Chinese one the first pair stands for it.
fn whole(word: &str) -> Option<String> {
    let mut forms: Vec<String> = Vec::new();
    words::read(word, |word| forms.push(word.text.to_owned()));
    let pair = forms.iter().position(|form| 1 < form.chars().count()).unwrap_or(0);
    (pair < forms.len()).then(|| forms.swap_remove(pair))
}

/// What is of the kind that `word` names, both in the index's form.
pub fn members(word: &str) -> &'static [String] {
    CLASSES.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_any_of_their_names() {
        let has = |name: &str, member: &str| members(name).iter().any(|known| known == member);
        assert!(has("hobbi", "kayak") && has("pastim", "kayak"));
        assert!(has("爱好", "钓鱼") && has("乐器", "琴") && has("过敏", "花生"));
        assert!(members("kayak").is_empty());
    }
}
