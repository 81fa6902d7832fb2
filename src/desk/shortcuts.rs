//! What a key or a finger asks for in a story where nothing is typed.

use super::commands::Swipe;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Another reply of the last turn.
    Swipe(Swipe),
    /// The reader's last words, to be worded anew.
    Reword,
}

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The story's text, or nowhere.
    Story,
    /// The composer while nothing stands in it.
    Composer,
}

/// What a key asks for that is pressed alone, by its name in the browser's events. One that is held down repeats, and is
/// heard once: a new reply costs.
pub fn pressed(key: &str, whence: Whence) -> Option<Deed> {
    match (key, whence) {
        ("ArrowLeft", _) => Some(Deed::Swipe(Swipe::Previous)),
        ("ArrowRight", _) => Some(Deed::Swipe(Swipe::Next)),
        // Elsewhere it scrolls.
        ("ArrowUp", Whence::Composer) => Some(Deed::Reword),
        _ => None,
    }
}

/// Pixels from the left and right edge where a finger means the browser: back, and forth.
const EDGE: i32 = 24;
/// Pixels that a finger goes at least.
const WAY: i32 = 56;

/// What a finger asks for that went from `from` to `to`, in pixels, on a page of this width: `None` where it scrolled,
/// pressed, or came from the edge.
pub fn swiped(from: (i32, i32), to: (i32, i32), width: i32) -> Option<Swipe> {
    let (across, down) = (to.0 - from.0, (to.1 - from.1).abs());
    let is_meant = across.abs() >= WAY && across.abs() > 2 * down && (EDGE..=width - EDGE).contains(&from.0);
    is_meant.then_some(if across < 0 { Swipe::Next } else { Swipe::Previous })
}

/// Whether a sheet goes that a finger has drawn so many of its `width` pixels towards its side, in so many milliseconds: a
/// third of it, or a flick.
pub fn is_drawn_away(along: f64, width: f64, millis: f64) -> bool {
    along > width / 3.0 || along > 30.0 && along / millis.max(1.0) > 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_empty_composer_rewords() {
        let asks = |key| [Whence::Story, Whence::Composer].map(|whence| pressed(key, whence));
        assert_eq!(asks("ArrowLeft"), [Some(Deed::Swipe(Swipe::Previous)); 2]);
        assert_eq!(asks("ArrowRight"), [Some(Deed::Swipe(Swipe::Next)); 2]);
        assert_eq!(asks("ArrowUp"), [None, Some(Deed::Reword)]);
        for key in ["ArrowDown", "Enter", "a", "Tab", "Escape", " "] {
            assert_eq!(asks(key), [None, None], "{key}");
        }
    }

    #[test]
    fn a_finger_that_scrolls_or_comes_from_the_edge_swipes_nothing() {
        let cases = [
            ((200, 300), (120, 310), Some(Swipe::Next)),
            ((200, 300), (290, 290), Some(Swipe::Previous)),
            ((200, 300), (150, 300), None),
            ((200, 300), (110, 360), None),
            ((200, 300), (200, 100), None),
            ((10, 300), (200, 300), None),
            ((385, 300), (200, 300), None),
        ];
        for (from, to, means) in cases {
            assert_eq!(swiped(from, to, 390), means, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn a_sheet_goes_when_it_is_meant_to() {
        for (along, millis, goes) in
            [(0.0, 10.0, false), (60.0, 400.0, false), (60.0, 90.0, true), (20.0, 5.0, false), (130.0, 4_000.0, true)]
        {
            assert_eq!(is_drawn_away(along, 372.0, millis), goes, "{along} in {millis}");
        }
    }
}
