// Starts the worker that reads and writes the reader's own storage. What is asked before it is ready waits here.
const version = self.location.search;
const early = [];
self.onmessage = (event) => early.push(event);
self.begin = () => early.splice(0).forEach((event) => self.onmessage(event));
importScripts("./fabula-remote.js" + version);
// Thrown where the page hears it: who waits shall not wait for ever.
const fail = (error) => setTimeout(() => {
  throw error;
});
wasm_bindgen({ module_or_path: "./fabula-remote_bg.wasm" + version }).catch(fail);
