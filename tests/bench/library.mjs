// A long story, written straight into the database in the stored form (tests/snapshots).

export const STORYLINE = '01900001-0000-7000-8000-000000000001';

export const TITLE = '长夜';
export const ADDRESS = `#/story/${STORYLINE}`;

/**
 * Runs in the page: puts a story of `turns` turns, and a connection to `url`, into the open database. `varied`: of words that
 * pack no better than those of a writer.
 */
export async function seed({ storyline, title, turns, url, varied }) {
  const id = (kind, n = 1) => `0190${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const [character, branch, session, state, background] = ['0002', '0003', '0004', '0005', '0006'].map((kind) => id(kind));
  const began = Date.now() - turns * 60_000;

  let chance = 42;
  const pick = (list) => list[(chance = (chance * 48271) % 2147483647) % list.length];
  const SAID = [
    '“你听见了吗？”她问。', '“The rain has stopped,” he said, and listened.', '“别回头。”', '“我当然记得。”', '"Then read it aloud."',
  ];
  const TOLD = [
    '旧书店的灯忽明忽暗，门上的铃又响了一声。',
    'The letter lay between the pages of an atlas nobody had opened since the flood.',
    '雨水顺着招牌的铁链往下淌，像有人在慢慢数着日子。',
    '她把茶杯推过桌面，*指尖*还留着墨水的颜色。',
    'Somewhere below the floor a clock struck a number it had no right to strike.',
    '第二张地图缺了一角，缺的正是**钟楼**所在的地方。',
    'He counted the coins twice and the exits three times.',
    '巷口的猫看了他们一眼，又把目光移开了。',
  ];
  // Of some hundred common characters, as they come: six or seven bits each, as prose has.
  const anyWords = () => `${Array.from({ length: 24 }, () => String.fromCharCode(0x4e00 + 17 * pick(HUNDRED))).join('')}。`;
  const HUNDRED = Array.from({ length: 100 }, (_, n) => n);
  const reply = (n) => {
    let text = `第 ${n} 页。`;
    while (text.length < 400) text += (varied ? anyWords() : pick(SAID) + pick(TOLD)) + (text.length % 3 ? '' : '\n\n');
    return text;
  };
  const account = (position) => ({
    id: id('2001', position), storyline, made: began + position * 60_000, preset: 'plain',
    blocks: ['main', 'persona', 'history'].map((name) => ({
      identifier: name, source: name, role: 'system', tokens: 420, reason: '', trimmed: 0,
    })),
    total_tokens: 1260, raw_tokens: 1260,
  });
  const turn = (position) => ({
    id: id('1001', position),
    storyline,
    branch,
    position,
    session,
    user: position ? `第 ${position} 次，我推开门，问：what is written on page ${position}?` : null,
    created: began + position * 60_000,
    chosen: id('2001', position),
  });
  const generation = (position) => ({
    id: id('2001', position),
    turn: id('1001', position),
    storyline,
    branch,
    position,
    text: reply(position),
    status: 'done',
    model: 'story-large',
    connection: 'bench',
    usage: { prompt_tokens: 30_000, completion_tokens: 250 },
    started: began + position * 60_000,
    first_text: began + position * 60_000 + 400,
    finished: began + position * 60_000 + 9000,
    prompt: { tokens: 1260, raw_tokens: 1260 },
    state,
  });
  const core_identity = {
    archetype: '守书人', core_goal: '找到那封信', core_traits: ['固执', 'patient'], background_story: '她在雨城长大。',
  };
  const growth_state = { beliefs: [], behavioral_patterns: [], relationships: [] };
  const current_state = { emotions: [], physical: null, immediate_goals: [] };
  const one = {
    characters: {
      id: character, name: '林夕', description: '旧书店的店主，记得每一本书的去处。', personality: '寡言', scenario: '',
      first_mes: '门上的铃响了。',
      mes_example: '', creator_notes: '', system_prompt: '', post_history_instructions: '', alternate_greetings: [], tags: [],
      creator: '', character_version: '', extensions: {}, initial_profile: { core_identity, growth_state, current_state },
      avatar: null, created: began, updated: began,
    },
    backgrounds: {
      id: background, name: '雨城', description: '', world_setting: '一座终年下雨的城市。', world_rules: '', initial_context: '',
      story_outline: ['找到信', '读完信', '离开雨城'].map((content, at) => ({ index: at + 1, content })),
      created: began, updated: began,
    },
    storylines: {
      id: storyline, title, status: 'active', record_version: 1, cast: [character], background, preset: 'director', user_name: '', language: 'zh', created: began,
      // Everything that a turn may do without a second call of a model.
      modules: { director: { enabled: true }, persona: { enabled: true }, world: { enabled: true } },
      // Its preset tells a whole session, which no connection takes.
      sends_newest: true,
      last_active: Date.now(), total_turns: turns, head: { branch, end: turns + 1 }, sessions: [{ id: session, created: began, turns }],
      current_session: session, initial_state: state,
    },
    branches: { id: branch, storyline, parent: null, first: 0, length: turns + 1, created: began },
    states: {
      id: state, storyline, created: began, record_version: 1,
      personas: { '': { base_persona: '旧书店的店主', evolved_persona: '', core_identity, growth_state, current_state } },
      plot: { current_plot_index: 1, current_status: 'pending', no_update_count: 0 }, world: {}, sheet: '', summary: '',
    },
  };
  const sampling = {
    temperature: 0.8, top_p: null, top_k: null, frequency_penalty: null, presence_penalty: null, max_tokens: null, stop: [], seed: null,
  };
  const connection = {
    id: 'bench', name: 'Bench', kind: 'openai', url, model: 'story-large', sampling, context_tokens: 32768, timeout_seconds: 120,
  };
  const settings = [
    { id: 'connections', list: [connection] },
    {
      id: 'preferences', language: 'zh', theme: 'light', type_size: 100, user_name: '', last_storyline: null,
      default_connection: 'bench', last_backup: Date.now(), turns_since_backup: 0,
    },
  ];

  const database = await new Promise((done, fail) => {
    const request = indexedDB.open('fabula');
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  const put = (records) =>
    new Promise((done, fail) => {
      const transaction = database.transaction(Object.keys(records), 'readwrite');
      transaction.oncomplete = done;
      transaction.onabort = () => fail(transaction.error);
      for (const [store, list] of Object.entries(records)) {
        for (const record of [list].flat()) transaction.objectStore(store).put(record);
      }
    });
  await put({ ...one, settings });
  for (let from = 0; from <= turns; from += 1000) {
    const positions = Array.from({ length: Math.min(1000, turns + 1 - from) }, (_, at) => from + at);
    await put({ turns: positions.map(turn), generations: positions.map(generation), accounts: positions.map(account) });
  }
  database.close();
}

export const story = (turns, url, varied = false) => ({ storyline: STORYLINE, title: TITLE, turns, url, varied });

/** In the page: lets the memory take the story in. */
export async function index(storyline) {
  const worker = new Worker(document.querySelector('meta[name="memory-worker"]').content);
  await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      const { answer } = JSON.parse(data);
      if (answer.Ok) resolve();
      else reject(new Error(data));
    };
    worker.onerror = reject;
    worker.postMessage(JSON.stringify({ id: 1, request: { catch_up: { storyline, embedder: '' } } }));
  });
  worker.terminate();
}
