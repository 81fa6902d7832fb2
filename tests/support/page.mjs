// The page as a person drives it: by the names that tests hold on to (design section 6), and by nothing else.
//
// NAMES BEYOND THE DESIGN, for the author of the page. Where a name stands in an item, it is inside that item's element;
// it may hide until the item is hovered or has focus.
//
// shell         shelf-open · notebook-open (on a phone, open the sheets with the navigation and with the panels)
//               theme-select (select: system light dark; in the settings) · language-select (select: zh en, and an
//               empty value that follows the browser; in the settings) · notice-undo (in a notice: takes a deletion back)
// first run     welcome (shown while there is nothing yet) · welcome-demo · welcome-connect (leads to the connection)
//               demo-label (says that these are recorded replies) · demo-suggestion (a button that says a line)
// connections   connection-name · connection-item (one a connection, shows its name) · connection-edit ·
//               connection-delete (in the item) · connection-models (datalist of the models fetched) · connection-timeout
//               (seconds, from 1) · connection-temperature · connection-context (tokens) · connection-reload (offered
//               where a new address takes a reload) · connection-status carries data-kind: `ok`, or the kind of the
//               fault as it is stored (`wrong_key`, `unknown_model`, …), and says it in words
// keys          vault-mode (select: memory sealed clear; in the connection's form) · vault-passphrase · vault-unlock
//               (in the settings, while keys are sealed and the passphrase has not been given) · vault-error (beside
//               them: why not) · vault-forget (in the settings: forgets all keys, at once) · vault-ways (in the form: what
//               each mode means; li with data-keeping) · ask-key (beside the composer: the key that is needed and not at
//               hand) with ask-key-key or ask-key-passphrase · ask-key-go · ask-key-cancel · note-key (in a note)
// parts         part-missing (in the place of a part of the page that did not come) with part-again · part-reload;
//               document.documentElement.dataset.whole = "1" once all parts are there
// the device    offline-kept (in the settings; data-kept: no yes newer) · offline-use (in a notice and there) · offline-note
//               (above the composer: no network)
// set-up        next-step with next-step-go (after the first connection, on the settings' page; after the first character,
//               in their list)
// presets       preset-item (data-preset; in it preset-open · preset-purpose · preset-edit of one's own) · preset-reader (a
//               built-in one, to be read) with preset-block · preset-block-open · preset-block-said ·
//               storyline-preset-purpose (beneath the select)
// many files    import-progress · import-stop
// libraries     character-find · character-tag (select) · character-sort (select: Changed Made Played Name) · character-shown (from
//               six entries on) · character-favourite (in the item; aria-pressed); so with background-, persona-,
//               lorebook- (find and sort from the first on) and preset- · storyline-favourite (checkbox; in its editor)
// characters    character-item (in the list, shows the name) · character-edit · character-duplicate · character-delete ·
//               character-export (in the item; its forms: character-export-png, -v2, -v3, -charx) · character-description ·
//               character-personality · character-scenario · character-first-mes · character-avatar (file) ·
//               character-error (beside the form: why it was not saved) · character-assets with character-asset
// backgrounds   background-item · background-edit · background-duplicate · background-delete · background-export (in the
//               item) · background-import · background-rules · background-initial · background-error
// lorebooks     lorebook-item (in the list) · lorebook-edit · lorebook-duplicate · lorebook-delete · lorebook-export (in the
//               item) · lorebook-import · lorebook-find · lorebook-error · lorebook-export-v3 · lorebook-for-all (in the
//               editor) · lorebook-entry (a row; data-entry) with lorebook-entry-choose · lorebook-entry-enabled ·
//               lorebook-entry-open · lorebook-entry-tokens · lorebook-entry-form (of the one that is open, with
//               lorebook-entry-keys and its like; lorebook-no-embedder) · lorebook-entry-new · lorebook-entry-find · lorebook-entry-sort ·
//               lorebook-choose-shown with lorebook-chosen-on, -off, -move, -copy, -delete · lorebook-page-back ·
//               lorebook-page-on · lorebooks-hung (a details in the editors of characters and backgrounds) and
//               lore-settings (in the notebook's story tab) with lorebook-hung of lorebook-hang · character-own-book with
//               character-take-book · in a turn: turn-copy · turn-lore (opens lore-chosen: lore-chosen-book, lore-chosen-book-name,
//               lore-chosen-name, lore-chosen-keys, lore-chosen-content, lore-chosen-keep, lore-chosen-cancel,
//               lore-chosen-error; then lore-chosen-kept, lore-chosen-open, lore-chosen-close)
// storylines    storyline-edit (in the item: opens storyline-title and storyline-save) · storyline-duplicate ·
//               storyline-status (select in the item: active paused finished) · storyline-turns (in the item)
// sessions      session-item (in the notebook's story tab; data-session: its number) · session-export (in the item) ·
//               session-new · story-pause · story-resume · story-paused and story-continue (above the composer) ·
//               story-background (select beside them: the background that the story plays in)
// outline       outline-row · outline-grip · outline-up · outline-down (in the background's editor, in their order)
// files         import-error (beside the control that took the file: why it was refused) · import-summary (what an
//               archive holds) · import-merge · import-copy · import-cancel · backup-export · backup-import ·
//               backup-progress · backup-cancel (all in the settings; imports are file inputs, or buttons that open one)
// log-in        connection-log-in (in the form, where the provider has one)
// by ear        reply-said (what a screen reader is told of a turn) · composer-dictate (aria-pressed while it listens)
// the chat      history (the scroller) · composer-takeover (in a tab that may only read) · turn-reasoning (beside
//               turn-reply, not in it) · turn-reading (folded beneath it: what was odd about its text; turn-reading-raw)
//               · turn-changes (what the reply changed, folded to its number; turn-changes-open its line) with turn-notes of
//               turn-note, and turn-state (the update as the model wrote it, folded once more) · turn-notices of turn-note
//               (data-kind: notice; what could not be used, not folded) · note-retry (in a note: lets a module that failed see the reply again) · turn-edit-user (edits the
//               reader's text; turn-edit edits the reply) · turn-edit-input · turn-edit-save · turn-edit-cancel
// summarising   summarize-progress · summarize-stop · summarize-done · summarize-error (beside the button that is pressed:
//               action-summarize in the notebook's memory, character and story tabs, warnings-summarize under the list of
//               warnings, turn-summarize in a turn that was too long to send, which it then sends) · session-rule (a details
//               in the turn after which a session opens) ·
//               session-summary (in it)
// too long      turn-too-long (in a turn whose prompt no context has room for: data-status interrupted) with
//               turn-too-long-words · turn-summarize · turn-newest
// memory        tab-memory · memory-panel · memory-item (data-kind: event summary plot note; data-pinned, data-hidden) ·
//               memory-pin · memory-hide · memory-edit · memory-delete · turn-link (in the item) · memory-write ·
//               memory-form (memory-text, memory-detail, memory-save, memory-cancel) · memory-kind (data-kind: all, …) ·
//               memory-search · memory-more · memory-empty · memory-error · memory-elsewhere (how many hang on other
//               branches) · memory-recalled (what the newest prompt recalled; folded) with recalled-item
// embeddings    settings-embedding-connection (select: none, or a connection) · settings-embedding-test ·
//               settings-embedding-status (data-kind as connection-status) · in the panel's foot: embedding-count ·
//               embedding-begin · embedding-stop · embedding-error
// recall        recall-policy (select: always asked never) · recall-limit · recall-error · recall-expand (in the story's
//               settings)
// scribe        scribe-settings (a details in the notebook's story tab) with scribe-enabled · scribe-connection ·
//               scribe-cadence (select: every_turn some_turns eventful) · scribe-turns · scribe-from · scribe-task (what it
//               takes) · scribe-catch-up · scribe-progress · scribe-cancel · scribe-failed · in a turn: turn-noting (while it
//               reads) with scribe-stop · turn-noted (the note, folded) with turn-noted-took
// sheet         sheet-settings (a details in the notebook's story tab) with, for each text, {sheet,plot_summary}-on ·
//               -frozen · -lock · -scan, {sheet,plot}-messages · -words · -length · -max-tokens · -depth · -position · -prompt ·
//               -template, sheet-number-error, plot-driven (while locked) · in the persona and the plot tab: text-sheet,
//               text-plot_summary with {sheet,plot_summary}-enabled · sheet-text · sheet-update · sheet-pause · sheet-edit with
//               sheet-input · sheet-save · sheet-export · sheet-import · sheet-error · sheet-versions (a details) of
//               sheet-version with sheet-compare (sheet-difference) · sheet-restore · sheet-drawing (a details) of sheet-lane
// tree          tab-tree · tree-panel · tree-map (the picture: role tree) · tree-node (role treeitem; data-branch, data-turn,
//               data-bud; aria-current: where one is; Enter goes there) · tree-zoom-in · tree-zoom-out · tree-here · tree-card
//               (of the place that was clicked) with tree-card-point (a point of the outline that was finished there; a node
//               with one has data-point) · tree-others (replies without a future; a node with some has data-others) of
//               tree-other with tree-other-go · tree-name · tree-go · tree-branch · tree-compare · tree-delete ·
//               tree-bin (deleted branches, folded) with tree-bin-item · tree-bin-restore · tree-compare-dialog with
//               compare-fork · compare-state (data-part: persona plot world; data-same) · compare-row (data-turn) ·
//               compare-more · compare-close · in a turn: turn-name · turn-branch · turn-edit-where with turn-edit-branch ·
//               turn-edit-in-place (asked once, where the story has gone on) · settings-edit-as (select: ask, branch,
//               in_place) · branch-hint with branch-back (above the composer, where the head is amid a branch)
// taken out     tree-untold (in the tree's picture) · tree-card-untold · in a turn: turn-take-out · then turn-untold with turn-put-back, turn-fold (turn-unfold), of the last one
//               turn-delete
// save points   in the notebook's story tab: action-savepoint (opens savepoint-form: savepoint-name, savepoint-note,
//               savepoint-save, savepoint-cancel) · savepoint-item with savepoint-words · savepoint-state ·
//               savepoint-restore · savepoint-export · savepoint-delete
// devices       devices-set-up (a details) · devices-kind · devices-url · devices-bucket · devices-region · devices-folder ·
//               devices-user · devices-secret · devices-passphrase · devices-keep · devices-test · devices-start · devices-tried
//               and devices-status (data-kind) · devices-cors · devices-now · devices-older · devices-forget ·
//               devices-new-passphrase · devices-change · devices-stop · devices-wipe · devices-wipe-yes · devices-tree
// status bar    statusbar (above the composer; data-kind: plain asks runs off) · statusbar-plain with statusbar-entry
//               (data-key) · statusbar-fold · statusbar-consent with statusbar-look (opens what it can do),
//               statusbar-code, statusbar-allow · statusbar-frame (the iframe) · statusbar-revoke · statusbar-off (why
//               it was switched off) · statusbar-again · in the editors character-status-bar, background-status-bar
//               with statusbar-try, statusbar-example, statusbar-note
// search        nav-search · search-input · search-status · search-hit (a link) · search-error
//
// And how they behave: option texts of storyline-character and storyline-background are the names. The upper left corner
// of a storyline-item opens the story. turn-reply shows nothing but the reply; what went wrong is said within the turn.
// data-turn is the position: 0 is the opening, 1 the reader's first turn. swipe-count holds two numbers, the one seen and
// how many there are, and is not shown for a single reply. Enter in composer-input sends. import-error goes when another
// page is opened; a form in a dialog closes on Escape.

