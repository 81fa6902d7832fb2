// The seeds' own examples, played in the page: what is sent, and what becomes of the state.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { storyFile } from '../support/story.mjs';

const at = stage();

/** A story that others began, open on the page. */
async function goOn(t, parts) {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.addConnection({ url: llm.base('openai') });
  await app.go('storylines');
  await app.upload('storyline-import', storyFile(parts));
  await app.id('import-merge').click();
  await app.openStory();
  return { llm, app };
}

const becomes = (read, expected) => eventually(async () => assert.deepEqual(await read(), expected));

// -------------------------------------------------------------------------------------------------- seed 000, v0.4

const WALK = [
  ['我们已经潜入据点了，你看前面那个房间。', '（透过门缝）就是他...Victor，我曾经最信任的兄弟。[PROGRESS:3:in_progress]'],
  ['你想怎么做？直接冲进去？', '不，太危险了。我数了一下，里面至少有五个人，都带着枪。'],
  ['你打算等到什么时候？', '等他们分散。Victor不可能一直和他们在一起。'],
  [
    '你还记得我们之前的约定吗？',
    '我当然记得。（沉默片刻）我答应过你，不会冲动送死。但Victor必须付出代价，这是我活下去的唯一理由。我会等，等到最安全的时机。[PROGRESS:3:in_progress]',
  ],
  ['那我们等。', '他点点头，把枪收回腰间。'],
  ['有人出来了。', '两个。还剩三个。'],
  ['现在呢？', '再等等。'],
  ['我们走。', '他推开了门。'],
];
const FIRST = 39;
const REMEMBERED = [
  [12, '玩家让Alserqi承诺不冲动送死'],
  [20, 'Alserqi答应会冷静行动'],
];
const ELSEWHERE = '在其他剧情线中，对峙时Victor试图解释背叛原因';

/** What the middle of the prompt holds before the conversation: turn 42 asks for the past, turn 46 is reminded. */
function middle(turn, said) {
  if (turn === 42) {
    const lines = REMEMBERED.map(([at, text]) => `- 第${at}轮：${text}`);
    // The seed says what is recalled; which of the two comes first is the search's own.
    return `=== 历史事件回忆 ===\n${lines.sort((a, b) => said.indexOf(a) - said.indexOf(b)).join('\n')}\n\n`;
  }
  if (turn === 46) {
    const events = ['剧情来到第3点：与仇人对峙', ...REMEMBERED.map(([, text]) => text)];
    events.sort((a, b) => said.indexOf(a) - said.indexOf(b));
    return `=== 导演提醒 ===
你现在应该推进到故事大纲第3点：与仇人对峙

【当前剧情中已发生的事件】
${events.map((event, n) => `- 事件${n + 1}：${event}`).join('\n')}

【剧情经验参考】（其他剧情线的类似情节，仅供参考）
- 参考1：${ELSEWHERE}

`;
  }
  return '';
}

/** Step 4 of the seed after who plays whom, without its remarks: the whole session before the input of the turn. */
function prompt(turn, sent) {
  const said = WALK.slice(0, turn - FIRST).map(([user, reply], n) => {
    const lines = [`第${FIRST + n}轮：`, `User: ${user}`];
    return [...lines, `Assistant: ${reply}`].join('\n');
  });
  return `=== 角色与用户 ===
你扮演Alserqi。用户就是玩家。
写Alserqi的下一段回复：只写故事正文，前面不加“第几轮”“User”“Assistant”；不替玩家说话或行动。

=== 角色初始人格 ===
Alserqi，废土黑帮老大，曾经掌控北区，被心腹背叛...

=== 角色成长人格 ===
经历背叛后变得多疑，不再轻易相信他人...

=== 背景设定 ===
世界观：2087年，核战后50年...

=== 故事大纲 ===
{
  "story_outline": [
    {"index": 1, "content": "发现背叛者的线索", "status": "completed"},
    {"index": 2, "content": "潜入敌人据点", "status": "completed"},
    {"index": 3, "content": "与仇人对峙", "status": "in_progress"},
    {"index": 4, "content": "做出关键选择", "status": "pending"},
    {"index": 5, "content": "应对选择的后果", "status": "pending"}
  ]
}

=== 进度引导指令 ===
如果剧情推进，请在回复中输出标记：[PROGRESS:X:status]

${middle(turn, sent)}=== 当前会话完整对话 ===
${said.join('\n\n')}`;
}

