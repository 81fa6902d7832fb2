//! Which part of the picture is seen, and how large.

/// A shift in pixels and a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    pub x: f64,
    pub y: f64,
    pub zoom: f64,
    pub width: f64,
    pub height: f64,
}

/// A part of the picture, in its own measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// What is drawn grows and shrinks by tiles of this size, so that a small move draws nothing anew.
const TILE: f64 = 240.0;
const NEAREST: f64 = 2.5;
const FARTHEST: f64 = 0.35;
/// How near to the edge a place may come before the picture follows it.
const EDGE: f64 = 32.0;

impl Default for Sight {
    fn default() -> Self {
        Self { x: 44.0, y: 24.0, zoom: 1.0, width: 320.0, height: 360.0 }
    }
}

impl Sight {
    pub fn transform(&self) -> String {
        format!("translate({:.1} {:.1}) scale({:.4})", self.x, self.y, self.zoom)
    }

    /// A point of the screen in the picture's own measure.
    pub fn inward(&self, (x, y): (f64, f64)) -> (f64, f64) {
        ((x - self.x) / self.zoom, (y - self.y) / self.zoom)
    }

    /// Larger or smaller around a point of the screen, which stays where it is.
    pub fn zoomed(self, factor: f64, (x, y): (f64, f64)) -> Self {
        let zoom = (self.zoom * factor).clamp(FARTHEST, NEAREST);
        let by = zoom / self.zoom;
        Self { x: x - (x - self.x) * by, y: y - (y - self.y) * by, zoom, ..self }
    }

    pub fn middle(&self) -> (f64, f64) {
        (self.width / 2.0, self.height / 2.0)
    }

    pub fn tiles(&self) -> Part {
        let (left, top) = self.inward((0.0, 0.0));
        let (right, bottom) = self.inward((self.width, self.height));
        Part {
            left: ((left / TILE).floor() - 1.0) * TILE,
            top: ((top / TILE).floor() - 1.0) * TILE,
            right: ((right / TILE).ceil() + 1.0) * TILE,
            bottom: ((bottom / TILE).ceil() + 1.0) * TILE,
        }
    }

    /// Moved so that a point of the picture can be seen; into the middle where it was far away.
    pub fn showing(self, x: f64, y: f64) -> Self {
        let (sx, sy) = (x * self.zoom + self.x, y * self.zoom + self.y);
        let inside = |at: f64, length: f64| (EDGE..=length - EDGE).contains(&at);
        let (mx, my) = self.middle();
        Self {
            x: if inside(sx, self.width) { self.x } else { self.x + mx - sx },
            y: if inside(sy, self.height) { self.y } else { self.y + my - sy },
            ..self
        }
    }
}

impl Part {
    pub fn meets(&self, (left, top): (f64, f64), (right, bottom): (f64, f64)) -> bool {
        left <= self.right && right >= self.left && top <= self.bottom && bottom >= self.top
    }
}
