import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cluster } from '../../src/index.ts';
import { areas } from './areas/index.ts';
import { compare, type CompareOptions, type Outcome } from './compare.ts';
import { connectTo } from './connection.ts';
import type { Answer, Server } from './conversation.ts';
import { planJobs } from './plan.ts';
import { agreement, formatReport, makeReport } from './report.ts';
import { flowNames } from './side.ts';
import { startWebhookServers, type WebhookServers } from './webhook-server.ts';

const EVERYTHING = process.env['K8TS_EVERYTHING'] === '1';

describe('two clusters of k8ts', () => {
  let clusters: Cluster[];
  let servers: Server[];
  let webhooks: WebhookServers;

  beforeAll(async () => {
    clusters = await Promise.all(
      [1, 2].map(() => Cluster.start({ nodes: 0, addons: [], controllers: [], scheduler: false })),
    );
    servers = clusters.map(({ kubeconfig }) => connectTo(kubeconfig, '.'));
    webhooks = await startWebhookServers();
  });

  afterAll(async () => {
    webhooks.ours.close();
    webhooks.theirs.close();
    servers.forEach((server) => server.close());
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  });

  async function run(word: string, other: Server, requests: number, names: readonly string[] = []): Promise<Outcome[]> {
    const [ours] = servers as [Server];
    const options: CompareOptions = {
      ours: { server: ours, webhooks: webhooks.ours, flowNames: await flowNames(ours) },
      theirs: { server: other, webhooks: webhooks.theirs, flowNames: await flowNames(other) },
      ...{ word, ca: webhooks.ca, concurrency: 8, controllers: false },
    };
    return compare(planJobs({ seed: word, areas: names, kinds: [], requests }), options);
  }

  test('answer alike in every area', async () => {
    const report = makeReport(await run('alike', servers[1]!, EVERYTHING ? 3000 : 600));
    expect(formatReport({ ...report, counts: new Map() }, 5)).not.toMatch(/ × /);
    // Scenarios need controllers, and time.
    const quick = Object.keys(areas).filter((name) => name !== 'scenarios');
    expect([...report.counts.keys()].sort()).toEqual(quick.sort());
    expect(agreement(report.total)).toBe(100);
  });

  test('differ where one of them answers otherwise, and the difference is found', async () => {
    const altered = changing(
      servers[1]!,
      inText((text) =>
        text
          .replaceAll('"kind":"Status"', '"kind":"Status","odd":1')
          .replaceAll('must be no more than', 'may be at most'),
      ),
    );
    const report = makeReport(await run('altered', altered, 60, ['create']));
    expect(report.classes.map(({ path, what }) => `${path} ${what}`)).toContain('body.odd missing');
    expect(report.total.different).toBeGreaterThan(0);
    expect(report.total.identical).toBeGreaterThan(0);
    expect(formatReport(report, 5)).toMatch(/create body\.odd missing {2}\(.*\)\n {3}POST \/api/);
  });

  test('differ in headers, warnings and the events of watches', async () => {
    const more = changing(servers[1]!, (answer) => ({ ...answer, headers: { ...answer.headers, 'x-more': 'yes' } }));
    const report = makeReport(await run('headers', more, 10, ['selectors']));
    expect(report.classes.map(({ path }) => path)).toContain('headers.x-more');
    const deaf = changing(
      servers[1]!,
      inText((text) => text.replaceAll('{"type":"MODIFIED"', '{"type":"CHANGED"')),
    );
    const watches = makeReport(await run('watches', deaf, 20, ['watch']));
    expect(watches.classes.map(({ path }) => path)).toContain('body[].type');
  });
});

function changing(server: Server, change: (answer: Answer) => Answer): Server {
  return { send: async (request) => change(await server.send(request)), close: () => undefined };
}

function inText(change: (text: string) => string): (answer: Answer) => Answer {
  return (answer) => ({ ...answer, body: Buffer.from(change(answer.body.toString())) });
}
