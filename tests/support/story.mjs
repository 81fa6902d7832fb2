// A story as an archive, in the stored form (tests/snapshots): for journeys that begin in the middle of one.

import { pack } from './archive.mjs';

const id = (kind, n = 1) => `0190${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/**
 * One story, with as many turns as are given.
 *
 * turns: `[user, reply]` each, from turn 1 on · opening: turn 0's text · old: how many of the turns lie in a session
 * before the current one · persona, plot: parts of the state that holds at its end · character, background, storyline:
 * fields that matter · began: time of the opening, a minute a turn
 */
export function storyArchive({
  character,
  background,
  storyline = {},
  persona = {},
  plot = {},
  opening = '',
  turns = [],
  old = 0,
  began = Date.UTC(2025, 9, 10, 10),
}) {
  const [story, someone, world, branch, before, now, state] = ['0001', '0002', '0003', '0004', '0005', '0006', '0007'].map((kind) => id(kind));
  const at = (position) => began + position * 60_000;
  const said = [[null, opening], ...turns];
  const session = (position) => (position <= old && old > 0 ? before : now);
  const records = {
    characters: [{ initial_profile: {}, extensions: {}, created: began, updated: began, ...character, id: someone }],
    backgrounds: background ? [{ created: began, updated: began, ...background, id: world }] : [],
    storylines: [
      {
        title: '盟友之路',
        status: 'active',
        preset: 'plain',
        user_name: '',
        language: 'zh',
        ...storyline,
        id: story,
        character: someone,
        background: background ? world : null,
        created: began,
        last_active: at(turns.length),
        total_turns: turns.length,
        head: { branch, end: said.length },
        sessions: [
          ...(old > 0 ? [{ id: before, created: began, turns: old }] : []),
          { id: now, created: at(old), turns: turns.length - old },
        ],
        current_session: now,
        initial_state: state,
      },
    ],
    branches: [{ id: branch, storyline: story, parent: null, first: 0, length: said.length, created: began }],
    states: [
      {
        id: state,
        storyline: story,
        created: began,
        persona: { base_persona: '', evolved_persona: '', core_identity: {}, growth_state: {}, current_state: {}, ...persona },
        plot: { current_plot_index: 1, current_status: 'pending', no_update_count: 0, ...plot },
        world: {},
        sheet: '',
        summary: '',
      },
    ],
    turns: said.map(([user], position) => ({
      id: id('1001', position),
      storyline: story,
      branch,
      position,
      session: session(position),
      user,
      created: at(position),
      chosen: id('2001', position),
    })),
    generations: said.map(([, text], position) => ({
      id: id('2001', position),
      turn: id('1001', position),
      storyline: story,
      branch,
      position,
      text,
      status: 'done',
      model: 'story-large',
      started: at(position),
      finished: at(position) + 15_000,
      state,
    })),
  };
  const lines = Object.entries(records).flatMap(([t, list]) => list.map((r) => JSON.stringify({ t, r })));
  const header = { fabula: 1, kind: 'storyline', created: began, title: records.storylines[0].title, counts: {} };
  return pack({ header: JSON.stringify(header), records: lines });
}

/** The same as a file that a control may be given. */
export const storyFile = (parts) => ({ name: 'story.fabula', mimeType: 'application/gzip', buffer: storyArchive(parts) });
