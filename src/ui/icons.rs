//! Icons, after Lucide (ISC licence): strokes on a 24-unit square.

use leptos::prelude::*;

/// The strokes of an icon. Each by itself and not out of a list, so that each part of the page brings those that it shows,
/// and no other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shape(&'static str);

#[component]
pub fn Icon(shape: Shape) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d=shape.0 />
        </svg>
    }
}

#[rustfmt::skip]
impl Shape {
    pub const BOOK: Self = Self("M4 19.5v-15A2.5 2.5 0 0 1 6.5 2H20v20H6.5a2.5 2.5 0 0 1 0-5H20");
    pub const BOOK_OPEN: Self = Self("M12 7v14M3 18a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h5a4 4 0 0 1 4 4 4 4 0 0 1 4-4h5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-6a3 3 0 0 0-3 3 3 3 0 0 0-3-3z");
    pub const VOLUME: Self = Self("M11 5 6 9H2v6h4l5 4zM15.5 8.5a5 5 0 0 1 0 7M19 5a10 10 0 0 1 0 14");
    pub const MIC: Self = Self("M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3zM19 10v2a7 7 0 0 1-14 0v-2M12 19v3");
    pub const PLAY: Self = Self("m7 4 13 8-13 8z");
    pub const PAUSE: Self = Self("M9 5v14M15 5v14");
    pub const USER: Self = Self("M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M12 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z");
    pub const MOUNTAIN: Self = Self("m8 3 4 8 5-5 5 15H2z");
    pub const SLIDERS: Self = Self("M4 21v-7M4 10V3M12 21v-9M12 8V3M20 21v-5M20 12V3M2 14h4M10 8h4M18 16h4");
    pub const PLUS: Self = Self("M5 12h14M12 5v14");
    pub const X: Self = Self("M18 6 6 18M6 6l12 12");
    pub const MENU: Self = Self("M4 6h16M4 12h16M4 18h16");
    pub const PANEL_LEFT: Self = Self("M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 3v18");
    pub const PANEL_RIGHT: Self = Self("M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM15 3v18");
    pub const SEND: Self = Self("m5 12 7-7 7 7M12 19V5");
    pub const STOP: Self = Self("M7 7h10v10H7z");
    pub const CHEVRON_LEFT: Self = Self("m15 18-6-6 6-6");
    pub const CHEVRON_UP: Self = Self("m18 15-6-6-6 6");
    pub const CHEVRON_DOWN: Self = Self("m6 9 6 6 6-6");
    pub const CHEVRON_RIGHT: Self = Self("m9 18 6-6-6-6");
    pub const REFRESH: Self = Self("M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8M3 3v5h5");
    pub const PENCIL: Self = Self("M21.2 6.8a1 1 0 0 0-4-4L3.8 16.2 2 22l5.8-1.8zM15 5l4 4");
    pub const FORWARD: Self = Self("M5 12h14M13 6l6 6-6 6");
    pub const COPY: Self = Self("M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zM4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2");
    pub const TRASH: Self = Self("M3 6h18M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2");
    pub const DOWNLOAD: Self = Self("M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5M12 15V3");
    pub const UPLOAD: Self = Self("M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M17 8l-5-5-5 5M12 3v12");
    pub const DOWN: Self = Self("M12 5v14M19 12l-7 7-7-7");
    pub const MORE: Self = Self("M12 12h.01M19 12h.01M5 12h.01");
    pub const CHECK: Self = Self("M20 6 9 17l-5-5");
    pub const LOCK: Self = Self("M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM7 11V7a5 5 0 0 1 10 0v4");
    pub const IMAGE: Self = Self("M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM21 15l-3.1-3.1a2 2 0 0 0-2.8 0L6 21");
    pub const MASK: Self = Self("M4 5c5-2 11-2 16 0v6c0 6-4 10-8 10s-8-4-8-10zM8.5 10.5h2M13.5 10.5h2M9 15.5c2 1.5 4 1.5 6 0");
    pub const SPROUT: Self = Self("M12 21v-9M12 12C12 8 9 5 4 5c0 4 3 7 8 7M12 10c0-3 2-6 8-6 0 5-3 7-8 7");
    pub const USERS: Self = Self("M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M9 3a4 4 0 1 0 .01 0M22 21v-2a4 4 0 0 0-3-3.87M16 3.13a4 4 0 0 1 0 7.75");
    pub const STAR: Self = Self("m12 2 3.1 6.3 6.9 1-5 4.9 1.2 6.8-6.2-3.3-6.2 3.3 1.2-6.8-5-4.9 6.9-1z");
    pub const HEART: Self = Self("M19 14c1.5-1.5 3-3.2 3-5.5A5.5 5.5 0 0 0 16.5 3c-1.8 0-3 .5-4.5 2-1.5-1.5-2.7-2-4.5-2A5.5 5.5 0 0 0 2 8.5c0 2.3 1.5 4 3 5.5l7 7z");
    pub const WAND: Self = Self("M15 4V2M15 16v-2M8 9h2M20 9h2M17.8 11.8 19 13M15 9h.01M17.8 6.2 19 5M3 21l9-9M12.2 6.2 11 5");
    pub const LIBRARY: Self = Self("m16 6 4 14M12 6v14M8 8v12M4 4v16");
    pub const LAYERS: Self = Self("m12 2 10 5-10 5L2 7zM2 12l10 5 10-5M2 17l10 5 10-5");
    pub const GRIP: Self = Self("M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01");
    pub const SEARCH: Self = Self("m21 21-4.3-4.3M11 3a8 8 0 1 0 0 16 8 8 0 0 0 0-16z");
    pub const PIN: Self = Self("M12 17v5M9 10.8a2 2 0 0 1-1.1 1.8l-1.8.9A2 2 0 0 0 5 15.2V16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-.8a2 2 0 0 0-1.1-1.7l-1.8-.9a2 2 0 0 1-1.1-1.8V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H8a2 2 0 0 0 0 4 1 1 0 0 1 1 1z");
    pub const EYE_OFF: Self = Self("M10.7 5.1A10.7 10.7 0 0 1 21.9 12a10.7 10.7 0 0 1-1.4 2.5M14.1 14.2a3 3 0 0 1-4.2-4.2M17.5 17.5A10.7 10.7 0 0 1 2.1 12a10.7 10.7 0 0 1 4.4-5.1M2 2l20 20");
    pub const CLOCK: Self = Self("M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 6v6l4 2");
    pub const BRANCH: Self = Self("M6 3v12M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18 9a9 9 0 0 1-9 9");
    pub const MINUS: Self = Self("M5 12h14");
    pub const TARGET: Self = Self("M12 2v4M12 18v4M2 12h4M18 12h4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z");
    pub const INFO: Self = Self("M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 16v-4M12 8h.01");
    pub const ARROW_LEFT: Self = Self("m12 19-7-7 7-7M19 12H5");
}