test('turns 42 to 46 of seed 000', async (t) => {
  const { llm, app } = await goOn(t, {
    character: { name: 'Alserqi' },
    background: {
      name: '废土复仇记',
      world_setting: '2087年，核战后50年...',
      story_outline: ['发现背叛者的线索', '潜入敌人据点', '与仇人对峙', '做出关键选择', '应对选择的后果'].map((content, n) => ({ index: n + 1, content })),
    },
    storyline: { title: '废土复仇记', preset: 'director', user_name: '玩家' },
    persona: {
      base_persona: 'Alserqi，废土黑帮老大，曾经掌控北区，被心腹背叛...',
      evolved_persona: '经历背叛后变得多疑，不再轻易相信他人...',
    },
    plot: { current_plot_index: 2, current_status: 'completed' },
    turns: Array.from({ length: FIRST - 1 }, (_, n) => [`第 ${n + 1} 句。`, '好。']),
    old: FIRST - 1,
    memories: REMEMBERED,
    elsewhere: ELSEWHERE,
  });
  await app.id('tab-plot').click();
  const points = () => app.id('plot-point').evaluateAll((all) => all.map((point) => `${point.innerText.split('\n')[0]} ${point.dataset.status}`));
  const outline = [
    '发现背叛者的线索 completed',
    '潜入敌人据点 completed',
    '与仇人对峙 in_progress',
    '做出关键选择 pending',
    '应对选择的后果 pending',
  ];
  const stored = async () => {
    const newest = (await app.records('generations')).reduce((a, b) => (b.position > a.position ? b : a));
    return (await app.records('states')).find((state) => state.id === newest.state).plot;
  };
  const counts = { 39: 0, 40: 1, 41: 2, 42: 0, 43: 1, 44: 2, 45: 3, 46: 4 };
  for (const [n, [user, reply]] of WALK.entries()) {
    const turn = FIRST + n;
    llm.script(reply);
    assert.equal(await app.play(user), turn);
    const request = await llm.next();
    if (turn >= 42) {
      assert.deepEqual(request.body.messages, [
        { role: 'system', content: prompt(turn, request.body.messages[0].content) },
        { role: 'user', content: user },
      ]);
    }
    assert.equal(await app.replyText(turn), reply, 'the marker is not filtered');
    await becomes(() => app.id('plot-counter').getAttribute('data-count'), String(counts[turn]));
    await becomes(points, outline);
    const { current_plot_index, current_status, no_update_count } = await stored();
    assert.deepEqual(
      { current_plot_index, current_status, no_update_count },
      { current_plot_index: 3, current_status: 'in_progress', no_update_count: counts[turn] },
    );
  }
  // The trigger itself zeroes nothing, and after a reload all is as it was.
  await app.reload();
  await app.id('tab-plot').click();
  await becomes(() => app.id('plot-counter').getAttribute('data-count'), '4');
  assert.match(await app.id('plot-counter').innerText(), /4 轮没有进展/);
  assert.match(await app.id('plot-since').innerText(), /第 39 轮/);
});

// -------------------------------------------------------------------------------------------------- seed 001, v0.2

const CORE = {
  archetype: 'Vengeful Anti-hero',
  core_goal: "Destroy the 'Core'",
  core_traits: ['Cynical', 'Pragmatic', 'Loyal_to_few'],
  background_story: '曾是组织的精英战士，因发现真相被背叛',
};
/** `initial_profile` of definition.json. */
const BEFORE = {
  core_identity: CORE,
  growth_state: { beliefs: [], behavioral_patterns: [], relationships: [] },
  current_state: { emotions: ['Neutral'], physical: '健康', immediate_goals: [] },
};
/** `character_state.json`, but for its times. */
const AFTER = {
  core_identity: CORE,
  growth_state: {
    beliefs: [{ content: 'Trust must be earned through actions, not words', formed_from: '多次被背叛的经历' }],
    behavioral_patterns: [{ pattern: 'Always verify information before acting' }],
    relationships: [{ entity: 'user', status: 'Trusted_Companion', history: '经历了考验、背叛、解释、原谅的完整循环' }],
  },
  current_state: {
    emotions: [
      'Neutral',
      { content: 'Weary', context: '长时间的战斗和逃亡' },
      { content: 'Cautious_Hope', context: '与user的合作进展顺利' },
    ],
    physical: { condition: 'Exhausted, left arm injured' },
    immediate_goals: [
      { goal: 'Find safe shelter', reason: 'Need to rest and treat wounds' },
      { goal: 'Contact B for intel', reason: "Need information about Core's movements" },
    ],
  },
};

const twoParts = (narrative, update) =>
  `<narrative>\n${narrative}\n</narrative>\n<state_update_json>\n${JSON.stringify(update, null, 2)}\n</state_update_json>`;

/** A state without what the engine adds: times, turns, origins. */
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== 'object') return value;
  const told = Object.entries(value).filter(([key]) => !['timestamp', 'turn', 'generation', 'by_hand'].includes(key));
  return Object.fromEntries(told.map(([key, inner]) => [key, bare(inner)]));
}

