/** What people do to objects in the web console, in a real browser: each story uses only what is visible on the pages. */
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until as waitUntil } from '../src/kernel/testing/index.ts';
import { openBrowser, openPage, startConsoleFixture, type ConsoleFixture, type Opened } from './console-fixture.ts';
import { everything, requires } from './requires.ts';

const missing = everything ? requires('chromium') : 'only with K8TS_EVERYTHING=1';

/** Waits until an expression of the page is true. Texts, because the types of pages are not those of tests. */
const until = (page: Page, expression: string): Promise<unknown> =>
  page.waitForFunction(expression, { timeout: 20_000 });
const sees = (text: string): string => `document.querySelector('main')?.innerText.includes(${JSON.stringify(text)})`;
const toasts = (text: string): string =>
  `[...document.querySelectorAll('.toast')].some((toast) => toast.textContent.includes(${JSON.stringify(text)}))`;
async function show(page: Page, hash: string, text: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await until(page, sees(text));
}
/** Presses the button with this text within an element, as a person would. */
const press = (page: Page, within: string, text: string): Promise<void> =>
  page.locator(`${within} ::-p-text(${text})`).setTimeout(10_000).click();

describe.skipIf(missing)(`actions of the console in Chromium${missing ? ` (${missing})` : ''}`, () => {
  let fixture: ConsoleFixture;
  let browser: Browser;
  let opened: Opened;
  let page: Page;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startConsoleFixture({ nodes: 2 }), openBrowser()]);
    const { client } = fixture.cluster;
    for (const [name, replicas, tier] of [
      ['api', 3, 'back'],
      ['shop', 1, 'front'],
      ['zoo', 2, 'front'],
    ] as const)
      await client.resource('apps/v1/deployments').create({
        metadata: { namespace: 'default', name, labels: { tier } },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: 'main', image: `${name}:1` }] },
          },
        },
      });
    await Promise.all(['api', 'shop', 'zoo'].map((name) => fixture.cluster.waitFor(`deployment/${name}`, 'Available')));
    opened = await openPage(browser, fixture.console.createLink());
    page = opened.page;
    await page.waitForSelector('.page');
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  });

  const deployment = (name: string) =>
    fixture.cluster.client.resource('apps/v1/deployments').get({ namespace: 'default', name });

  it('scales a Deployment', async () => {
    await show(page, '#/object/deployments.apps/default/shop', 'Related objects');
    await press(page, '.actions', 'Scale');
    await page.locator('dialog input[type=number]').fill('4');
    await page.locator('dialog button[type=submit]').click();
    await until(page, toasts('Scaled'));
    expect((await deployment('shop')).spec!.replicas).toBe(4);
    await fixture.cluster.waitFor('deployment/shop', 'Available');
    // The graph follows: the Deployment, its ReplicaSet and four pods.
    await until(page, `document.querySelectorAll('.graph a[aria-label^="Pod "]').length === 4`);
  });

  it('restarts a Deployment as kubectl rollout restart does', async () => {
    await show(page, '#/object/deployments.apps/default/api', 'Related objects');
    await press(page, '.actions', 'Restart');
    await until(page, toasts('Restart requested'));
    const restarted = (await deployment('api')).spec!.template.metadata!.annotations!;
    expect(Date.parse(restarted['kubectl.kubernetes.io/restartedAt']!)).toBeGreaterThan(0);
    await waitUntil('the second revision is rolled out', async () => {
      const { status, metadata } = await deployment('api');
      return (
        metadata.annotations?.['deployment.kubernetes.io/revision'] === '2' &&
        status?.updatedReplicas === 3 &&
        status.replicas === 3
      );
    });
  });

  it('cordons a node and makes it schedulable again', async () => {
    const unschedulable = async (): Promise<boolean | undefined> =>
      (await fixture.cluster.client.resource('v1/nodes').get({ name: 'sim-0' })).spec?.unschedulable;
    await show(page, '#/object/nodes/-/sim-0', 'Conditions over time');
    await press(page, '.actions', 'Cordon');
    await until(page, toasts('Cordoned'));
    expect(await unschedulable()).toBe(true);
    await press(page, '.actions', 'Uncordon');
    await until(page, toasts('Uncordoned'));
    expect(await unschedulable()).toBeUndefined();
  });

  it('deletes a Deployment after it has shown what goes along', async () => {
    await show(page, '#/object/deployments.apps/default/zoo', 'Related objects');
    await press(page, '.actions', 'Delete');
    await until(page, `document.querySelector('dialog')?.innerText.includes('ReplicaSet zoo-')`);
    await press(page, 'dialog', 'Cancel');
    await until(page, `document.querySelector('dialog') === null`);
    expect((await deployment('zoo')).metadata.deletionTimestamp).toBeUndefined();
    await press(page, '.actions', 'Delete');
    await press(page, 'dialog', 'Delete it');
    await until(page, toasts('Deletion requested'));
    await until(page, sees('This object has been deleted'));
    await waitUntil('its pods are gone', async () => {
      const { items } = await fixture.cluster.client
        .resource('v1/pods')
        .list({ namespace: 'default', labelSelector: 'app=zoo' });
      return items.length === 0;
    });
  });

  /** The names of the rows that are shown, in their order. */
  const rowNames = `[...document.querySelectorAll('.rows-space .row')].toSorted((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex')).map((row) => row.querySelector('.name').innerText)`;
  const shows = (names: readonly string[]): Promise<unknown> =>
    until(page, `JSON.stringify(${rowNames}) === ${JSON.stringify(JSON.stringify(names))}`);

  it('filters by words, labels and fields, and sorts by a column', async () => {
    await show(page, '#/objects/deployments.apps?namespace=default', 'shop');
    await shows(['api', 'shop']);
    /** Replaces what a field says, as a person would. */
    const enter = async (label: string, text: string): Promise<void> => {
      await page.locator(`::-p-aria([name="${label}"][role="searchbox"])`).click({ count: 3 });
      await page.keyboard.press('Backspace');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await enter('Label selector', 'tier=front');
    await shows(['shop']);
    expect(page.url()).toContain('labels=tier');
    await enter('Label selector', 'tier in (');
    await until(page, sees('unable to parse requirement'));
    await enter('Label selector', '');
    await shows(['api', 'shop']);
    await enter('Field selector', 'metadata.name=api');
    await shows(['api']);
    await enter('Field selector', '');
    await shows(['api', 'shop']);
    await enter('Filter rows', '4/4');
    await shows(['shop']);
    await enter('Filter rows', '');
    await press(page, '[role=columnheader]', 'Name');
    await press(page, '[role=columnheader]', 'Name');
    await shows(['shop', 'api']);
    const headers = `[...document.querySelectorAll('[role=columnheader]')].map((header) => header.innerText.trim())`;
    expect(await page.evaluate(headers)).not.toContain('Images');
    await page.locator('label ::-p-text(All columns)').click();
    await until(page, `${headers}.includes('Images')`);
    await until(page, sees('shop:1'));
  });

  it('judges a pod on the node onto which it is dragged', async () => {
    await show(page, '#/scheduling', 'drag this pod onto a node');
    // First onto a plain node, then onto a judged one: the dropped-on node is the chosen one, whichever the scheduler prefers.
    for (const [node, target] of [
      ['sim-1', 'button[aria-label="Would it fit on sim-1?"]'],
      ['sim-0', '.fit-node ::-p-text(sim-0)'],
    ] as const) {
      const [chip, onto] = [await page.waitForSelector('.pod-chip'), await page.waitForSelector(target)];
      await chip!.drag(onto!);
      await onto!.drop(chip!);
      await until(page, sees('It fits, and would run on'));
      await until(page, `document.querySelector('.fit-node.chosen')?.innerText.includes('${node}')`);
    }
    await until(page, sees('NodeResourcesFit'));
  });

  it('has had no errors of scripts or of the Content-Security-Policy', () => {
    expect(opened.errors).toEqual([]);
  });
});

describe.skipIf(missing)(`virtual time in the console${missing ? ` (${missing})` : ''}`, () => {
  let fixture: ConsoleFixture;
  let browser: Browser;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startConsoleFixture({ nodes: 1, clock: 'virtual' }), openBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  });

  it('moves the cluster an hour on, and its CronJob has run meanwhile', async () => {
    const { client } = fixture.cluster;
    await client.resource('batch/v1/cronjobs').create({
      metadata: { namespace: 'default', name: 'hourly' },
      spec: {
        schedule: '30 * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] } } },
        },
      },
    });
    const { page } = await openPage(browser, fixture.console.createLink());
    await page.waitForSelector('.page');
    await show(page, '#/laboratory', 'One hour later');
    const before = fixture.cluster.clock.now();
    await press(page, 'main', 'One hour later');
    await until(page, toasts('Done'));
    expect(fixture.cluster.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    const { status } = await client.resource('batch/v1/cronjobs').get({ namespace: 'default', name: 'hourly' });
    expect(status?.lastScheduleTime).toBeDefined();
    await show(page, '#/objects/jobs.batch?namespace=default', 'hourly-');
  });
});