import { readFile } from 'node:fs/promises';

const HAN = /[\u4e00-\u9fff]/;

/** Milliseconds that a busy machine may take for anything. */
const PATIENCE = 30_000;

/** Calls `check` until it passes; its last failure is the failure. */
export async function eventually(check, timeout = PATIENCE) {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, 25));
    }
  }
}

export class App {
  #problems = [];
  #requests = [];

  constructor(page, url, allow = []) {
    this.page = page;
    this.url = url;
    this.allow = allow;
    this.messages = [];
    const context = page.context();
    context.setDefaultTimeout(PATIENCE);
    context.on('console', (message) => {
      this.messages.push(message.text());
      if (message.type() === 'error') this.#problems.push(message.text());
    });
    context.on('weberror', (error) => this.#problems.push(`${error.error()}`));
    context.on('request', (request) => this.#requests.push(request.url()));
  }

  /** Takes in what went wrong where the engine does not tell of it by itself. */
  async read() {
    this.#problems.push(...((await this.page.context().faults?.()) ?? []));
  }

  /** Console errors and uncaught exceptions that nobody expected. */
  unexpected() {
    return this.#problems.filter((problem) => !this.allow.some((allowed) => allowed.test(problem)));
  }

  /** Every address asked for, by any tab of this profile. */
  get requests() {
    return this.#requests;
  }

  /** The addresses asked for that are not the page's own. */
  foreign() {
    const { origin } = new URL(this.url);
    return this.#requests.filter((url) => /^https?:/.test(url) && new URL(url).origin !== origin);
  }

  // ------------------------------------------------------------------------------------------------ moving about

  async open(path = '') {
    await this.page.goto(new URL(path, this.url).href);
    await this.ready();
  }

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  ready() {
    return this.page.waitForFunction(() => document.documentElement.dataset.ready === '1');
  }

  /** All parts of the page have come, also those that nothing has asked for yet. */
  whole() {
    return this.page.waitForFunction(() => document.documentElement.dataset.whole === '1');
  }

  /** Another tab of the same profile, at the same place. */
  async tab() {
    const app = new App(await this.page.context().newPage(), this.url, this.allow);
    await app.open(this.page.url());
    return app;
  }

  id(name) {
    return this.page.getByTestId(name);
  }

  /** The one of several elements of this name that holds a text. */
  item(name, text) {
    return this.id(name).filter({ hasText: text });
  }

  /** To a page of the shell: storylines, characters, backgrounds, settings. Leaves an open dialog. */
  async go(where) {
    if (await this.page.locator('dialog[open], [aria-modal="true"]').filter({ visible: true }).count()) await this.page.keyboard.press('Escape');
    const link = this.id(`nav-${where}`);
    if (!(await link.isVisible())) {
      // On a phone another sheet may lie over the way to it.
      if (await this.page.locator('.scrim').filter({ visible: true }).count()) await this.page.keyboard.press('Escape');
      await this.id('shelf-open').click();
    }
    await link.click();
  }

  /** Opens a storyline from the list; its item has controls of its own, so the click goes to its corner. */
  async openStory(title = '') {
    await this.go('storylines');
    await this.item('storyline-item', title).first().click({ position: { x: 16, y: 16 } });
    await this.id('composer-input').waitFor();
  }

  /** A character as a file: `png`, `v2`, `v3` or `charx`. */
  async exportCharacter(name = '', form = 'v2') {
    const item = this.item('character-item', name).first();
    const choice = item.getByTestId(`character-export-${form}`);
    if (!(await choice.isVisible())) await this.press(item, 'character-export');
    return this.download(() => choice.click());
  }

  /** Presses a control in an item, which may show it only when hovered. */
  async press(item, name) {
    await item.hover();
    await item.getByTestId(name).click();
  }

  /** Gives a file to a control: a file input, a label around one, or a button that asks for one. */
  async upload(name, file) {
    const control = this.id(name).first();
    const within = control.locator('input[type=file]');
    if (await control.evaluate((element) => element.matches('input[type=file]'))) return control.setInputFiles(file);
    if (await within.count()) return within.setInputFiles(file);
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), control.click()]);
    return chooser.setFiles(file);
  }

  /** The bytes of the file that `press` downloads, and its name. */
  async download(press) {
    const [download] = await Promise.all([this.page.waitForEvent('download'), press()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  // ------------------------------------------------------------------------------------------------ making things

  async addConnection({ kind = 'openai', url, key, model = 'story-large', name = `My ${kind}`, keeping, passphrase, ...more }) {
    await this.go('settings');
    // The form is there where no connection is yet; else it is asked for.
    await this.id('connection-new').or(this.id('connection-kind')).first().waitFor();
    if (await this.id('connection-new').isVisible()) await this.id('connection-new').click();
    await this.id('connection-kind').selectOption(kind);
    await this.#fill('connection', { name, url, key, model, ...more });
    if (keeping) await this.id('vault-mode').selectOption(keeping);
    if (passphrase) await this.id('vault-passphrase').fill(passphrase);
    await this.id('connection-save').click();
    await this.item('connection-item', name).waitFor();
    if (await this.id('connection-reload').isVisible()) {
      await this.id('connection-reload').click();
      await this.ready();
    }
  }

  /** Writes the story whose writer has gone: by itself where its lock is free, else by the button. */
  takeOver() {
    return eventually(async () => {
      const offer = this.id('composer-takeover');
      if (await offer.isVisible()) await offer.click({ timeout: 5_000 });
      if (!(await this.id('composer-input').isVisible())) throw new Error('another tab writes still');
    });
  }

  /** That a turn stands out: for 1.6 s, so the page itself keeps watch. To be asked before what leads there. */
  stoodOut(turn) {
    return this.page.evaluate((turn) => new Promise((done, fail) => {
      const seen = new MutationObserver(() => {
        if (!document.querySelector(`.turn.found[data-turn="${turn}"]`)) return;
        seen.disconnect();
        done();
      });
      seen.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] });
      setTimeout(() => fail(new Error(`turn ${turn} never stood out`)), 30_000);
    }), turn);
  }

  async createCharacter({ name = '林夕', ...fields } = {}) {
    await this.go('characters');
    await this.id('character-new').click();
    await this.#fill('character', { name, ...fields });
    await this.id('character-save').click();
    await this.item('character-item', name).first().waitFor();
  }

  async createBackground({ name = '旧书店', ...fields } = {}) {
    await this.go('backgrounds');
    await this.id('background-new').click();
    await this.#fill('background', { name, ...fields });
    await this.id('background-save').click();
    await this.item('background-item', name).first().waitFor();
  }

  async createStoryline({ title = '雨夜', character = '林夕', background, preset = 'plain' } = {}) {
    await this.go('storylines');
    await this.id('storyline-new').click();
    await this.id('storyline-character').selectOption({ label: character });
    if (background) await this.id('storyline-background').selectOption({ label: background });
    await this.id('storyline-preset').selectOption(preset);
    await this.id('storyline-title').fill(title);
    await this.id('storyline-create').click();
    await this.id('composer-input').waitFor();
  }

  /** From nothing to a story that waits for the first line, played with `llm`. */
  async begin(llm, { connection = {}, character = {}, background, title, preset } = {}) {
    await this.addConnection({ url: llm.base(connection.kind ?? 'openai'), ...connection });
    await this.createCharacter(character);
    if (background) await this.createBackground(background);
    await this.createStoryline({ title, character: character.name, background: background?.name, preset });
  }

  async #fill(prefix, fields) {
    for (const [field, value] of Object.entries(fields)) {
      if (value !== undefined) await this.id(`${prefix}-${field.replaceAll('_', '-')}`).fill(String(value));
    }
  }

  // ------------------------------------------------------------------------------------------------ playing

  /** Says a line, and gives the number of its turn once the page shows it. */
  async send(text) {
    // Every story has its opening, so once a turn is there the story is; while one page gives way to another, none is.
    const before = await eventually(async () => {
      const numbers = await this.#turns();
      if (!numbers.length) throw new Error('the story is not there');
      return Math.max(...numbers);
    });
    await this.id('composer-input').fill(text);
    await this.id('composer-send').click();
    return eventually(async () => {
      const now = await this.lastTurn();
      if (now <= before) throw new Error(`after sending, the last turn is still ${before}`);
      return now;
    });
  }

  /** Says a line and waits for the end of the reply. */
  async play(text, status = 'done') {
    const number = await this.send(text);
    await this.waitStatus(number, status);
    return number;
  }

  async lastTurn() {
    return Math.max(0, ...(await this.#turns()));
  }

  #turns() {
    return this.id('turn').evaluateAll((turns) => turns.map((turn) => Number(turn.dataset.turn)));
  }

  /** A turn, and what is in it by name: `turn(3).id('turn-retry')`. */
  turn(number) {
    const root = this.page.locator(`[data-testid="turn"][data-turn="${number}"]`);
    const id = (name) => root.getByTestId(name);
    return { root, id, user: id('turn-user'), reply: id('turn-reply'), status: id('turn-status') };
  }

  /** Unfolds what the reply of a turn changed. */
  async unfold(number) {
    const changes = this.turn(number).id('turn-changes');
    await changes.waitFor();
    if ((await changes.getAttribute('open')) === null) await this.turn(number).id('turn-changes-open').click();
  }

  async waitStatus(number, status, timeout = PATIENCE) {
    const found = this.turn(number).root.locator(`[data-testid="turn-status"][data-status="${status}"]`);
    await found.waitFor({ state: 'attached', timeout }).catch(async (cause) => {
      const shown = await this.turn(number).root.innerText({ timeout: 500 }).catch(() => 'not on the page');
      throw new Error(`turn ${number} is not ${status}; it shows: ${shown}`, { cause });
    });
  }

  /** Stops a reply once there are some words of it. */
  async stopAmid(number, length = 20) {
    await this.replyGrows(number, length);
    await this.id('composer-stop').click();
    await this.waitStatus(number, 'interrupted');
  }

  async replyText(number) {
    return (await this.turn(number).reply.innerText()).trim();
  }

  async userText(number) {
    return (await this.turn(number).user.innerText()).trim();
  }

  /** Waits until a reply shows at least `length` characters, and gives what it shows. */
  async replyGrows(number, length = 1) {
    await this.turn(number).reply.waitFor();
    return eventually(async () => {
      const text = await this.replyText(number);
      if (text.length < length) throw new Error(`the reply shows ${text.length} of ${length} characters`);
      return text;
    });
  }

  /** Number of the reply seen and of all replies of a turn, as `swipe-count` says. */
  async swipes(number) {
    const count = this.turn(number).id('swipe-count');
    if (!(await count.isVisible())) return [1, 1];
    return (await count.innerText()).match(/\d+/g).map(Number);
  }

  /** The story as it is read: the opening, then the reader's words and the reply of each turn. */
  async story() {
    const turns = await this.id('turn').evaluateAll((all) =>
      all.map((turn) => {
        const text = (name) => turn.querySelector(`[data-testid="${name}"]`)?.innerText.trim() ?? null;
        return [Number(turn.dataset.turn), text('turn-user'), text('turn-reply')];
      }),
    );
    return turns.sort((a, b) => a[0] - b[0]);
  }

  // ------------------------------------------------------------------------------------------------ looking beneath

  /** Everything that this origin keeps: each database with its stores and records, and both kinds of storage. */
  stored() {
    return this.page.evaluate(async () => {
      const done = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const databases = {};
      for (const { name } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name));
        const stores = {};
        for (const store of database.objectStoreNames) {
          stores[store] = await done(database.transaction(store).objectStore(store).getAll());
        }
        database.close();
        databases[name] = stores;
      }
      const bytes = (_, value) =>
        value instanceof ArrayBuffer || ArrayBuffer.isView(value)
          ? Array.from(new Uint8Array(value.buffer ?? value), (byte) => String.fromCharCode(byte)).join('')
          : value;
      return JSON.parse(JSON.stringify({ databases, local: { ...localStorage }, session: { ...sessionStorage } }, bytes));
    });
  }

  /** Keeps everybody from reading or writing a store until the function that it gives is called. */
  async hold(store) {
    await this.page.evaluate(async (name) => {
      const open = indexedDB.open('fabula');
      await new Promise((done) => (open.onsuccess = done));
      const store = open.result.transaction(name, 'readwrite').objectStore(name);
      globalThis.held = true;
      const stay = () => {
        if (globalThis.held) store.get('nothing').onsuccess = stay;
        else open.result.close();
      };
      stay();
    }, store);
    return () => this.page.evaluate(() => (globalThis.held = false));
  }

  /** The records of one store of the story database. */
  async records(store) {
    return (await this.stored()).databases.fabula?.[store] ?? [];
  }

  /** The libraries and stories alone: what an import that was refused must leave as it was. */
  async library() {
    const { settings, vault, spending, ...stores } = (await this.kept()).databases.fabula ?? {};
    return stores;
  }

  /** Everything but what is made of the rest: the memory's index, and what it has yet to take in. */
  async kept() {
    const all = await this.stored();
    for (const store of ['due', 'postings', 'vectors']) delete all.databases.fabula?.[store];
    return all;
  }

  /** Writes records behind the page's back. */
  async put(store, ...records) {
    await this.page.evaluate(
      ([store, records]) =>
        new Promise((resolve, reject) => {
          const open = indexedDB.open('fabula');
          open.onerror = () => reject(open.error);
          open.onsuccess = () => {
            const transaction = open.result.transaction(store, 'readwrite');
            for (const record of records) transaction.objectStore(store).put(record);
            transaction.oncomplete = () => resolve(open.result.close());
            transaction.onerror = () => reject(transaction.error);
          };
        }),
      [store, records],
    );
  }

  /** The rectangle of what a name or a selector finds. */
  box(where) {
    const place = /[.#[]/.test(where) ? this.page.locator(where) : this.id(where);
    return place.first().boundingBox();
  }

  /** The words on the page, those of the language switch aside. */
  words() {
    return this.page.evaluate(() => {
      const copy = document.body.cloneNode(true);
      for (const element of copy.querySelectorAll('[data-testid="language-select"], script, style')) element.remove();
      return copy.textContent.replace(/\s+/g, ' ').trim();
    });
  }

  async speaksChinese() {
    return HAN.test(await this.words());
  }
}