test('the example of seed 001', async (t) => {
  const { llm, app } = await goOn(t, {
    character: { name: 'Alserqi', description: '一个寻仇者，曾经的精英战士，因背叛而堕入复仇之路', initial_profile: BEFORE },
    background: {
      name: '废土世界',
      description: '核战后的荒芜大陆，科技倒退，强者为王。资源匮乏，信任是最稀缺的货币。',
      world_rules: '暴力是解决争端的主要手段；科技退化到20世纪初水平；幸存者聚居点稀少',
    },
    storyline: { preset: 'persona' },
    persona: BEFORE,
    opening: '你醒来时，发现自己身处一片废墟中，远处有烟雾升起...',
  });
  await app.id('tab-persona').click();
  const persona = async () => {
    const newest = (await app.records('generations')).reduce((a, b) => (b.position > a.position ? b : a));
    const { core_identity, growth_state, current_state } = (await app.records('states')).find((state) => state.id === newest.state).personas[''];
    return bare({ core_identity, growth_state, current_state });
  };
  const kind = (name) => app.page.locator(`[data-testid="persona-item"][data-kind="${name}"]`);
  const shows = (name, ...patterns) =>
    eventually(async () => {
      const shown = await kind(name).allInnerTexts();
      assert.equal(shown.length, patterns.length, `${name}: ${shown.join(' | ')}`);
      for (const [n, pattern] of patterns.entries()) assert.match(shown[n], pattern);
    });
  /** The prompt's section between its rule and the next. */
  const section = (request, name) => new RegExp(`---${name}---\\n([^]*?)\\n---`).exec(request.body.messages.map((one) => one.content).join('\n'))[1];
  assert.deepEqual(await persona(), BEFORE);
  await shows('emotion', /Neutral/);

  // Contempt is what the state says, not a change of it.
  llm.script(twoParts('Alserqi听了你的话，眼中闪过一丝轻蔑...', {}));
  const first = await app.play('你这个骗子！');
  const begun = await llm.next();
  const sections = [...begun.text.matchAll(/---([A-Z_]{5,})---/g)].map(([, name]) => name);
  assert.deepEqual(sections, [
    'SYSTEM_INSTRUCTION',
    'JAILBREAK_PREVENTION',
    'BACKGROUND_CONTEXT',
    'CHARACTER_DESCRIPTION',
    'CHARACTER_CORE',
    'CHARACTER_GROWTH',
    'CHARACTER_CURRENT_STATE',
    'RELEVANT_PAST_EVENTS',
    'RECENT_CONVERSATION',
    'USER_INPUT',
    'TASK_INSTRUCTIONS',
  ]);
  assert.match(section(begun, 'CHARACTER_DESCRIPTION'), /一个寻仇者，曾经的精英战士/);
  assert.match(section(begun, 'CHARACTER_CURRENT_STATE'), /Emotions: Neutral\nPhysical Condition: 健康\nImmediate Goals: （无）/);
  assert.equal(await app.replyText(first), 'Alserqi听了你的话，眼中闪过一丝轻蔑...');
  assert.deepEqual(await persona(), BEFORE);

  // "relationships": "Stranger → Potential_Ally"
  const ally = { entity: 'user', status: 'Potential_Ally', history: '用户展示证据，Alserqi从怀疑转为信任' };
  llm.script(twoParts('他看到文件，瞳孔微缩...', { growth_state: { relationships: { update: [ally] } } }));
  const second = await app.play('我有证据');
  await llm.next();
  await shows('relationship', /对你[^]*Potential_Ally/);
  await app.unfold(second);
  assert.match(await app.turn(second).id('turn-notes').innerText(), /Potential_Ally/);

  const { growth_state: growth, current_state: current } = AFTER;
  llm.script(
    twoParts('他靠着墙坐下，许久没有说话。', {
      growth_state: {
        beliefs: { add: growth.beliefs },
        behavioral_patterns: { add: growth.behavioral_patterns },
        relationships: { update: growth.relationships },
      },
      current_state: {
        emotions: { add: current.emotions.slice(1) },
        physical: current.physical,
        immediate_goals: { add: current.immediate_goals },
      },
    }),
  );
  const third = await app.play('我不会再骗你。');
  await llm.next();
  assert.deepEqual(await persona(), AFTER);
  await shows('belief', /Trust must be earned through actions, not words[^]*多次被背叛的经历[^]*第 3 轮/);
  await shows('pattern', /Always verify information before acting/);
  await shows('relationship', /对你[^]*Trusted_Companion[^]*经历了考验、背叛、解释、原谅的完整循环[^]*第 3 轮/);
  await shows('emotion', /Cautious_Hope[^]*与user的合作进展顺利/, /Weary[^]*长时间的战斗和逃亡/, /Neutral/);
  await shows('physical', /Exhausted, left arm injured/);
  await shows('goal', /Contact B for intel[^]*Core's movements/, /Find safe shelter/);
  await shows('archetype', /Vengeful Anti-hero/);
  assert.equal(await app.replyText(third), '他靠着墙坐下，许久没有说话。');

  // What has become of him is what the next prompt says.
  llm.script(twoParts('“记得。”', {}));
  await app.play('你还记得我说的话吗？');
  const last = await llm.next();
  assert.match(section(last, 'CHARACTER_GROWTH'), /- Trust must be earned through actions, not words（多次被背叛的经历）[^]*- 读者：Trusted_Companion/);
  assert.match(section(last, 'CHARACTER_CURRENT_STATE'), /Weary（长时间的战斗和逃亡）；Cautious_Hope[^]*Physical Condition: Exhausted, left arm injured/);
  assert.match(section(last, 'USER_INPUT'), /你还记得我说的话吗？/);
  assert.deepEqual(await persona(), AFTER);
});
