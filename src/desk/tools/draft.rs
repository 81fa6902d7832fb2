//! A regex script while it is edited, and what it makes of a text that it is tried on.

use crate::{
    features::scripts::rules::{Rule, RuleFault},
    prompt::macros::Values,
    story::{
        reader::Reader,
        script::{Place, Script},
        storyline::Language,
    },
};

/// A script as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptDraft {
    pub name: String,
    pub find: String,
    pub replace: String,
    /// One a line.
    pub trim: String,
    /// As [`Place::ALL`].
    pub places: [bool; Place::ALL.len()],
    pub readers: Readers,
    pub min_depth: String,
    pub max_depth: String,
    /// As `substituteRegex`.
    pub macros: u64,
}

/// Who reads what it makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    #[default]
    Both,
    Eye,
    Model,
}

impl Readers {
    pub const ALL: [Self; 3] = [Self::Both, Self::Eye, Self::Model];

    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Eye => "eye",
            Self::Model => "model",
        }
    }

    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|readers| readers.name() == name).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftFault {
    NoPattern,
    /// The engine's words.
    Pattern(String),
    /// A depth that is none.
    Number,
}

/// Deeper than any story.
const DEEPEST: i64 = 9_999;

/// A depth as it is typed; blank: none.
///
/// # Errors
/// It is no whole number, or out of range.
pub fn depth(typed: &str) -> Result<Option<i64>, DraftFault> {
    match typed.trim() {
        "" => Ok(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok().filter(|depth| *depth <= DEEPEST).map(Some).ok_or(DraftFault::Number)
        }
        _ => Err(DraftFault::Number),
    }
}

impl ScriptDraft {
    pub fn of(script: &Script) -> Self {
        let typed = |depth: Option<i64>| depth.filter(|depth| *depth >= 0).map(|depth| depth.to_string());
        let (macros, plain) = script.substitutes();
        Self {
            name: script.script_name.clone(),
            find: script.find_regex.clone(),
            replace: script.replace_string.clone(),
            trim: script.trim_strings.join("\n"),
            places: Place::ALL.map(|place| script.reads(place)),
            readers: match (script.markdown_only, script.prompt_only) {
                (true, false) => Readers::Eye,
                (false, true) => Readers::Model,
                _ => Readers::Both,
            },
            min_depth: typed(script.min_depth).unwrap_or_default(),
            max_depth: typed(script.max_depth).unwrap_or_default(),
            macros: u64::from(macros) + u64::from(plain),
        }
    }

    /// What a form that began as `begun` shows where the script has come to be `now`: what was typed meanwhile, else what
    /// stands there.
    pub fn after(&self, begun: &Self, now: &Self) -> Self {
        fn one<T: PartialEq + Clone>(typed: &T, begun: &T, now: &T) -> T {
            if typed == begun { now.clone() } else { typed.clone() }
        }
        Self {
            name: one(&self.name, &begun.name, &now.name),
            find: one(&self.find, &begun.find, &now.find),
            replace: one(&self.replace, &begun.replace, &now.replace),
            trim: one(&self.trim, &begun.trim, &now.trim),
            places: std::array::from_fn(|at| one(&self.places[at], &begun.places[at], &now.places[at])),
            readers: one(&self.readers, &begun.readers, &now.readers),
            min_depth: one(&self.min_depth, &begun.min_depth, &now.min_depth),
            max_depth: one(&self.max_depth, &begun.max_depth, &now.max_depth),
            macros: one(&self.macros, &begun.macros, &now.macros),
        }
    }

    /// Puts what was typed since the form `begun` into the script, which may have been changed elsewhere meanwhile; what is
    /// no depth leaves the one that it had, and what is as it was leaves the script as it came.
    pub fn apply(&self, begun: &Self, script: &mut Script) {
        let before = Self::of(script);
        self.after(begun, &before).put(&before, script);
    }

    fn put(self, before: &Self, script: &mut Script) {
        script.script_name.clone_from(&self.name);
        script.find_regex.clone_from(&self.find);
        script.replace_string.clone_from(&self.replace);
        if self.trim != before.trim {
            script.trim_strings = self.trim.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        }
        for (at, place) in Place::ALL.into_iter().enumerate().filter(|(at, _)| self.places[*at] != before.places[*at]) {
            script.placement.retain(|number| *number != place.number());
            script.placement.extend(self.places[at].then_some(place.number()));
        }
        if self.min_depth != before.min_depth {
            script.min_depth = depth(&self.min_depth).unwrap_or(script.min_depth);
        }
        if self.max_depth != before.max_depth {
            script.max_depth = depth(&self.max_depth).unwrap_or(script.max_depth);
        }
        if self.readers != before.readers {
            script.markdown_only = self.readers == Readers::Eye;
            script.prompt_only = self.readers == Readers::Model;
        }
        // Of one that is for both, depths and lorebooks count where it says both.
        let asks = |draft: &Self| (draft.readers, draft.places, draft.min_depth.clone(), draft.max_depth.clone());
        let has_depth = script.min_depth.is_some() || script.max_depth.is_some();
        let says_both = self.readers == Readers::Both && (has_depth || self.reads_lore());
        if says_both && asks(&self) != asks(before) {
            (script.markdown_only, script.prompt_only) = (true, true);
        }
        if self.macros != before.macros {
            script.substitute_regex = self.macros.into();
        }
    }

