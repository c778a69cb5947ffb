import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connectToRuntime, CriError, serveRuntime, type ImageService, type RuntimeService } from './index.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function connected(runtime: Partial<RuntimeService>, images: Partial<ImageService> = {}) {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'cri-'));
  const server = serveRuntime({ runtime: runtime as RuntimeService, images: images as ImageService });
  const socket = `unix://${directory}/cri.sock`;
  await server.listen(socket);
  const client = connectToRuntime(socket);
  endings.push(
    () => fs.rm(directory, { recursive: true }),
    () => server.close(),
    () => client.close(),
  );
  return client;
}

describe('CRI over a socket', () => {
  it('carries a call with nested messages, enums, maps and 64-bit numbers unchanged', async () => {
    const seen: unknown[] = [];
    const request = {
      config: {
        metadata: { name: 'web', uid: 'u1', namespace: 'default', attempt: 2 },
        labels: { app: 'web' },
        portMappings: [{ protocol: 'UDP' as const, containerPort: 53 }],
        linux: {
          resources: { memoryLimitInBytes: 2 ** 40 },
          securityContext: { seccomp: { profileType: 'Localhost' as const, localhostRef: 'a.json' } },
        },
      },
    };
    const client = await connected({
      runPodSandbox: async (received) => {
        seen.push(received);
        return { podSandboxId: 'abc' };
      },
    });
    expect(await client.runtime.runPodSandbox(request)).toEqual({ podSandboxId: 'abc' });
    expect(seen).toEqual([request]);
  });

  it('returns the code and the message that the runtime threw', async () => {
    const client = await connected({
      containerStatus: async () => {
        throw new CriError('NOT_FOUND', 'no such container');
      },
    });
    await expect(client.runtime.containerStatus({ containerId: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'no such container',
    });
    await expect(client.images.listImages({})).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  });

  it('streams events until the caller has enough, and ends the runtime’s side then', async () => {
    let ended = false;
    const client = await connected({
      getContainerEvents: async function* (_request, options) {
        try {
          for (const containerId of ['a', 'b'])
            yield { containerId, containerEventType: 'CONTAINER_STARTED_EVENT' as const };
          await new Promise((resolve) => options!.signal!.addEventListener('abort', resolve));
        } finally {
          ended = true;
        }
      },
    });
    const stop = new AbortController();
    const seen: (string | undefined)[] = [];
    for await (const event of client.runtime.getContainerEvents({}, { signal: stop.signal })) {
      seen.push(event.containerId);
      if (seen.length === 2) stop.abort();
    }
    expect(seen).toEqual(['a', 'b']);
    await expect.poll(() => ended).toBe(true);
  });
});
