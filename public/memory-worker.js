// Starts the worker that keeps the memory: the page's own program, which finds no page around it here. What is asked before
// it is ready waits. The build writes in the name that the program has.
const early = [];
self.onmessage = (event) => early.push(event);
self.begin = () => early.splice(0).forEach((event) => self.onmessage(event));
// An error of the worker is heard by the page; a promise that is broken is not.
import('./PAGE.js')
  .then(({ default: start }) => start({ module_or_path: './PAGE_bg.wasm' }))
  .catch((error) => setTimeout(() => {
    throw error;
  }));
