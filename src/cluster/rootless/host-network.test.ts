/** Both sides of the protocol, with a real child process: handles cannot be sent within one. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { transformSync } from 'esbuild';
import { afterEach, expect, test } from 'vitest';
import { serveHostNetwork } from './serve-host-network.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-host-network-'));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const CHILD = `
import { connectHostNetwork } from './host-network.mjs';
const network = connectHostNetwork();
const taken = Number(process.argv[2]);
const { port } = await network.listen({ host: '127.0.0.1', port: 0 }, (socket) => socket.end('from inside'));
const refused = await network.listen({ host: '127.0.0.1', port: taken }, () => {}).catch((error) => error);
const socket = await network.connect({ host: 'localhost', port: taken });
let got = '';
for await (const piece of socket) got += piece;
const nobody = await network.connect({ host: '127.0.0.1', port: 1 }).catch((error) => error);
process.send({ port, got, refused: [refused.code, refused.port], nobody: nobody.code });
`;

test('a process inside listens and connects on the network outside', async () => {
  const source = fs.readFileSync(path.join(import.meta.dirname, 'host-network.ts'), 'utf8');
  fs.writeFileSync(path.join(folder, 'host-network.mjs'), transformSync(source, { loader: 'ts' }).code);
  fs.writeFileSync(path.join(folder, 'child.mjs'), CHILD);
  const server = net.createServer((socket) => socket.end('from outside')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as net.AddressInfo;
  const child = fork(path.join(folder, 'child.mjs'), [String(taken)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  serveHostNetwork(child);
  try {
    const result = await new Promise<{ port: number; got: string; refused: unknown[]; nobody: string }>((resolve) =>
      child.on('message', (message: { port?: number }) => message.port !== undefined && resolve(message as never)),
    );
    expect(result).toMatchObject({
      got: 'from outside',
      refused: ['EADDRINUSE', taken],
      nobody: 'ECONNREFUSED',
    });
    expect(await text(net.connect(result.port, '127.0.0.1'))).toBe('from inside');
    child.kill();
    await once(child, 'exit');
    await expect
      .poll(() =>
        once(net.connect(result.port, '127.0.0.1'), 'connect').then(
          () => 'connected',
          (error: NodeJS.ErrnoException) => error.code,
        ),
      )
      .toBe('ECONNREFUSED');
  } finally {
    child.kill('SIGKILL');
    server.close();
  }
});
