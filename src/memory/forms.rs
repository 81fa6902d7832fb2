//! What English and Chinese do to words: stop words, and forms that no stemmer brings together.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// English words that say nothing of what a text is about.
const STOP_WORDS: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself \
    she her hers herself it its itself they them their theirs themselves what which who whom this that these those am \
    is are was were be been being have has had having do does did doing done a an the and but if or because as until \
    while of at by for with about against between into through during before after above below to from up down in out \
    on off over under again further then once here there when where why how all any both each few more most other some \
    such no nor not only own same so than too very can will just should now would could might must shall also let \
    i'm i've i'd i'll you're you've you'd you'll he'd he'll she'd she'll it'd it'll we're we've we'd we'll they're \
    they've they'd they'll that'll that'd there'll who'll who'd don't doesn't didn't isn't aren't wasn't weren't \
    haven't hasn't hadn't won't wouldn't can't cannot couldn't shouldn't mustn't mightn't ain't needn't shan't \
    s t d ll m re ve";

/// Chinese characters that are no part of any word: pronouns, particles, measures. Words end at them.
const PARTICLES: &str = "的了是我你他她它在和也有就不都这那吗呢吧啊很么什个们还着哪些";

/// Chinese characters that are too common to be words of their own, but begin or end many.
const COMMON: &str = "说要会可以对没给把被让得过上下来去到";

/// Chinese words that only ask, point or join. Where one begins another the longer stands first.
const CHINESE_STOP_WORDS: &str = "为什么 怎么样 什么样 什么 怎么 怎样 这样 那样 这么 那么 哪里 哪儿 哪些 哪个 谁 \
    多少 如何 这里 那里 这儿 那儿 这个 那个 这些 那些 我们 你们 他们 她们 它们 咱们 自己 现在 时候 没有 一个 可以 因为 所以 但是 如果 \
    还是 已经 是不是 一下 一些 有点 非常 真的 不是 就是 是谁 知道 觉得 一直 不过 不会 不能 不要 应该 需要 \
    可能 特别 比较 其实 当然 然后 而且 或者 虽然 只是 都是 也是 还有 很多 好像 想要 希望 的话 起来 出来";

/// Words in which somebody speaks of themselves.
const FIRST_PERSON: &[&str] =
    &["i", "my", "me", "we", "our", "mine", "i'm", "i've", "i'd", "i'll", "we're", "we've", "we'd", "we'll"];

/// Irregular forms; the first word of each group stands for the rest.
const IRREGULAR: &str = "go went gone; buy bought; win won; find found; meet met; lose lost; get got gotten; \
    take took taken; make made; see saw seen; give gave given; eat ate eaten; drink drank drunk; \
    write wrote written; run ran; sing sang sung; swim swam swum; drive drove driven; ride rode ridden; \
    fly flew flown; grow grew grown; know knew known; draw drew drawn; throw threw thrown; break broke broken; \
    speak spoke spoken; choose chose chosen; wear wore worn; tear tore torn; begin began begun; become became; \
    come came; fall fell fallen; feel felt; keep kept; leave left; build built; send sent; spend spent; lend lent; \
    teach taught; catch caught; bring brought; think thought; fight fought; seek sought; sell sold; tell told; \
    say said; hear heard; hold held; stand stood; understand understood; sit sat; sleep slept; pay paid; lay laid; \
    lead led; feed fed; shoot shot; hang hung; stick stuck; strike struck; dig dug; light lit; \
    forget forgot forgotten; hide hid hidden; bite bit bitten; rise rose risen; wake woke woken; shake shook shaken; \
    steal stole stolen; freeze froze frozen; blow blew blown; show shown; mean meant; deal dealt; dream dreamt; \
    learn learnt; burn burnt; bend bent; bear bore born; child children kid kids; man men; woman women; \
    person people; foot feet; tooth teeth; mouse mice; wife wives; life lives; half halves; good better best; \
    bad worse worst; mom mother mum; dad father; photo picture pic photograph; pup puppy";

static STOPS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

static CHINESE_STOPS: LazyLock<Vec<&str>> = LazyLock::new(|| CHINESE_STOP_WORDS.split_whitespace().collect());

/// What a Chinese character may be, as bits of [`SIGNS`].
const PARTICLE: u8 = 1;
const OFTEN: u8 = 2;
const BEGINS: u8 = 4;

/// The first of the characters that [`SIGNS`] knows, and how many there are: all of the lists are among them.
const HAN: u32 = 0x4e00;
const HANS: usize = 0x5200;

/// By character, for each of a text asks: to look through the lists takes longer than all else that is done with it.
static SIGNS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut signs = vec![0; HANS];
    let begin = CHINESE_STOPS.iter().filter_map(|word| word.chars().next()).map(|c| (c, BEGINS));
    let lists = PARTICLES.chars().map(|c| (c, PARTICLE)).chain(COMMON.chars().map(|c| (c, OFTEN)));
    lists.chain(begin).for_each(|(c, sign)| signs[(c as u32 - HAN) as usize] |= sign);
    signs
});

static FORMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for group in IRREGULAR.split(';') {
        let mut words = group.split_whitespace();
        let first = words.next().expect("a group has words");
        forms.extend(words.map(|word| (word, first)));
    }
    forms
});

fn is(character: char, sign: u8) -> bool {
    SIGNS.get((character as u32).wrapping_sub(HAN) as usize).is_some_and(|signs| signs & sign != 0)
}

pub fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

/// No part of any Chinese word.
pub fn is_particle(character: char) -> bool {
    is(character, PARTICLE)
}

/// No Chinese word of its own.
pub fn is_common(character: char) -> bool {
    is(character, OFTEN)
}

/// Length of the Chinese stop word that `text` begins with, or 0.
pub fn stop_word_length(text: &str) -> usize {
    if !text.chars().next().is_some_and(|first| is(first, BEGINS)) {
        return 0;
    }
    CHINESE_STOPS.iter().find(|word| text.starts_with(**word)).map_or(0, |word| word.len())
}

pub fn is_first_person(word: &str) -> bool {
    FIRST_PERSON.contains(&word)
}

/// The form that stands for an irregular one; any other word stands for itself.
pub fn regular(word: &str) -> &str {
    FORMS.get(word).copied().unwrap_or(word)
}
