// Opening a long story, and reading back in it.

import { median, pause, profiled, traced } from '../instruments.mjs';
import { TITLE } from '../library.mjs';

const TURNS = 10_000;
const ROUNDS = 5;
const BACK = 200;
const WHEEL = 400;
/** Pixels by which what one reads may move beyond the wheel's own. */
const TOLERANCE = 3;

export async function measure(stage) {
  // The first time in a browser differs by half from one to the next.
  const first = [];
  for (let round = 1; round < ROUNDS; round += 1) {
    const { app, close } = await stage.withStory(TURNS);
    first.push(await open(app));
    await close();
  }
  const { app, page, close } = await stage.withStory(TURNS);
  first.push(await open(app));
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await app.go('characters');
    await app.reload();
    await pause(700);
    took.push(await (round ? open(app) : profiled(page, `opening ${TURNS} turns`, () => open(app))));
  }
  await pause(1000);
  const { result, tasks } = await traced(page, () => readBack(page));
  await close();
  const each = (took) => `median of ${took.map((ms) => ms.toFixed(0)).join(' ')}`;
  const over = tasks.filter(({ ms }) => ms > 50).length;
  const clock = Math.max(...tasks.map((task) => task.clock));
  const of = `${TURNS.toLocaleString('en')} turns`;
  const worst = [...result.jumps].sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, 3);
  const where = worst.map(({ turn, by, when }) => `${by.toFixed(0)} px at turn ${turn} ${when}`).join(', ');
  return [
    { what: `open a story of ${of}, browser just started`, aim: 200, unit: 'ms', value: median(first), note: each(first) },
    { what: `open a story of ${of}`, aim: 200, unit: 'ms', value: median(took), note: each(took) },
    {
      what: `longest task while reading ${BACK} turns back, CPU time`, aim: 50, unit: 'ms', value: tasks[0].ms,
      note: `${over} over 50; by the clock ${clock.toFixed(0)}; ${tasks[0].parts}`,
    },
    {
      what: 'what one reads jumps', aim: 0, unit: 'times', value: result.jumps.length,
      note: `beyond ${TOLERANCE} px, in ${result.steps} turns of the wheel over ${result.turns} turns${where && `: ${where}`}`,
    },
  ];
}

/** From the click on the shelf to the last turn on the screen, painted. */
async function open(app) {
  const { page } = app;
  await page.evaluate((last) => {
    bench.pressed = bench.event('click');
    bench.open = bench.pressed.then(() =>
      bench.when(() => {
        const turn = document.querySelector(`[data-turn="${last}"]`);
        const words = turn?.querySelector('[data-testid="turn-reply"]')?.textContent.trim();
        if (!words) return false;
        const place = turn.getBoundingClientRect();
        const view = bench.all('history')[0].getBoundingClientRect();
        return place.bottom > view.top && place.top < view.bottom;
      }),
    );
  }, TURNS);
  await app.item('storyline-item', TITLE).click({ position: { x: 16, y: 16 } });
  return page.evaluate(async () => (await bench.open) - (await bench.pressed));
}

/** Turns the wheel until `BACK` turns have gone by, and watches a turn in the middle of the screen in every frame. */
async function readBack(page) {
  const view = await page.getByTestId('history').boundingBox();
  await page.mouse.move(view.x + view.width / 2, view.y + view.height / 2);
  const jumps = [];
  let steps = 0;
  let first;
  let now;
  do {
    await page.evaluate(() => {
      const scroller = bench.all('history')[0];
      const edge = scroller.getBoundingClientRect();
      const turns = bench.all('turn').map((turn) => ({ turn, top: turn.getBoundingClientRect().top - edge.top }));
      // Near the top of the screen, for it is about to go down.
      const { turn, top } = turns.filter(({ top }) => top < edge.height / 3).at(-1) ?? turns[0];
      const watch = (bench.watch = { number: Number(turn.dataset.turn), moved: [], on: true });
      const look = async () => {
        while (watch.on) {
          await bench.painted();
          const same = turn.isConnected ? turn : document.querySelector(`[data-turn="${watch.number}"]`);
          watch.moved.push(same ? same.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top : NaN);
        }
      };
      watch.done = look();
    });
    await page.mouse.wheel(0, -WHEEL);
    now = await page.evaluate(async (wheel) => {
      const { watch } = bench;
      // It has come to rest when eight frames are alike.
      const still = () => watch.moved.length > 8 && watch.moved.slice(-8).every((moved) => Math.abs(moved - watch.moved.at(-1)) < 0.5);
      const began = performance.now();
      while (performance.now() - began < 5000 && !(still() && (watch.moved.at(-1) !== 0 || performance.now() - began > 500))) await bench.painted();
      watch.on = false;
      await watch.done;
      const { scrollTop } = bench.all('history')[0];
      return { turn: watch.number, moved: watch.moved, top: scrollTop < wheel };
    }, WHEEL);
    steps += 1;
    first ??= now.turn;
    const rest = now.moved.at(-1);
    // On the way down it never goes up, nor beyond its end.
    const back = now.moved.map((moved, at) => (at ? moved - now.moved[at - 1] : moved));
    const astray = Math.max(...now.moved) > WHEEL + TOLERANCE ? Math.max(...now.moved) - WHEEL : Math.min(...back);
    if (!(Math.abs(rest - WHEEL) <= TOLERANCE)) jumps.push({ turn: now.turn, by: rest - WHEEL, when: 'at rest' });
    else if (astray > TOLERANCE || astray < -TOLERANCE) jumps.push({ turn: now.turn, by: astray, when: 'for some frames' });
  } while (first - now.turn < BACK && steps < 600 && !now.top);
  return { jumps, steps, turns: first - now.turn };
}
