import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { loadSchedulerConfiguration } from '../config/load-configuration.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../testing/index.ts';

let fixture: SchedulerFixture | undefined;
let server: http.Server | undefined;

afterEach(async () => {
  await fixture?.stop();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  fixture = server = undefined;
});

type Answers = Record<
  string,
  (body: { Nodes?: { items: { metadata: { name: string } }[] }; NodeNames?: string[] }) => unknown
>;

async function withExtender(answers: Answers, options: string): Promise<SchedulerFixture> {
  server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[request.url!.slice(1)];
      if (answer === undefined) response.writeHead(500).end();
      else
        response.end(
          JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString()) as Parameters<typeof answer>[0])),
        );
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = loadSchedulerConfiguration(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: false }
extenders:
- { urlPrefix: 'http://127.0.0.1:${port}', ${options} }
`);
  fixture = await startSchedulerFixture({ config });
  await fixture.start();
  for (const name of ['a', 'b', 'c']) await fixture.createNode(makeNode(name));
  return fixture;
}

test('rules nodes out, and its points decide among the rest', async () => {
  const { createPod, placed } = await withExtender(
    {
      filter: ({ Nodes }) => ({
        Nodes: { items: Nodes!.items.filter((n) => n.metadata.name !== 'c') },
        FailedNodes: { c: 'the extender does not like c' },
      }),
      prioritize: ({ Nodes }) =>
        Nodes!.items.map((n) => ({ Host: n.metadata.name, Score: n.metadata.name === 'b' ? 10 : 0 })),
    },
    'filterVerb: filter, prioritizeVerb: prioritize, weight: 10',
  );
  await createPod(makePod('p'));
  expect(await placed('p')).toBe('b');
});

test('its reasons are part of the message', async () => {
  const { createPod, turnedDown } = await withExtender(
    {
      filter: ({ NodeNames }) => ({
        nodeNames: [],
        failedAndUnresolvableNodes: Object.fromEntries(NodeNames!.map((n) => [n, 'not today'])),
      }),
    },
    'filterVerb: filter, nodeCacheCapable: true',
  );
  await createPod(makePod('p'));
  expect(await turnedDown('p')).toMatch(/^0\/3 nodes are available: 3 not today\./);
});

test('that fails is skipped if it is ignorable', async () => {
  const { createPod, placed } = await withExtender({}, 'filterVerb: filter, ignorable: true');
  await createPod(makePod('p'));
  expect(await placed('p')).toMatch(/^[abc]$/);
});

test('is called only for pods with its resources', async () => {
  const { createPod, placed } = await withExtender(
    { filter: () => ({ NodeNames: [], FailedNodes: {} }) },
    "filterVerb: filter, managedResources: [{ name: 'example.com/x' }]",
  );
  await createPod(makePod('p'));
  expect(await placed('p')).toMatch(/^[abc]$/);
});
