//! The three steps of who begins (G5): a model, a character, a storyline. What the demo brought counts for nothing.

use super::{character::Character, connection::Connection, storyline::Storyline};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Connect,
    Character,
    Storyline,
}

impl Step {
    pub const ALL: [Self; 3] = [Self::Connect, Self::Character, Self::Storyline];
}

/// How many there are of what each step makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp([usize; 3]);

impl SetUp {
    pub fn of(connections: &[Connection], characters: &[Character], storylines: &[Storyline]) -> Self {
        let of_demo = |character: &&Character| storylines.iter().any(|s| s.demo && s.cast.contains(&character.id));
        let own_characters = characters.len() - characters.iter().filter(of_demo).count();
        let own_stories = storylines.iter().filter(|storyline| !storyline.demo).count();
        Self([connections.len(), own_characters, own_stories])
    }

    fn count(self, step: Step) -> usize {
        self.0[step as usize]
    }

    /// How many steps are done.
    pub fn done(self) -> usize {
        Step::ALL.into_iter().filter(|step| self.is_done(*step)).count()
    }

    /// The first step that is not done.
    pub fn next(self) -> Option<Step> {
        Step::ALL.into_iter().find(|step| self.count(*step) == 0)
    }

    pub fn is_done(self, step: Step) -> bool {
        self.count(step) > 0
    }

    /// What comes next for who has just done this step for the first time; `None` for all others.
    pub fn after(self, step: Step) -> Option<Step> {
        let is_first = self.count(step) == 1 && !self.is_done(Step::Storyline);
        self.next().filter(|_| is_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_first_step_leads_to_the_next_and_no_second_one_does() {
        use Step::{Character as C, Connect as M, Storyline as S};
        for (counts, after_model, after_character) in [
            ([0, 0, 0], None, None),
            ([1, 0, 0], Some(C), None),
            ([0, 1, 0], None, Some(M)),
            ([1, 1, 0], Some(S), Some(S)),
            ([2, 1, 0], None, Some(S)),
            ([1, 2, 0], Some(S), None),
            ([2, 0, 0], None, None),
            ([1, 1, 1], None, None),
            ([1, 0, 1], None, None),
        ] {
            let set_up = SetUp(counts);
            assert_eq!([set_up.after(M), set_up.after(C)], [after_model, after_character], "{counts:?}");
        }
        assert_eq!(SetUp([2, 1, 0]).done(), 2);
    }

    #[test]
    fn the_demo_is_nobody_s_own() {
        let character = |id: &str| Character { id: id.into(), ..Default::default() };
        let story = |character: &str, demo| Storyline { cast: vec![character.into()], demo, ..Default::default() };
        let characters = [character("demo"), character("own")];
        let of = |characters: &[Character], story: Storyline| SetUp::of(&[], characters, &[story]);
        assert_eq!(of(&characters, story("demo", true)), SetUp([0, 1, 0]));
        assert_eq!(of(&characters[..1], story("demo", true)), SetUp([0, 0, 0]));
        assert_eq!(of(&characters, story("demo", false)), SetUp([0, 2, 1]), "played on with one's own model");
    }
}
