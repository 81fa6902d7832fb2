//! A worker of the page that reads and writes files in the reader's own storage. It is a program of its own, so that it
//! weighs on nobody who does not use it; what it sends and gets is sealed before it comes here.
//!
//! The page posts `{ id, op, bytes? }` and gets `{ id, answer, bytes? }`: both texts are JSON ([`message`]).

#[cfg(target_arch = "wasm32")]
mod fetch;
#[cfg(target_arch = "wasm32")]
mod message;
#[cfg(target_arch = "wasm32")]
mod place;
#[cfg(target_arch = "wasm32")]
mod serve;

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    serve::serve();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("this is a part of the page: `cargo xtask serve` builds and serves it");
}
