/** What one open console costs a cluster of 5,000 simulated nodes and 150,000 pods at rest, measured in turns with none open. */
import v8 from 'node:v8';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../src/kernel/testing/index.ts';
import { openBrowser, startConsoleFixture, type ConsoleFixture } from './console-fixture.ts';
import { everything, requires } from './requires.ts';

const SIZE = { nodes: 5000, podsOfANode: 30 };
const HEAP_BYTES = 7 * 1024 ** 3;
const missing = !everything
  ? 'only with K8TS_EVERYTHING=1'
  : v8.getHeapStatistics().heap_size_limit < HEAP_BYTES
    ? 'needs NODE_OPTIONS=--max-old-space-size=8192'
    : requires('chromium');
const MAX_LOAD = 0.02;
const REST_MS = 20_000;
const TURNS = 3;
const AT_ONCE = 200;
const LIMITS = { limitMs: 900_000, intervalMs: 2000 };

describe.skipIf(missing)(`one console of a large cluster${missing ? ` (${missing})` : ''}`, () => {
  let fixture: ConsoleFixture;
  let browser: Browser;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startConsoleFixture({ nodes: SIZE.nodes }), openBrowser()]);
    const pods = fixture.cluster.client.resource('v1/pods');
    const names = fixture.cluster.nodes;
    const wanted = names.flatMap((nodeName) =>
      Array.from({ length: SIZE.podsOfANode }, (_, i) => ({ nodeName, name: `web-${nodeName}-${i}` })),
    );
    while (wanted.length > 0)
      await Promise.all(
        wanted.splice(-AT_ONCE).map(({ nodeName, name }) =>
          pods.create({
            metadata: { namespace: 'default', name, labels: { app: 'web' } },
            spec: { nodeName, containers: [{ name: 'main', image: 'web:1' }] },
          }),
        ),
      );
    await until(
      'all pods run',
      async () => {
        const { items } = await pods.list({ namespace: 'default', fieldSelector: 'status.phase!=Running', limit: 1 });
        return items.length === 0;
      },
      LIMITS,
    );
  }, 1_200_000);
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  }, 120_000);

  /** Of a core, while nobody changes anything; the browser is another process. */
  async function loadAtRest(): Promise<number> {
    const before = process.cpuUsage();
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (performance.now() - from);
  }

  const pods = SIZE.nodes * SIZE.podsOfANode;
  it.each([
    ['#/cluster', `document.querySelector('.legend')?.textContent.includes('${pods} running')`],
    ['#/objects/pods', `document.querySelector('.list .count')?.textContent === '${pods}'`],
  ])(
    'costs next to nothing at rest: %s',
    async (hash, isWhole) => {
      const loads = { without: [] as number[], with: [] as number[] };
      for (let turn = 0; turn < TURNS; turn++) {
        loads.without.push(await loadAtRest());
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await page.goto(fixture.console.createLink());
        await page.waitForSelector('.page');
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        await page.waitForFunction(isWhole, { timeout: 120_000 });
        // What was read at the opening is collected before the rest is measured.
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        loads.with.push(await loadAtRest());
        await context.close();
      }
      const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(TURNS / 2)]!;
      const cost = median(loads.with) - median(loads.without);
      const texts = (values: readonly number[]): string => values.map((load) => (load * 100).toFixed(2)).join(', ');
      console.info(
        `${hash}: ${(cost * 100).toFixed(2)} % of a core (with ${texts(loads.with)}; without ${texts(loads.without)})`,
      );
      expect(cost).toBeLessThan(MAX_LOAD);
    },
    900_000,
  );
});
