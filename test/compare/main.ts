/** `npm run compare`: see docs/compare.md. */
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { areas } from './areas/index.ts';
import { compare, type CompareOptions, type Job, type Outcome } from './compare.ts';
import { connectTo, connectToFile } from './connection.ts';
import type { Server } from './conversation.ts';
import { coverageOf, formatCoverage } from './coverage.ts';
import { planJobs } from './plan.ts';
import { agreement, formatReport, makeReport } from './report.ts';
import { flowNames } from './side.ts';
import { startWebhookServers } from './webhook-server.ts';

const OWED_PERCENT = 99.7;

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    kubeconfig: { type: 'string' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: '' },
    areas: { type: 'string', default: '' },
    conversation: { type: 'string' },
    requests: { type: 'string', default: '2000' },
    concurrency: { type: 'string', default: '6' },
    everything: { type: 'boolean', default: false },
    show: { type: 'string', default: '40' },
    json: { type: 'string' },
  },
});
if (values.against === undefined) {
  console.error(`usage: npm run compare -- --against KUBECONFIG [--kubeconfig OURS] [--seed S] [--areas A,B] [--kinds K,L]
       [--requests N] [--conversation AREA/INDEX] [--concurrency N] [--show N] [--json FILE] [--everything]
areas: ${Object.keys(areas).join(', ')}`);
  process.exit(2);
}

const theirs = connectToFile(values.against);
const controllers = await hasControllers(theirs);
const { server: ours, stop } =
  values.kubeconfig === undefined
    ? await startOwn(controllers)
    : { server: connectToFile(values.kubeconfig), stop: () => Promise.resolve() };
const webhooks = await startWebhookServers();
let code = 1;
try {
  const outcomes = await run();
  const report = makeReport(outcomes);
  console.log(formatReport(report, Number(values.show)));
  if (values.conversation === undefined) console.log(`\n${formatCoverage(coverageOf(planned(), values.everything))}`);
  if (values.json !== undefined)
    fs.writeFileSync(
      values.json,
      JSON.stringify(
        outcomes.filter((outcome) => outcome.differences.length > 0),
        null,
        1,
      ),
    );
  code = agreement(report.total) >= OWED_PERCENT ? 0 : 1;
} finally {
  webhooks.ours.close();
  webhooks.theirs.close();
  ours.close();
  theirs.close();
  await stop();
}
process.exit(code);

function planned(): Job[] {
  return planJobs({
    seed: values.seed,
    areas: list(values.areas),
    kinds: list(values.kinds),
    requests: Number(values.requests),
    everything: values.everything,
    controllers,
    ...(values.conversation === undefined ? {} : { only: values.conversation }),
  });
}

async function run(): Promise<Outcome[]> {
  let done = 0;
  const options: CompareOptions = {
    ours: { server: ours, webhooks: webhooks.ours, flowNames: await flowNames(ours) },
    theirs: { server: theirs, webhooks: webhooks.theirs, flowNames: await flowNames(theirs) },
    word: await freeWord(values.seed),
    ca: webhooks.ca,
    concurrency: Number(values.concurrency),
    controllers,
    onOutcome: () => {
      if (++done % 1000 === 0) console.error(`${done} requests`);
    },
  };
  return compare(planned(), options);
}

function list(text: string): string[] {
  return text.split(',').filter((word) => word !== '');
}

/** The first word of this seed of which neither server has anything from an earlier run. */
async function freeWord(seed: string): Promise<string> {
  for (let n = 0; ; n++) {
    const word = `s${seed.toLowerCase().replace(/[^a-z0-9]/g, '')}n${n}`;
    const answers = await Promise.all(
      [ours, theirs].map((server) => send(server, 'POST', '/api/v1/namespaces', { metadata: { name: `ns-${word}` } })),
    );
    if (answers.every((status) => status === 201)) return word;
  }
}

/** Controllers are part of both clusters or of none: what they write would differ. */
async function hasControllers(server: Server): Promise<boolean> {
  const name = `compare-${Date.now().toString(36)}`;
  await send(server, 'POST', '/api/v1/namespaces', { metadata: { name } });
  for (let tries = 0; tries < 20; tries++) {
    if ((await send(server, 'GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)) === 200) {
      await send(server, 'DELETE', `/api/v1/namespaces/${name}`);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function send(server: Server, method: string, path: string, body?: unknown): Promise<number> {
  const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  return (
    await server.send({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    })
  ).status;
}

/** Like the other control plane: no nodes, no addons. */
async function startOwn(withControllers: boolean): Promise<{ server: Server; stop: () => Promise<void> }> {
  const { Cluster } = await import('../../src/index.ts');
  const cluster = await Cluster.start({
    nodes: 0,
    addons: [],
    tracing: false,
    ...(withControllers ? {} : { controllers: [], scheduler: false }),
    ...(values.everything
      ? { runtimeConfig: { 'api/all': 'true' }, featureGates: { AllAlpha: 'true', AllBeta: 'true' } }
      : {}),
  });
  return { server: connectTo(cluster.kubeconfig, '.'), stop: () => cluster.stop() };
}
