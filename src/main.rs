//! The wasm entry.

#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        fabula::ui::say_that_it_broke();
    }));
    wasm_bindgen_futures::spawn_local(fabula::ui::start());
}

/// The page runs in a browser only; what there is to run natively is in the library and its tests.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("Fabula is a web page: `cargo xtask serve` builds and serves it.");
}
