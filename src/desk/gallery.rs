//! The files of a character as the reader changes them: pictures that are added as expressions, named anew, taken away.
//! What came in the card itself stays as the card lists it.

use super::{Desk, Stored, library::with_pictures};
use crate::{
    exchange::{
        character::{SPRITES, plainly},
        json,
        limits::RECORD_BYTES,
        picture::Picture,
    },
    story::{
        blob::address,
        character::{Asset, Character},
        ids::CharacterId,
    },
};

/// Files that a character may have where some were added: what it goes out as is read here again.
const MOST: usize = 500;
/// Characters of a feeling's name.
const NAME_CHARS: usize = 100;

/// The expression that a picture is, by the name of its file; with a path that is no other feeling's.
pub(super) fn named(who: &Character, file: &str, picture: &[u8]) -> Asset {
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, "png"));
    let feeling = feeling(stem);
    let is_free = |path: &str| who.assets.iter().all(|asset| asset.path != path || asset.name == feeling);
    let path = plainly(SPRITES, &format!("{feeling}.{ending}"), is_free);
    Asset { kind: "emotion".into(), name: feeling, path, blob: address(picture) }
}

fn feeling(name: &str) -> String {
    name.trim().chars().take(NAME_CHARS).collect()
}

/// Whether a character can be stored with one more, and read again where it goes out.
pub(super) fn has_room(who: &Character) -> bool {
    who.assets.len() <= MOST && json::size(who) <= RECORD_BYTES
}

impl Desk {
    /// Adds pictures, each with the name of its file, as expressions; one takes the place of what was added under its name.
    /// They stand first: the reader's own is shown before the card's of the same feeling. How many there was room for, the
    /// first ones.
    ///
    /// # Errors
    /// The store failed; the character is as it was.
    pub async fn add_expressions(&self, id: &CharacterId, pictures: Vec<(String, Picture)>) -> Stored<usize> {
        let stored = with_pictures(pictures.iter().map(|(_, picture)| picture.clone()));
        self.ports.store.commit(stored).await?;
        let mut taken = 0;
        let add = |who: &mut Character| {
            for (file, (_, bytes)) in &pictures {
                let asset = named(who, file, bytes);
                let before = who.assets.clone();
                who.assets.retain(|other| other.path != asset.path);
                who.assets.insert(0, asset);
                if !has_room(who) {
                    who.assets = before;
                    break;
                }
                taken += 1;
            }
            taken > 0
        };
        self.change_files(id, add).await?;
        Ok(taken)
    }

    /// Names an added expression for another feeling; a name that is empty changes nothing.
    ///
    /// # Errors
    /// The store failed; it is as it was.
    pub async fn rename_expression(&self, id: &CharacterId, which: &Asset, name: &str) -> Stored<()> {
        let name = feeling(name);
        let rename = |who: &mut Character| {
            let found = who.assets.iter_mut().find(|asset| *asset == which).filter(|_| !name.is_empty());
            found.map(|asset| asset.name = name).is_some()
        };
        self.change_files(id, rename).await
    }

    /// Takes an added expression away; where it stood, to be put back there.
    ///
    /// # Errors
    /// The store failed; it is as it was.
    pub async fn remove_expression(&self, id: &CharacterId, which: &Asset) -> Stored<Option<usize>> {
        let mut at = None;
        let remove = |who: &mut Character| {
            at = who.assets.iter().position(|asset| asset == which);
            at.map(|at| who.assets.remove(at)).is_some()
        };
        self.change_files(id, remove).await?;
        Ok(at)
    }

    /// Puts an expression back where it stood.
    ///
    /// # Errors
    /// The store failed; it is as it was.
    pub async fn restore_expression(&self, id: &CharacterId, at: usize, asset: Asset) -> Stored<()> {
        let restore = |who: &mut Character| {
            let is_gone = who.assets.iter().all(|other| other.path != asset.path);
            if is_gone {
                who.assets.insert(at.min(who.assets.len()), asset);
            }
            is_gone
        };
        self.change_files(id, restore).await
    }

    /// `change` says whether it changed anything.
    async fn change_files(&self, id: &CharacterId, change: impl FnOnce(&mut Character) -> bool) -> Stored<()> {
        let now = self.ports.clock.now();
        let change = |who: &mut Character| {
            if change(who) {
                who.updated = now;
            }
        };
        self.amend_entry(id.as_str(), change).await
    }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::{desk::expression::expression, exchange::character::is_added, sim::ports::Sim, store::Table};

