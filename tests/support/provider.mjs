// A model provider that says what a test tells it to, over real HTTP, in three protocols.
//
//   const llm = await startProvider({ key: 'sk-1' });
//   llm.script('All at once.', { text: 'Slowly.', rate: 50 }, { status: 429, retryAfter: 17 });
//   llm.on((request) => ({ text: `You said ${request.user}` }));      // once the script is used up
//   const request = await llm.next();                                 // the next chat request
//
// Or by hand, to try the page without a model: node tests/support/provider.mjs 9090 --rate 50

import { createServer } from 'node:http';
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { anthropic } from './provider/anthropic.mjs';
import { gemini } from './provider/gemini.mjs';
import { openai } from './provider/openai.mjs';

export const PROTOCOLS = { openai, anthropic, gemini };

/**
 * What to do with one chat request. A plain string is `{ text }`; a function of the request gives a plan.
 *
 * What is said:   text | pieces | tokens (lists are sent piece by piece), reasoning, reasoningStyle, usage, finish, empty,
 *                 calls (a tool is called), amid: { n: data } (events of other data, each before the n-th piece)
 * How it comes:   rate (tokens a second; without it as fast as possible), atOnce (one write),
 *                 cutEvery: n | cutBytes: [offsets] (cuts the bytes, inside characters too)
 * When it waits:  hold (before the head, until release()), holdAfter: n (after n tokens, until release())
 * How it breaks:  stallAfter: n, dropAfter: n, errorAmid: n (each after n tokens), noDone (no end mark)
 * Instead of it:  status, errorMessage, errorBody, retryAfter, html (a page with status 200)
 * Its head:       headers, contentType (a lie), cors: false (no CORS headers on this answer), expose: false
 * @typedef {object | string | ((request: object) => object | string | Promise<object | string>)} Plan
 */

/** Cuts a text into pieces about the size of tokens. Joined they give the text. */
export function tokenize(text) {
  return text.match(/[\u2e80-\u9fff\uff00-\uffef]|\s?[^\s\u2e80-\u9fff\uff00-\uffef]{1,5}|\s/gu) ?? [];
}

/** Tokens of a text as a vocabulary of our day counts them: most of one for a CJK character, one for four or five letters. */
export function counted(text) {
  let tokens = 0;
  for (const char of text) tokens += char > '\u2e7f' ? 0.7 : 0.22;
  return Math.ceil(tokens);
}

/** The reply where no plan says otherwise: the same for the same number and input. */
export function echo(request) {
  const said = String(request.user ?? '').slice(0, 200);
  return `Reply ${request.number}. 灯下的书翻到第 ${request.number} 页。 The rain had stopped. You said: ${said}`;
}

/**
 * @param {object} options
 *   key: what a request must carry · corsOnWrongKey: false for no CORS headers then, as OpenAI does
 *   cors: 'reflect' | 'static' | 'wildcard' | 'none', how preflights are answered
 *   embeddings: 'good' | 'down' | 'slow' | 'other' | 'nonsense'
 *   refuses: what is said to a chat request that has a field of this name; `prefill`: one that ends with the model's words
 *   models: names offered · prices: of models, by name · anyModel: take names beyond them · plan: the default plan
 */
export async function startProvider(options = {}) {
  const provider = new Provider(options);
  await provider.listen(options.port ?? 0);
  return provider;
}

class Provider {
  requests = [];
  preflights = [];
  canary = [];
  #options;
  #script = [];
  #handler;
  #server;
  #taken = 0;
  #arrivals = new Set();
  #held = [];
  #permits = 0;

  constructor(options) {
    this.#options = { cors: 'reflect', corsOnWrongKey: true, models: ['story-large', 'story-small'], plan: echo, ...options };
  }

