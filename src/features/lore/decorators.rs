//! Decorators: what lines at the head of an entry's text say of when and where it is told (card format V3).

use crate::story::{lorebook::Position, preset::Role};

/// What an entry's decorators ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decorators {
    /// Told whatever comes up; goes before `never`.
    pub always: bool,
    pub never: bool,
    /// Replies that the chat must have.
    pub after_replies: u32,
    /// Told where the number of replies is a multiple of this.
    pub every_replies: Option<u32>,
    /// Once it came up, it stays for good.
    pub keeps: bool,
    /// Once it came up, it never comes up again.
    pub once: bool,
    pub scan_depth: Option<u32>,
    /// Of each list, one has to come up too.
    pub also: Vec<Vec<String>>,
    /// None of these may come up.
    pub except: Vec<String>,
    /// It gives way first.
    pub gives_way: bool,
    pub place: Option<Place>,
    pub role: Option<Role>,
}

/// Where a decorator puts an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    At(Position),
    /// Messages from the end.
    Depth(u32),
    /// Messages from the beginning.
    FromStart(u32),
}

impl Place {
    /// Messages from the end of a chat of `count`, where it stands among them.
    pub fn depth(self, count: u32) -> Option<u32> {
        match self {
            Self::At(_) => None,
            Self::Depth(depth) => Some(depth),
            Self::FromStart(messages) => Some(count.saturating_sub(messages)),
        }
    }
}

/// The decorators of a text, and the text without them. Of a decorator that is not understood, the fallbacks below it
/// (`@@@…`) are tried in turn; the first of two of one name counts.
pub fn read(content: &str) -> (Decorators, &str) {
    let mut decorators = Decorators::default();
    let mut seen: Vec<&str> = Vec::new();
    let mut rest = content;
    let mut is_understood = true;
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let (said, is_fallback) = match line.trim().strip_prefix("@@") {
            Some(said) => said.strip_prefix('@').map_or((said, false), |said| (said, true)),
            // Lines between decorators may be blank.
            None if line.trim().is_empty() && after.trim_start().starts_with("@@") => {
                rest = after;
                continue;
            }
            None => break,
        };
        let (name, value) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        if !is_fallback || !is_understood {
            let again = name != "additional_keys" && seen.contains(&name);
            is_understood = again || decorators.take(name, value.trim());
            if is_understood {
                seen.push(name);
            }
        }
        rest = after;
    }
    let text = if seen.is_empty() && std::ptr::eq(rest, content) { content } else { rest.trim_start_matches('\n') };
    (decorators, text)
}

impl Decorators {
    /// Whether the decorator is one, with a value that it can have.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let list = || value.split(',').map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned).collect();
        let number = || value.parse::<u32>();
        match (name, number()) {
            ("activate", _) => self.always = true,
            ("dont_activate", _) => self.never = true,
            ("keep_activate_after_match", _) => self.keeps = true,
            ("dont_activate_after_match", _) => self.once = true,
            ("ignore_on_max_context", _) => self.gives_way = true,
            ("activate_only_after", Ok(number)) => self.after_replies = number,
            ("activate_only_every", Ok(number)) if number > 0 => self.every_replies = Some(number),
            ("scan_depth", Ok(number)) => self.scan_depth = Some(number),
            ("depth", Ok(number)) => self.place = self.place.or(Some(Place::Depth(number))),
            ("reverse_depth", Ok(number)) => self.place = self.place.or(Some(Place::FromStart(number))),
            ("additional_keys", _) => self.also.push(list()),
            ("exclude_keys", _) => self.except = list(),
            ("position", _) => {
                let position = match value {
                    "before_desc" => Position::BeforeCharacter,
                    "after_desc" | "personality" | "scenario" => Position::AfterCharacter,
                    _ => return false,
                };
                // It goes before a depth.
                self.place = Some(Place::At(position));
            }
            ("role", _) => {
                self.role = Some(match value {
                    "system" => Role::System,
                    "user" => Role::User,
                    "assistant" => Role::Assistant,
                    _ => return false,
                });
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_the_head_are_read_and_taken_off() {
        let (decorators, text) = read("@@depth 3\n@@role user\n\n@@scan_depth 5\n\nThe gate is shut.\n@@depth 9\n");
        assert_eq!(text, "The gate is shut.\n@@depth 9\n");
        assert_eq!(decorators.place, Some(Place::Depth(3)));
        assert_eq!((decorators.role, decorators.scan_depth), (Some(Role::User), Some(5)));
        assert_eq!(read("\nNo @@decorators here."), (Decorators::default(), "\nNo @@decorators here."));
        assert_eq!(read(""), (Decorators::default(), ""));
    }

    #[test]
    fn what_is_not_understood_falls_back() {
        let place = |text: &str| read(text).0.place;
        assert_eq!(place("@@pt_slot\n@@@depth x\n@@@depth 2\n@@@depth 7\nText"), Some(Place::Depth(2)));
        assert_eq!(place("@@depth 1\n@@@depth 2\nText"), Some(Place::Depth(1)), "a fallback of what is understood");
        assert_eq!(place("@@depth -1\nText"), None);
        assert_eq!(place("@@depth 1\n@@depth 2\nText"), Some(Place::Depth(1)), "the first of two");
        assert_eq!(place("@@depth 1\n@@position after_desc\n"), Some(Place::At(Position::AfterCharacter)));
        let several = read("@@additional_keys a, b\n@@additional_keys c\n@@exclude_keys d,,e\n").0;
        assert_eq!(several.also, [vec!["a".to_owned(), "b".into()], vec!["c".into()]]);
        assert_eq!(several.except, ["d", "e"]);
    }
}
