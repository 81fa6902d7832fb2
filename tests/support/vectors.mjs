// Vectors given to the memory's worker and asked of it. Each function runs in the page alone, after `beginMemory`.

/** Gives the newest `size` texts of the story vectors, as an embedder would. */
export async function embedUnits({ storyline, size }) {
  // As `fabula_kernel::samples`: clusters of 50, two of one with a cosine of about 0.6.
  let seed = 1;
  const next = () => {
    // Mulberry32.
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const direction = () => {
    const numbers = Array.from({ length: 384 }, () => next() + next() + next() + next() - 2);
    const length = Math.hypot(...numbers);
    return numbers.map((number) => number / length);
  };
  const centres = Array.from({ length: size / 50 }, direction);
  globalThis.vectorNear = (n) => {
    const own = direction();
    return centres[n % centres.length].map((number, at) => Number((number + 0.8 * own[at]).toFixed(5)));
  };
  const began = performance.now();
  for (let given = 0; given < size; ) {
    const { answer } = await askMemory({ lacking: { storyline, embedder: 'bench', limit: Math.min(1_000, size - given) } });
    const { lacking } = answer.Ok;
    const vectors = lacking.map(({ unit }, at) => [unit, vectorNear(given + at)]);
    await askMemory({ embed: { storyline, embedder: 'bench', vectors } });
    given += lacking.length;
  }
  return performance.now() - began;
}

/** Waits until a worker just begun has the vectors, and the graph if there should be one: milliseconds. */
export async function readyVectors({ storyline, size, graph }) {
  const began = performance.now();
  const { answer } = await askMemory({ catch_up: { storyline, embedder: 'bench' } });
  const { embedded, has_graph } = answer.Ok.extent;
  if (embedded !== size || has_graph !== graph) throw new Error(`${embedded} vectors of ${size}, graph: ${has_graph}`);
  return performance.now() - began;
}

/** Questions without words, the same each time: milliseconds in the worker, and what was found. */
export async function askVectors({ storyline, end, count }) {
  const database = await openFabula();
  const [branch] = await readAll(database, 'branches', 'storyline', storyline);
  database.close();
  // The same ones each time.
  globalThis.asking ??= Array.from({ length: count }, (_, n) => vectorNear(n * 7));
  const took = [];
  const hits = [];
  for (const vector of asking) {
    const told = await askMemory({
      search: {
        storyline, path: { spans: [{ branch: branch.id, first: 0, last: end - 1, leaves_by: null }], end }, until: end,
        words: { text: '', earlier: [], expansions: [], vector: { embedder: 'bench', vector } }, among: 'all', limit: 10,
      },
    });
    took.push(told.took);
    hits.push(told.answer.Ok.hits.map(({ source }) => JSON.stringify(source)));
  }
  return { took, hits };
}

/** Lets a worker of its own build the graph, as the page does: milliseconds, and bytes of what it wrote. */
export async function buildGraph({ storyline }) {
  const builder = new Worker(document.querySelector('meta[name="memory-worker"]').content);
  const began = performance.now();
  const told = await new Promise((resolve, reject) => {
    builder.onmessage = ({ data }) => resolve(JSON.parse(data));
    builder.onerror = ({ message }) => reject(new Error(message));
    builder.postMessage(JSON.stringify({ id: 1, request: { build_graph: { storyline, embedder: 'bench', from: 1 } } }));
  });
  const ms = performance.now() - began;
  builder.terminate();
  if (told.answer.Err) throw new Error(JSON.stringify(told.answer.Err));
  const database = await openFabula();
  const keys = await new Promise((resolve, reject) => {
    const request = database.transaction('vectors').objectStore('vectors').getAllKeys();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const [graph] = await new Promise((resolve, reject) => {
    const request = database.transaction('vectors').objectStore('vectors').getAll(keys.find((key) => key.endsWith('graph')));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  database.close();
  return { ms, bytes: graph.bytes.length };
}