  listen(port) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        if (error.code !== 'ERR_STREAM_DESTROYED') console.error('provider:', error);
        response.destroy();
      });
    });
    return new Promise((done, fail) => {
      this.#server.once('error', fail).listen(port, '127.0.0.1', () => {
        this.origin = `http://127.0.0.1:${this.#server.address().port}`;
        done();
      });
    });
  }

  /** The base address that a person would enter for this kind of connection. */
  base(kind) {
    return this.origin + PROTOCOLS[kind].base;
  }

  /** Plans for the chat requests to come, one each. */
  script(...plans) {
    this.#script.push(...plans.flat());
  }

  /** The plan for every chat request that the script has none for. */
  on(handler) {
    this.#handler = handler;
  }

  /** Changes options amid a test: `set({ cors: 'none' })`. */
  set(options) {
    Object.assign(this.#options, options);
  }

  /** The chat requests so far. */
  chat() {
    return this.requests.filter((request) => request.kind === 'chat');
  }

  /** The next chat request that `next` has not given out yet; waits for it. */
  async next(timeout = 30_000) {
    const deadline = Date.now() + timeout;
    while (this.chat().length <= this.#taken) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`no chat request within ${timeout} ms`);
      let arrived;
      const arrival = new Promise((done) => this.#arrivals.add((arrived = done)));
      const timer = new AbortController();
      await Promise.race([arrival, sleep(left, undefined, { signal: timer.signal })]);
      timer.abort();
      this.#arrivals.delete(arrived);
    }
    return this.chat()[this.#taken++];
  }

  /** Lets one waiting answer go on, or the next that comes to wait. */
  release() {
    const held = this.#held.shift();
    if (held) held();
    else this.#permits += 1;
  }

  close() {
    return new Promise((done) => (this.#server.close(done), this.#server.closeAllConnections()));
  }

  async #answer(incoming, response) {
    const url = new URL(incoming.url, this.origin);
    const path = url.pathname;
    if (path.startsWith('/canary')) {
      this.canary.push({ method: incoming.method, url: incoming.url, headers: incoming.headers });
      return response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' }).end();
    }
    const [name, protocol] = recognise(path, incoming.headers);
    if (incoming.method === 'OPTIONS') return this.#preflight(path, protocol, incoming.headers, response);

    const request = await this.#record(incoming, url, name, protocol);
    response.on('error', () => {});
    response.on('close', () => {
      request.aborted = !response.writableFinished;
      request.settle();
    });
    const plan = await this.#plan(request, protocol);
    const head = { ...this.#cors(incoming.headers, plan), ...plan.headers };
    if (request.kind === 'embeddings') return this.#embed(request, protocol, head, response);
    if (plan.hold) await this.#gate(response);
    if (plan.status || plan.html) return refuse(response, protocol, plan, head);
    if (request.kind !== 'chat') {
      return send(response, 200, { ...head, 'content-type': 'application/json' }, protocol.models(this.#options.models, this.#options.prices));
    }
    response.writeHead(200, { ...head, 'content-type': plan.contentType ?? 'text/event-stream; charset=utf-8' });
    await this.#stream(response, request, protocol, plan);
  }

  async #record(incoming, url, protocol, how) {
    const { isChat, isModels, isEmbeddings, user } = how;
    const at = performance.now();
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const kind = isChat(url.pathname)
      ? 'chat'
      : isModels(url.pathname)
        ? 'models'
        : isEmbeddings?.(url.pathname)
          ? 'embeddings'
          : 'other';
    const { method, headers } = incoming;
    const number = kind === 'chat' ? this.chat().length + 1 : 0;
    const request = { number, protocol, kind, method, path: url.pathname, url: incoming.url, headers, text, body: parse(text), at };
    request.user = user(request);
    request.closed = new Promise((done) => (request.settle = done));
    this.requests.push(request);
    if (kind === 'chat') for (const arrived of this.#arrivals) arrived();
    return request;
  }

  /** The plan for a request: refusals that its own head asks for come first. */
  async #plan(request, protocol) {
    const { key, corsOnWrongKey, models, anyModel, plan, refuses = {} } = this.#options;
    const refused = protocol.refusal?.(request.headers);
    if (refused) return { status: refused.status, errorMessage: refused.message };
    if (key !== undefined && protocol.key(request.headers) !== key) {
      return { status: protocol.wrongKey.status, errorMessage: protocol.wrongKey.message, cors: corsOnWrongKey };
    }
    if (request.kind === 'other') return { status: 404, html: true, errorBody: '404 page not found', contentType: 'text/plain' };
    const field = request.kind === 'chat' && Object.keys(refuses).find((name) => name in request.body || (name === 'prefill' && request.body.messages?.at(-1)?.role === 'assistant'));
    if (field) return { status: 400, errorMessage: refuses[field] };
    if (request.kind === 'models' || request.kind === 'embeddings') return {};
    const model = protocol.model(request);
    if (!anyModel && !models.includes(model)) return { status: 404, errorMessage: `The model ${model} does not exist.` };
    let step = this.#script.length ? this.#script.shift() : (this.#handler ?? plan);
    if (typeof step === 'function') step = await step(request);
    return typeof step === 'string' ? { text: step } : step;
  }

  /** Vectors of the texts, or what `embeddings` says instead: down, slow (12 s), other (dimension), nonsense. */
  async #embed(request, protocol, head, response) {
    const mode = this.#options.embeddings ?? 'good';
    const json = { ...head, 'content-type': 'application/json' };
    if (mode === 'down') return send(response, 503, json, protocol.error(503, 'The server is overloaded'));
    if (mode === 'nonsense') return send(response, 200, json, protocol.embeddings(request.body.input.map(() => ['x', null])));
    if (mode === 'slow') await sleep(12_000);
    return send(response, 200, json, protocol.embeddings(request.body.input.map((text) => vector(text, mode === 'other' ? 48 : 64))));
  }

  #preflight(path, protocol, headers, response) {
    const asked = headerList(headers['access-control-request-headers']);
    this.preflights.push({ path, headers: asked, at: performance.now() });
    const { cors } = this.#options;
    if (cors === 'none') return response.writeHead(204).end();
    if (cors === 'static' && asked.some((name) => !protocol.allowHeaders.includes(name))) {
      return response.writeHead(403).end();
    }
    const allowed = { reflect: asked, static: protocol.allowHeaders, wildcard: ['*', 'authorization'] }[cors];
    response.writeHead(204, {
      ...this.#cors(headers, {}),
      'access-control-allow-headers': allowed.join(', '),
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-private-network': 'true',
      'access-control-max-age': '0',
    });
    response.end();
  }

  #cors({ origin }, plan) {
    const retry = plan.retryAfter === undefined ? {} : { 'retry-after': String(plan.retryAfter) };
    if (!origin || plan.cors === false || this.#options.cors === 'none') return retry;
    const allowed = this.#options.cors === 'reflect' ? origin : '*';
    const exposed = plan.expose === false ? {} : { 'access-control-expose-headers': 'retry-after' };
    return { ...retry, ...exposed, 'access-control-allow-origin': allowed, vary: 'origin' };
  }

  async #stream(response, request, protocol, plan) {
    const pieces = plan.empty ? [] : (plan.pieces ?? plan.tokens ?? tokenize(plan.text ?? echo(request)));
    const usage = { prompt: counted(request.text), completion: pieces.length, ...plan.usage };
    const before = [protocol.begin(request, plan, usage)];
    if (plan.reasoning !== undefined) {
      const thoughts = Array.isArray(plan.reasoning) ? plan.reasoning : tokenize(plan.reasoning);
      before.push(...protocol.reasoning(request, thoughts, plan.reasoningStyle));
    }
    if (plan.calls) before.push(protocol.call(request));
    const amid = (at) => (plan.amid?.[at] === undefined ? '' : `data: ${plan.amid[at]}\n\n`);
    const text = pieces.map((piece, at) => amid(at) + protocol.text(request, piece, plan));
    const after = protocol.end(request, plan, usage);

    if (plan.atOnce) return response.end([...before, ...text, ...after].join(''));
    if (plan.cutEvery || plan.cutBytes) {
      return writeCut(response, request, Buffer.from([...before, ...text, ...after].join('')), plan);
    }
    for (const wire of before) await write(response, request, wire);
    const start = performance.now();
    for (let sent = 0; sent <= text.length; sent += 1) {
      if (plan.holdAfter === sent) await this.#gate(response);
      if (plan.stallAfter === sent) return request.closed;
      if (plan.dropAfter === sent) return response.destroy();
      if (plan.errorAmid === sent) return response.end(protocol.errorAmid(plan.errorMessage ?? 'The server had an error'));
      if (sent === text.length) break;
      if (plan.rate) {
        const wait = start + (sent * 1000) / plan.rate - performance.now();
        if (wait > 1) await sleep(wait);
      }
      if (response.destroyed) return undefined;
      await write(response, request, text[sent]);
    }
    return response.end(after.join(''));
  }

  async #gate(response) {
    if (this.#permits > 0) {
      this.#permits -= 1;
      return;
    }
    await new Promise((done) => {
      this.#held.push(done);
      response.on('close', () => {
        this.#held = this.#held.filter((held) => held !== done);
        done();
      });
    });
  }
}

/** Texts that share pairs of characters have vectors that are alike. */
export function vector(text, dimension) {
  const numbers = Array(dimension).fill(0.01);
  const chars = [...text];
  chars.forEach((char, at) => {
    const pair = (char.codePointAt(0) * 31 + (chars[at + 1]?.codePointAt(0) ?? 0)) >>> 0;
    numbers[pair % dimension] += 1;
  });
  return numbers;
}

/** Anthropic and OpenAI share `/v1/models`: there the headers, or those a preflight asks for, tell. */
function recognise(path, headers) {
  const asked = headerList(headers['access-control-request-headers']);
  const speaksAnthropic = 'anthropic-version' in headers || asked.includes('anthropic-version');
  const name = path.startsWith('/v1beta') ? 'gemini' : path.endsWith('/messages') || speaksAnthropic ? 'anthropic' : 'openai';
  return [name, PROTOCOLS[name]];
}

function refuse(response, protocol, plan, head) {
  if (plan.html) {
    const page = plan.errorBody ?? '<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>';
    return send(response, plan.status ?? 200, { ...head, 'content-type': plan.contentType ?? 'text/html' }, page);
  }
  const body = plan.errorBody ?? protocol.error(plan.status, plan.errorMessage ?? `scripted error ${plan.status}`);
  return send(response, plan.status, { ...head, 'content-type': plan.contentType ?? 'application/json' }, body);
}

function send(response, status, headers, body) {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Writes and waits until the operating system has it, so that each call is a packet of its own, or the reader left. */
function write(response, request, wire) {
  return wire && Promise.race([new Promise((done) => response.write(wire, () => done())), request.closed]);
}

async function writeCut(response, request, bytes, { cutEvery, cutBytes }) {
  const cuts = cutBytes ?? Array.from({ length: Math.ceil(bytes.length / cutEvery) - 1 }, (_, at) => (at + 1) * cutEvery);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    if (response.destroyed) return;
    await write(response, request, bytes.subarray(from, to));
    await (cuts.length < 400 ? sleep(1) : tick());
    from = to;
  }
  response.end();
}

const headerList = (line) => (line ? line.split(',').map((name) => name.trim().toLowerCase()) : []);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port = '9090', ...flags] = process.argv.slice(2);
  const flag = (name) => flags[flags.indexOf(`--${name}`) + 1] ?? undefined;
  const has = (name) => flags.includes(`--${name}`);
  const provider = await startProvider({
    port: Number(port),
    anyModel: true,
    key: has('key') ? flag('key') : undefined,
    cors: has('cors') ? flag('cors') : 'reflect',
    plan: (request) => ({ text: echo(request), rate: has('rate') ? Number(flag('rate')) : 30 }),
  });
  for (const kind of Object.keys(PROTOCOLS)) console.log(`${kind.padEnd(10)} ${provider.base(kind)}`);
}
