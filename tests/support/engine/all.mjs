// The engines beside Chromium that this machine has; where the set-up of the tests found none, they are not here.

const PLACES = { firefox: process.env.FIREFOX, webkit: process.env.WEBKIT_DRIVER };

/** Their names. */
export const ENGINES = Object.keys(PLACES).filter((name) => PLACES[name]);

/** Opens a profile in it. */
export function named(name) {
  if (!PLACES[name]) throw new Error(`${name} is not here: name it in ${name === 'firefox' ? 'FIREFOX' : 'WEBKIT_DRIVER'}`);
  return async ({ language = 'zh-CN', viewport = { width: 1280, height: 800 }, profile }) => {
    const { open } = await import(`./${name}.mjs`);
    return open({ language, viewport, profile });
  };
}
