//! What holds on each device, whatever was heard.

use super::{super::features::replayed, *};

impl Device {
    /// The tree hangs together.
    pub(super) fn is_whole(&self) {
        let branches: HashMap<BranchId, Branch> =
            self.typed::<Branch>().into_iter().map(|branch| (branch.id.clone(), branch)).collect();
        let turns: HashMap<TurnId, Turn> =
            self.typed::<Turn>().into_iter().map(|turn| (turn.id.clone(), turn)).collect();
        for branch in branches.values() {
            let mut positions: Vec<_> =
                turns.values().filter(|turn| turn.branch == branch.id).map(|turn| turn.position).collect();
            positions.sort_unstable();
            assert_eq!(positions, (branch.first..branch.end()).collect::<Vec<_>>(), "{branch:?}");
            Path::of(&branches, &Head { branch: branch.id.clone(), end: branch.end() }).unwrap();
        }
        let replies = self.typed::<Generation>();
        for reply in &replies {
            let turn = &turns[&reply.turn];
            assert_eq!((&reply.branch, reply.position), (&turn.branch, turn.position));
            let state = reply.state.as_ref().unwrap();
            assert!(self.play.sim.store.peek(Table::States, state.as_str()).is_some(), "{state}");
        }
        for storyline in self.typed::<Storyline>() {
            let path = Path::of(&self.play.branches(), &storyline.head).unwrap();
            assert_eq!((path.end, path.end - 1), (storyline.head.end, storyline.total_turns));
            assert!(self.play.sim.store.peek(Table::States, storyline.initial_state.as_str()).is_some());
            assert!(!storyline.title.is_empty() && !storyline.cast.is_empty(), "{storyline:?}");
        }
    }

    /// Wherever one stands, the state is what the replies on the way there make of it.
    pub(super) fn is_replayed(&self) {
        let story = self.play.storyline();
        if story.deleted.is_some() {
            return;
        }
        for (id, branch) in self.play.branches() {
            let place = Head { branch: id, end: branch.tip() };
            let lies_in_bin = branch.deleted.is_some();
            if lies_in_bin || block_on(self.play.conductor.move_to(&story.id, &place)).is_err() {
                continue;
            }
            let (state, replay) = (self.play.state(), replayed(&self.play));
            assert!(state.says_the_same(&replay), "at {place:?}: {state:#?} is not {replay:#?}");
        }
    }
}