    fn own(name: &str) -> Asset {
        Asset { kind: "emotion".into(), name: name.into(), path: format!("assets/{name}.png"), blob: "of-card".into() }
    }

    fn drawn(file: &str, bytes: &[u8]) -> (String, Picture) {
        (file.to_owned(), ("image/png".into(), bytes.to_vec()))
    }

    fn begun() -> (Sim, Desk, CharacterId) {
        let sim = Sim::new([]);
        let desk = Desk::new(sim.ports.clone());
        let id = CharacterId::from("ada");
        let ada = Character { id: id.clone(), name: "Ada".into(), assets: vec![own("joy")], ..Character::default() };
        block_on(desk.save(&ada)).unwrap();
        (sim, desk, id)
    }

    fn assets(desk: &Desk) -> Vec<Asset> {
        block_on(desk.load::<Character>("ada")).unwrap().unwrap().assets
    }

    fn names(desk: &Desk) -> Vec<String> {
        assets(desk).into_iter().map(|asset| asset.name).collect()
    }

    #[test]
    fn what_is_added_is_shown_first_and_can_be_taken_back() {
        let (sim, desk, id) = begun();
        let added = [drawn("joy.png", b"one"), drawn("愤怒.webp", b"two"), drawn(" so / odd .gif", b"three")];
        assert_eq!(block_on(desk.add_expressions(&id, added.into())), Ok(3));
        assert_eq!(names(&desk), ["so / odd", "愤怒", "joy", "joy"]);
        let all = assets(&desk);
        assert!(
            all[..3].iter().all(|asset| is_added(&asset.path)) && !is_added(&all[3].path),
            "the card's own stays the card's: {all:?}"
        );
        assert_eq!(all[0].path, format!("{SPRITES}so___odd.gif"));
        let shown = |said: &str| expression(&assets(&desk), &[said.into()]).map(|asset| asset.blob.clone());
        assert_eq!(shown("joyful"), Some(address(b"one")), "the reader's before the card's");
        for bytes in [&b"one"[..], b"two", b"three"] {
            let stored = block_on(sim.ports.store.get(Table::Blobs, address(bytes).as_str())).unwrap().unwrap();
            assert_eq!(stored.bytes.as_deref(), Some(bytes));
        }
        // Drawn anew it takes the place of the one before, and of no other.
        assert_eq!(block_on(desk.add_expressions(&id, vec![drawn("joy.png", b"anew")])), Ok(1));
        assert_eq!(names(&desk), ["joy", "so / odd", "愤怒", "joy"]);
        assert_eq!(shown("joyful"), Some(address(b"anew")));
        let joy = assets(&desk)[0].clone();
        assert_eq!(block_on(desk.remove_expression(&id, &joy)), Ok(Some(0)));
        assert_eq!(shown("joyful"), Some("of-card".into()));
        assert_eq!(block_on(desk.remove_expression(&id, &joy)), Ok(None), "it is gone");
        block_on(desk.restore_expression(&id, 0, joy.clone())).unwrap();
        block_on(desk.restore_expression(&id, 0, joy)).unwrap();
        assert_eq!(names(&desk), ["joy", "so / odd", "愤怒", "joy"], "once");
    }

    #[test]
    fn a_name_is_changed_and_never_emptied() {
        let (_sim, desk, id) = begun();
        block_on(desk.add_expressions(&id, vec![drawn("img_1.png", b"one")])).unwrap();
        let rename = |to: &str| {
            let which = assets(&desk)[0].clone();
            block_on(desk.rename_expression(&id, &which, to)).unwrap();
            names(&desk)[0].clone()
        };
        assert_eq!(rename(" 喜悦 "), "喜悦");
        assert_eq!(rename("  "), "喜悦");
        assert_eq!(rename(&"长".repeat(500)).chars().count(), NAME_CHARS);
        // What bore the name before is no longer in the way of a new one.
        block_on(desk.add_expressions(&id, vec![drawn("img_1.png", b"two")])).unwrap();
        let paths: Vec<_> = assets(&desk).into_iter().map(|asset| asset.path).collect();
        assert_eq!(paths[..2], [format!("{SPRITES}2-img_1.png"), format!("{SPRITES}img_1.png")]);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let (_sim, desk, id) = begun();
        let many = (0..MOST + 20).map(|nth| drawn(&format!("{nth}.png"), &nth.to_le_bytes())).collect();
        assert_eq!(block_on(desk.add_expressions(&id, many)), Ok(MOST - 1));
        assert_eq!(assets(&desk).len(), MOST);
    }
}
