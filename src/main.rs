//! The wasm entry of the page, and of the worker that keeps its memory; and where the program is cut: what stands behind a
//! split point comes in a chunk of its own, when it is asked for. Only the release is cut (`xtask/src/split.rs`); without
//! the feature the functions are called as they are.

#[cfg(target_arch = "wasm32")]
mod chunks {
    use fabula::{
        ports::Future,
        ui::{Aside, Desk, NotHere, StoryPage},
        web::memory,
    };

    #[cfg_attr(
        feature = "split",
        leptos::wasm_split::wasm_split(story, wasm_split_path = ::leptos::wasm_split, fallible)
    )]
    pub fn story() -> Result<StoryPage, NotHere> {
        Ok(StoryPage::entrances())
    }

    #[cfg_attr(
        feature = "split",
        leptos::wasm_split::wasm_split(aside, wasm_split_path = ::leptos::wasm_split, fallible)
    )]
    pub fn aside() -> Result<Aside, NotHere> {
        Ok(Aside::entrances())
    }

    #[cfg_attr(
        feature = "split",
        leptos::wasm_split::wasm_split(desk, wasm_split_path = ::leptos::wasm_split, fallible)
    )]
    pub fn desk() -> Result<Desk, NotHere> {
        Ok(Desk::entrances())
    }

    #[cfg_attr(
        feature = "split",
        leptos::wasm_split::wasm_split(memory, wasm_split_path = ::leptos::wasm_split, fallible)
    )]
    pub fn memory() -> Result<fn() -> Future<'static, ()>, NotHere> {
        Ok(|| Box::pin(memory::serve()))
    }
}

/// In the worker of the memory: the page's program with no page around it.
#[cfg(target_arch = "wasm32")]
async fn serve_memory() {
    #[cfg(feature = "split")]
    let serve = chunks::memory().await;
    #[cfg(not(feature = "split"))]
    let serve = chunks::memory();
    match serve {
        Ok(serve) => serve().await,
        // Thrown in the worker, it reaches the page as that worker's error: whoever asks next starts another.
        Err(missing) => wasm_bindgen::throw_str(&missing.to_string()),
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    if !fabula::web::is_page() {
        console_error_panic_hook::set_once();
        return wasm_bindgen_futures::spawn_local(serve_memory());
    }
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        fabula::ui::say_that_it_broke();
    }));
    #[cfg(feature = "split")]
    let rest = fabula::ui::Rest {
        story: || Box::pin(chunks::story()),
        aside: || Box::pin(chunks::aside()),
        desk: || Box::pin(chunks::desk()),
    };
    #[cfg(not(feature = "split"))]
    let rest = fabula::ui::Rest {
        story: || Box::pin(async { chunks::story() }),
        aside: || Box::pin(async { chunks::aside() }),
        desk: || Box::pin(async { chunks::desk() }),
    };
    wasm_bindgen_futures::spawn_local(fabula::ui::start(rest));
}

/// The page runs in a browser only; what there is to run natively is in the library and its tests.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("Fabula is a web page: `cargo xtask serve` builds and serves it.");
}
