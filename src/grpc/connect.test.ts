import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { connectGrpc } from './connect.ts';
import { GrpcServer } from './serve.ts';

const CONTRACT = {
  package: 'test',
  descriptor: {
    nested: {
      test: {
        nested: {
          Echo: { methods: { Say: { requestType: 'Text', responseType: 'Text' } } },
          Text: { fields: { text: { type: 'string', id: 1 } } },
        },
      },
    },
  },
};

it.skipIf(process.platform !== 'linux')(
  'connects to a socket whose path is longer than the kernel allows',
  async () => {
    const short = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-grpc-'));
    const deep = path.join(short, 'x'.repeat(100));
    await fs.mkdir(deep);
    const server = new GrpcServer().add(CONTRACT, 'Echo', {
      say: ({ text }: { text: string }) => Promise.resolve({ text: `${text}!` }),
    });
    await fs.symlink(deep, path.join(short, 'd'));
    await server.listen(`unix://${path.join(short, 'd', 'echo.sock')}`);
    const open = async (): Promise<number> => (await fs.readdir('/proc/self/fd')).length;
    const before = await open();
    for (const endpoint of [path.join(deep, 'echo.sock'), `unix://${path.join(deep, 'echo.sock')}`]) {
      const connection = connectGrpc(endpoint);
      const echo = connection.service<{ say(request: object): Promise<object> }>(CONTRACT, 'Echo');
      expect(await echo.say({ text: 'hello' })).toEqual({ text: 'hello!' });
      connection.close();
      connection.close();
    }
    await expect.poll(open).toBe(before);
    server.close();
    await fs.rm(short, { recursive: true });
  },
);
