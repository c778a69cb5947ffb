/** Another implementation's opinion of headers, both ways: Node's client, which is nghttp2. */
import http2 from 'node:http2';
import { expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/seeded-random.ts';
import { VirtualClock } from '../../kernel/virtual-clock.ts';
import { Http2Connection } from './connection.ts';
import { duplexPair, OPTIONS } from './testing/peer.ts';

const visible = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter((char) =>
  /[\x21-\x7e\x80-\xff]/.test(char),
);

it('headers of all bytes arrive as they were sent, and go back', async () => {
  const [socket, serverSocket] = duplexPair();
  const connection = new Http2Connection(
    serverSocket,
    { clock: new VirtualClock(), ...OPTIONS },
    {
      begin(stream) {
        const { 'x-all': all, 'x-again': again } = stream.headers;
        stream.answer([':status', '200', 'x-all', all!], ['x-again', again!], Buffer.from(stream.field(':path')!));
      },
    },
  );
  const client = http2.connect('http://localhost', {
    createConnection: () => socket,
    settings: { headerTableSize: 100 },
  });
  const random = new SeededRandom('node');
  for (let i = 0; i < 100; i++) {
    const all =
      i === 0
        ? visible.join('')
        : `a${Array.from({ length: random.integer(100) }, () => visible[random.integer(visible.length)]!).join('')}`;
    const again = `token ${'t'.repeat(40)}${i % 3}`;
    const stream = client.request({ ':path': `/${i}`, 'x-all': all, 'x-again': again }, { endStream: true });
    // Newer versions of Node end a stream of a short answer before somebody who waits for its headers can read it.
    const body = stream.toArray();
    const answer = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) =>
      stream.once('response', resolve).once('error', reject),
    );
    expect([answer['x-all'], answer['x-again']]).toEqual([all, again]);
    expect(String(Buffer.concat(await body))).toBe(`/${i}`);
  }
  client.destroy();
  connection.destroy();
});
