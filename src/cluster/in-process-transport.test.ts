import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { ADMIN } from './identities.ts';
import { inProcessTransport } from './in-process-transport.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

/** A client, and how many of its watches the server is still delivering. */
function countingClient(): { client: Client; delivering: () => number } {
  const { signal, clock } = server.ctx;
  let delivering = 0;
  const transport = inProcessTransport({
    user: ADMIN,
    signal,
    handle: async (request) => {
      const response = await server.pipeline.handle(request);
      const { result } = response;
      if (result?.type !== 'watch') return response;
      const deliver: typeof result.deliver = (sink) => {
        delivering++;
        return result.deliver(sink).finally(() => delivering--);
      };
      return { ...response, result: { ...result, deliver } };
    },
  });
  return { client: new Client({ transport, clock }), delivering: () => delivering };
}

it('ends the watch on the server when the reader leaves its loop', async () => {
  const { client, delivering } = countingClient();
  const seen: (string | undefined)[] = [];
  for await (const { object } of client.resource('v1/namespaces').watch()) {
    seen.push(object.metadata.name);
    expect(delivering()).toBe(1);
    break;
  }
  expect(seen).toHaveLength(1);
  await server.ctx.clock.settle();
  expect(delivering()).toBe(0);
});
