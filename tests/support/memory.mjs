// The memory's worker, asked as the page asks it: for what no control of the page shows. Each function runs in the page
// alone, after `beginMemory`.

/** Starts a worker, and waits until it has the index of a story. */
export async function beginMemory({ storyline }) {
  globalThis.memory?.terminate();
  const worker = (globalThis.memory = new Worker(document.querySelector('meta[name="memory-worker"]').content));
  let asked = 0;
  const waiting = new Map();
  worker.onmessage = ({ data }) => {
    const told = JSON.parse(data);
    waiting.get(told.id)(told);
  };
  worker.onerror = ({ message }) => waiting.forEach((resolve) => resolve({ answer: { Err: message } }));
  globalThis.askMemory = async (request) => {
    asked += 1;
    const id = asked;
    const told = await new Promise((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage(JSON.stringify({ id, request }));
    });
    if (told.answer.Err) throw new Error(JSON.stringify(told.answer.Err));
    return told;
  };
  globalThis.openFabula = () => new Promise((resolve, reject) => {
    const request = indexedDB.open('fabula');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  globalThis.readAll = (database, store, index, key) => new Promise((resolve, reject) => {
    const request = database.transaction(store).objectStore(store).index(index).getAll(key);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  // In one commit, as the page writes.
  globalThis.commit = (database, records) => new Promise((resolve, reject) => {
    const transaction = database.transaction(Object.keys(records), 'readwrite');
    for (const [store, list] of Object.entries(records)) for (const record of list) transaction.objectStore(store).put(record);
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  const ASKED = [
    '钟楼的地图缺了哪一角？', 'Who opened the atlas since the flood?', '她的指尖留着什么？', 'what did the clock strike below the floor',
    '巷口的猫去了哪里，page', '你还记得那封信吗',
  ];
  globalThis.question = (branch, end, n, room = 0) => ({
    search: {
      storyline, path: { spans: [{ branch, first: 0, last: end - 1, leaves_by: null }], end }, until: end - 60,
      words: { text: `${ASKED[n % ASKED.length]} ${(n * 37) % end}`, earlier: ['“别回头。”她说。'], expansions: [], vector: null },
      among: 'all', limit: 5, room,
    },
  });
  // The worker's own start is not the index's.
  await askMemory({ catch_up: { storyline: 'none', embedder: '' } });
  const began = performance.now();
  const told = await askMemory({ catch_up: { storyline, embedder: '' } });
  return { ms: performance.now() - began, units: told.answer.Ok.extent.units };
}

/** Questions one after the other, for whole texts, or for as many sentences as have room: milliseconds in the worker, and there and back. */
export async function searchMemory({ storyline, end, count, room = 0 }) {
  const database = await openFabula();
  const [branch] = await readAll(database, 'branches', 'storyline', storyline);
  database.close();
  const round = [];
  const took = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    const told = await askMemory(question(branch.id, end, n, room));
    round.push(performance.now() - began);
    took.push(told.took);
  }
  return { round, took };
}

/** New turns at the end of the story, each taken in with its reply; and then a question from there. */
export async function insertTurn({ storyline, end, count }) {
  const database = await openFabula();
  const [branch] = await readAll(database, 'branches', 'storyline', storyline);
  const [turn] = await readAll(database, 'turns', 'place', [branch.id, end - 1]);
  const [reply] = await readAll(database, 'generations', 'place', [branch.id, end - 1]);
  const took = [];
  const asked = [];
  for (let n = 0; n < count; n += 1) {
    const position = end + n;
    const [id, chosen] = [`${turn.id}-${n}`, `${reply.id}-${n}`];
    await commit(database, {
      turns: [{ ...turn, id, chosen, position, user: `又一次，第 ${n} 回，我推开门，问：what is written on page ${position}?` }],
      generations: [{ ...reply, id: chosen, turn: id, position, text: `第 ${n} 回。${reply.text}` }],
      due: [{ id: `turns/${id}`, storyline }, { id: `generations/${chosen}`, storyline }],
    });
    const told = await askMemory({ catch_up: { storyline, embedder: '' } });
    took.push(told.took);
    asked.push((await askMemory(question(branch.id, position + 1, n))).took);
  }
  database.close();
  return { took, asked };
}

/** Turns that are worded anew, each taken in. */
export async function rewordTurn({ storyline, end, count }) {
  const database = await openFabula();
  const [branch] = await readAll(database, 'branches', 'storyline', storyline);
  const took = [];
  for (let n = 0; n < count; n += 1) {
    const [turn] = await readAll(database, 'turns', 'place', [branch.id, end - 1 - n]);
    await commit(database, {
      turns: [{ ...turn, user: `${turn.user} 又一次，第 ${n} 回。` }],
      due: [{ id: `turns/${turn.id}`, storyline }],
    });
    took.push((await askMemory({ catch_up: { storyline, embedder: '' } })).took);
  }
  database.close();
  return { took };
}
