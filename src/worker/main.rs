//! The wasm entry of the worker that keeps the memory.

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    wasm_bindgen_futures::spawn_local(fabula::web::memory::serve());
}

/// Natively the keeper is used as it is, without a worker around it.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("this is a part of the page: `cargo xtask serve` builds and serves it");
}
