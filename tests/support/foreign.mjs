// A server of somebody else: hears whatever is sent to it, over TCP and over UDP, and answers nothing of use.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * `requests`: first lines of what came over TCP. `packets`: how many came over UDP. `connections`: how many were opened,
 * whether anything was said on them or not.
 */
export async function foreign(t) {
  const heard = { requests: [], packets: 0, connections: 0 };
  const sockets = new Set();
  const tcp = createServer((socket) => {
    heard.connections += 1;
    sockets.add(socket);
    socket.on('data', (bytes) => {
      heard.requests.push(bytes.toString('latin1').split('\r\n')[0]);
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx');
    });
    socket.on('error', () => {});
  });
  const udp = createSocket('udp4');
  udp.on('message', () => (heard.packets += 1));
  await new Promise((done) => tcp.listen(0, '127.0.0.1', done));
  await new Promise((done) => udp.bind(0, '127.0.0.1', done));
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    tcp.close();
    udp.close();
  });
  heard.origin = `http://127.0.0.1:${tcp.address().port}`;
  heard.stun = `stun:127.0.0.1:${udp.address().port}`;
  return heard;
}
