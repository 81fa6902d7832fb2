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

/// Chinese characters that are too common to be words of their own.
const STOP_CHARACTERS: &str =
    "的了是我你他她它在和也有就不都这那吗呢吧啊很么什个们到说要会可以还对没哪些给把被让得着过上下来去";

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

static FORMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for group in IRREGULAR.split(';') {
        let mut words = group.split_whitespace();
        let first = words.next().expect("a group has words");
        forms.extend(words.map(|word| (word, first)));
    }
    forms
});

pub fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

pub fn is_stop_character(character: char) -> bool {
    STOP_CHARACTERS.contains(character)
}

pub fn is_first_person(word: &str) -> bool {
    FIRST_PERSON.contains(&word)
}

/// The form that stands for an irregular one; any other word stands for itself.
pub fn regular(word: &str) -> &str {
    FORMS.get(word).copied().unwrap_or(word)
}
