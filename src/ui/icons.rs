//! Icons, after Lucide (ISC licence): strokes on a 24-unit square.

use leptos::prelude::*;

#[component]
pub fn Icon(name: &'static str) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d=path(name) />
        </svg>
    }
}

fn path(name: &str) -> &'static str {
    match name {
        "book" => "M4 19.5v-15A2.5 2.5 0 0 1 6.5 2H20v20H6.5a2.5 2.5 0 0 1 0-5H20",
        "user" => "M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M12 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
        "mountain" => "m8 3 4 8 5-5 5 15H2z",
        "sliders" => "M4 21v-7M4 10V3M12 21v-9M12 8V3M20 21v-5M20 12V3M2 14h4M10 8h4M18 16h4",
        "plus" => "M5 12h14M12 5v14",
        "x" => "M18 6 6 18M6 6l12 12",
        "menu" => "M4 6h16M4 12h16M4 18h16",
        "notebook" => "M2 6h4M2 12h4M2 18h4M6 2h12a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H6zM11 2v20",
        "panel-left" => "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 3v18",
        "panel-right" => "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM15 3v18",
        "send" => "m5 12 7-7 7 7M12 19V5",
        "stop" => "M7 7h10v10H7z",
        "chevron-left" => "m15 18-6-6 6-6",
        "chevron-up" => "m18 15-6-6-6 6",
        "chevron-down" => "m6 9 6 6 6-6",
        "chevron-right" => "m9 18 6-6-6-6",
        "refresh" => "M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8M3 3v5h5",
        "pencil" => "M21.2 6.8a1 1 0 0 0-4-4L3.8 16.2 2 22l5.8-1.8zM15 5l4 4",
        "forward" => "M5 12h14M13 6l6 6-6 6",
        "copy" => {
            "M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zM4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2"
        }
        "trash" => "M3 6h18M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2",
        "download" => "M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5M12 15V3",
        "upload" => "M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M17 8l-5-5-5 5M12 3v12",
        "down" => "M12 5v14M19 12l-7 7-7-7",
        "more" => "M12 12h.01M19 12h.01M5 12h.01",
        "check" => "M20 6 9 17l-5-5",
        "lock" => "M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM7 11V7a5 5 0 0 1 10 0v4",
        "image" => {
            "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM21 15l-3.1-3.1a2 2 0 0 0-2.8 0L6 21"
        }
        "wand" => "M15 4V2M15 16v-2M8 9h2M20 9h2M17.8 11.8 19 13M15 9h.01M17.8 6.2 19 5M3 21l9-9M12.2 6.2 11 5",
        "library" => "m16 6 4 14M12 6v14M8 8v12M4 4v16",
        "layers" => "m12 2 10 5-10 5L2 7zM2 12l10 5 10-5M2 17l10 5 10-5",
        "grip" => "M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01",
        "search" => "m21 21-4.3-4.3M11 3a8 8 0 1 0 0 16 8 8 0 0 0 0-16z",
        "pin" => {
            "M12 17v5M9 10.8a2 2 0 0 1-1.1 1.8l-1.8.9A2 2 0 0 0 5 15.2V16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-.8a2 2 0 0 0-1.1-1.7l-1.8-.9a2 2 0 0 1-1.1-1.8V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H8a2 2 0 0 0 0 4 1 1 0 0 1 1 1z"
        }
        "eye-off" => {
            "M10.7 5.1A10.7 10.7 0 0 1 21.9 12a10.7 10.7 0 0 1-1.4 2.5M14.1 14.2a3 3 0 0 1-4.2-4.2M17.5 17.5A10.7 10.7 0 0 1 2.1 12a10.7 10.7 0 0 1 4.4-5.1M2 2l20 20"
        }
        "clock" => "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 6v6l4 2",
        "branch" => "M6 3v12M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18 9a9 9 0 0 1-9 9",
        "minus" => "M5 12h14",
        "target" => "M12 2v4M12 18v4M2 12h4M18 12h4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
        "info" => "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 16v-4M12 8h.01",
        "arrow-left" => "m12 19-7-7 7-7M19 12H5",
        _ => "",
    }
}
