// What may go wrong between a page and its storage. Passes everything on, but for the faults that a test orders:
//
//   proxy.fail({ method: 'PUT', match: '/turns/', status: 507, times: 2 });  // answers so (503, if nothing is said), and says `body`
//   proxy.cut({ match: /\.bin$/ });          // breaks off amid the upload of a PUT or POST, or else amid the answer
//   proxy.lose({ method: 'PUT', times: 1 }); // has it done, and breaks off in place of the answer
//   proxy.stale({ match: '/turns/' });       // from now on each listing is answered as it is the first time
//   proxy.delay(200);                        // every request waits so long (ms)
//   proxy.line({ mbit: 20, ms: 40 });        // a line of this width (Mbit/s each way), with this time there and back
//   proxy.clear();                           // an end to all of these
//
// `match` is a part of the address behind the host, spelled as it comes and with its query, or a pattern. Without `method`
// and `match` all are meant, without `times` until `clear`. Of two faults that fit, that which was ordered first happens.
//
// `proxy.requests` are those so far: { method, path, bytes, status, came }, with the bytes of their bodies and of the
// answers'; without a status, if the answer did not come whole. Preflights have no faults and are not among them.

import { createServer, request as ask } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { CORS } from './apache.mjs';

/** What is said of one connection, not of a request. */
const HOPS = ['connection', 'keep-alive', 'transfer-encoding'];

/** Stands before one that `startWebdav` or `startS3` gave. */
export async function startProxy(target) {
  const proxy = new Faulty(target.url);
  await proxy.listen();
  return proxy;
}

class Faulty {
  requests = [];
  #behind;
  #server;
  #faults = [];
  #delay = 0;
  #line;

  constructor(url) {
    this.#behind = new URL(url);
  }

  listen() {
    this.#server = createServer((incoming, response) => {
      // The server behind is gone, or the page is: no answer either way.
      this.#answer(incoming, response).catch(() => response.destroy());
    });
    return new Promise((done, fail) => {
      this.#server.once('error', fail).listen(0, '127.0.0.1', () => {
        this.url = `http://127.0.0.1:${this.#server.address().port}${this.#behind.pathname.replace(/\/$/, '')}`;
        done();
      });
    });
  }

  fail({ status = 503, body = 'as ordered', ...where } = {}) {
    this.#order({ kind: 'fail', status, body, ...where });
  }

  cut(where) {
    this.#order({ kind: 'cut', ...where });
  }

  lose(where) {
    this.#order({ kind: 'lose', ...where });
  }

  stale(where) {
    this.#order({ kind: 'stale', first: new Map(), ...where });
  }

  delay(ms) {
    this.#delay = ms;
  }

  line({ mbit, ms }) {
    this.#line = { bytes: (mbit * 1e6) / 8 / 1000, ms, up: 0, down: 0 };
  }

  clear() {
    this.#faults = [];
    this.#delay = 0;
    this.#line = undefined;
  }

  /** Waits as long as so many bytes take, behind those that are under way. */
  async #travel(way, bytes) {
    const line = this.#line;
    if (!line) return;
    const now = performance.now();
    line[way] = Math.max(now, line[way]) + bytes / line.bytes;
    await sleep(line[way] - now + line.ms / 2);
  }

  /** The server behind stays. */
  stop = () => new Promise((done) => (this.#server.close(done), this.#server.closeAllConnections()));

  #order({ match = '', times = Infinity, ...fault }) {
    const fits = (path) => (match instanceof RegExp ? match.test(path) : path.includes(match));
    this.#faults.push({ fits, left: times, ...fault });
  }

  async #answer(incoming, response) {
    const body = await whole(incoming);
    const { method, url: path, headers } = incoming;
    await this.#travel('up', body.length);
    if (method === 'OPTIONS' && 'access-control-request-method' in headers) {
      const answer = await this.#pass(incoming, body);
      await this.#travel('down', answer.body.length);
      return end(response, answer);
    }
    const request = { method, path, bytes: body.length };
    this.requests.push(request);
    const listing = isListing(incoming) && `${method} ${path} ${headers.depth}`;
    const fault = this.#faults.find(
      (each) => each.left > 0 && (each.method ?? method) === method && each.fits(path) && (each.kind !== 'stale' || listing),
    );
    if (fault && fault.kind !== 'stale') fault.left -= 1;
    if (this.#delay) await sleep(this.#delay, undefined, { ref: false });

    if (fault?.kind === 'cut' && ['PUT', 'POST'].includes(method)) {
      await this.#passHalf(incoming, body);
      return response.destroy();
    }
    const answer = await this.#come(incoming, body, fault, listing);
    if (fault?.kind === 'lose') return response.destroy();
    if (fault?.kind === 'cut') return cut(response, answer);
    await this.#travel('down', answer.body.length);
    Object.assign(request, { status: answer.status, came: answer.body.length });
    return end(response, answer);
  }

  /** The answer of the server behind, or what stands in its place. */
  #come(incoming, body, fault, listing) {
    // With CORS headers, or the page would see no status.
    if (fault?.kind === 'fail') return { status: fault.status, headers: CORS, body: Buffer.from(fault.body) };
    if (fault?.kind !== 'stale') return this.#pass(incoming, body);
    const first = fault.first.get(listing);
    if (first) fault.left -= 1;
    else fault.first.set(listing, this.#pass(incoming, body));
    return first ?? fault.first.get(listing);
  }

  /** Host and path go on as they came: S3 signs them. */
  #ask({ method, url: path, headers: came }, body) {
    const { hostname: host, port } = this.#behind;
    const headers = { ...without(came, HOPS), ...(body.length && { 'content-length': body.length }) };
    return ask({ host, port, method, path, headers, agent: false });
  }

  async #pass(incoming, body) {
    const request = this.#ask(incoming, body).end(body);
    const answer = await new Promise((done, fail) => request.once('response', done).once('error', fail));
    return { status: answer.statusCode, headers: without(answer.headersDistinct, HOPS), body: await whole(answer) };
  }

  async #passHalf(incoming, body) {
    const request = this.#ask(incoming, body).on('error', () => {});
    await new Promise((done) => request.write(half(body), done));
    request.destroy();
  }
}

/** WebDAV's of a folder and what is in it, or S3's. A PROPFIND of depth 0 asks of one file. */
const isListing = ({ method, url, headers }) =>
  method === 'PROPFIND' ? headers.depth !== '0' : method === 'GET' && /[?&]list-type=/.test(url);

const without = (headers, names) => Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
const half = (body) => body.subarray(0, body.length / 2);

async function whole(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Each on a connection of its own: where one that served before breaks off, a browser asks again by itself. */
const head = (response, { status, headers }) => response.writeHead(status, { ...headers, connection: 'close' });

function end(response, answer) {
  head(response, answer).end(answer.body);
}

/** Where there is no body to break off in, nothing comes. */
async function cut(response, answer) {
  if (answer.body.length) {
    head(response, answer).flushHeaders();
    await new Promise((done) => response.write(half(answer.body), done));
  }
  response.destroy();
}