    fn reads_lore(&self) -> bool {
        Place::ALL.into_iter().zip(self.places).any(|(place, reads)| reads && place == Place::Lore)
    }

    /// Why it cannot run.
    pub fn fault(&self) -> Option<DraftFault> {
        self.rule().err()
    }

    /// What it makes of a text; `None`: nothing of it is found.
    ///
    /// # Errors
    /// It cannot run.
    pub fn tried(&self, text: &str) -> Result<Option<String>, DraftFault> {
        Ok(self.rule()?.run(text))
    }

    fn rule(&self) -> Result<Rule, DraftFault> {
        let mut script = Script::default();
        self.apply(&Self::of(&script), &mut script);
        // Nobody's names: a text that is tried belongs to no story.
        let names = Values { char: "{{char}}", user: Reader::new("{{user}}", Language::En).told(), original: "" };
        Rule::of(&script, &names).map_err(|fault| match fault {
            RuleFault::NoPattern => DraftFault::NoPattern,
            RuleFault::Pattern(why) => DraftFault::Pattern(why),
        })
    }
}

/// Why a script cannot run.
pub fn script_fault(script: &Script) -> Option<DraftFault> {
    ScriptDraft::of(script).fault()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_touched_stays_as_it_came() {
        for value in [
            json!({ "findRegex": "/a/", "placement": [2, 3, 0], "minDepth": -1, "substituteRegex": true, "later": 1 }),
            json!({ "findRegex": "/a/", "placement": [5, 2], "markdownOnly": false, "promptOnly": false }),
            json!({ "findRegex": "", "trimStrings": ["", "a"], "markdownOnly": true, "promptOnly": true, "maxDepth": 4 }),
        ] {
            let before: Script = serde_json::from_value(value).unwrap();
            let mut script = before.clone();
            let draft = ScriptDraft::of(&before);
            draft.apply(&draft, &mut script);
            assert_eq!(script, before);
        }
    }

    #[test]
    fn what_is_typed_is_kept() {
        let mut script = Script { placement: vec![3, 2], ..Script::default() };
        let begun = ScriptDraft::of(&script);
        let draft = ScriptDraft {
            find: "/a/g".into(),
            trim: "x\n\ny".into(),
            places: [true, false, false, true],
            readers: Readers::Model,
            min_depth: " 2 ".into(),
            max_depth: "two".into(),
            macros: 2,
            ..begun.clone()
        };
        draft.apply(&begun, &mut script);
        assert_eq!(
            (script.placement.as_slice(), script.trim_strings.as_slice()),
            (&[3, 1, 6][..], &["x".to_owned(), "y".into()][..])
        );
        assert_eq!(
            (script.min_depth, script.max_depth, script.prompt_only, script.markdown_only),
            (Some(2), None, true, false)
        );
        assert_eq!(script.substitutes(), (true, true));
        // For both, and by depth: it says both.
        let begun = ScriptDraft::of(&script);
        ScriptDraft { readers: Readers::Both, ..begun.clone() }.apply(&begun, &mut script);
        assert!(script.prompt_only && script.markdown_only && script.minds_depth());
        // So does one that reads lorebooks, which one that says neither leaves alone.
        let mut script = Script { placement: vec![2, 5], ..Script::default() };
        let begun = ScriptDraft::of(&script);
        assert_eq!(begun.places, [false, true, false, false]);
        ScriptDraft { places: [false, true, true, false], ..begun.clone() }.apply(&begun, &mut script);
        assert!(script.reads(Place::Lore) && script.prompt_only && script.markdown_only);
        assert_eq!(ScriptDraft::of(&script).places, [false, true, true, false]);
        assert_eq!(
            ["", "7", "10000", "-1", "1.5"].map(|typed| depth(typed).ok()),
            [Some(None), Some(Some(7)), None, None, None]
        );
    }

    #[test]
    fn what_was_changed_elsewhere_stays() {
        let script = Script { script_name: "a".into(), placement: vec![2], ..Script::default() };
        let begun = ScriptDraft::of(&script);
        let mut elsewhere = Script {
            find_regex: "/b/".into(),
            placement: vec![2, 6],
            markdown_only: true,
            max_depth: Some(3),
            ..script.clone()
        };
        let typed = ScriptDraft { name: "mine".into(), places: [true, true, false, false], ..begun.clone() };
        let shown = typed.after(&begun, &ScriptDraft::of(&elsewhere));
        typed.apply(&begun, &mut elsewhere);
        assert_eq!((elsewhere.script_name.as_str(), elsewhere.find_regex.as_str()), ("mine", "/b/"));
        assert_eq!((elsewhere.placement.as_slice(), elsewhere.max_depth), (&[2, 6, 1][..], Some(3)));
        assert!(elsewhere.markdown_only && !elsewhere.prompt_only);
        assert_eq!(ScriptDraft::of(&elsewhere), shown);
    }

    #[test]
    fn what_it_makes_of_a_text() {
        let draft = |find: &str| ScriptDraft { find: find.into(), replace: "[{{match}}]".into(), ..Default::default() };
        assert_eq!(draft("/a/g").tried("aba"), Ok(Some("[a]b[a]".into())));
        assert_eq!(draft("/x/").tried("aba"), Ok(None));
        assert_eq!(draft(" ").tried("aba"), Err(DraftFault::NoPattern));
        assert!(matches!(draft("/(?<=a)b/").fault(), Some(DraftFault::Pattern(_))));
    }
}
