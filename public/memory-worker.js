// Starts the worker that keeps the memory. What is asked before it is ready waits here.
const version = self.location.search;
const early = [];
self.onmessage = (event) => early.push(event);
self.begin = () => early.splice(0).forEach((event) => self.onmessage(event));
importScripts("./fabula-memory.js" + version);
wasm_bindgen({ module_or_path: "./fabula-memory_bg.wasm" + version });
