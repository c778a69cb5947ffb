/** The web console in a real browser: each story uses only what is visible on the pages. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until as waitUntil } from '../src/kernel/testing/index.ts';
import { openBrowser, openPage, startConsoleFixture, type ConsoleFixture, type Opened } from './console-fixture.ts';
import { requires } from './requires.ts';

const missing = requires('chromium');
const MAX_BUNDLE_BYTES = 500_000;
const HTML = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

describe.skipIf(missing)(`the console in Chromium${missing ? ` (${missing})` : ''}`, () => {
  let fixture: ConsoleFixture;
  let browser: Browser;
  let opened: Opened;
  let page: Page;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startConsoleFixture({ nodes: 2 }), openBrowser()]);
    const { client } = fixture.cluster;
    const behaviour = JSON.stringify({ runFor: '1s', exitCode: 3, logs: ['starting', 'fatal: cannot open /config'] });
    fixture.cluster.simulate({
      pod: ({ name }) => (name === 'shelled' ? { exec: ([program]) => `ran ${program}\n` } : undefined),
    });
    await Promise.all([
      client.resource('v1/pods').create({
        metadata: { namespace: 'default', name: 'shelled' },
        spec: { containers: [{ name: 'main', image: 'web' }] },
      }),
      client.resource('v1/pods').create({
        metadata: { namespace: 'default', name: 'too-big' },
        spec: { containers: [{ name: 'main', image: 'web', resources: { requests: { cpu: '500' } } }] },
      }),
      client.resource('v1/pods').create({
        metadata: { namespace: 'default', name: 'crasher', annotations: { 'simulate.k8ts.dev/behaviour': behaviour } },
        spec: { containers: [{ name: 'main', image: 'web' }] },
      }),
      client.resource('v1/configmaps').create({
        metadata: {
          namespace: 'default',
          name: 'hostile',
          labels: { constructor: 'prototype' },
          annotations: {
            'example.com/html': HTML,
            'example.com/turned': 'abc\u202edef\u0007',
            long: 'x'.repeat(100_000),
          },
        },
        data: { constructor: HTML },
      }),
    ]);
    opened = await openPage(browser, fixture.console.createLink());
    page = opened.page;
    await page.waitForSelector('.page');
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  });

  /** Waits until an expression of the page is true. Texts, because the types of pages are not those of tests. */
  const until = (expression: string, of = page): Promise<unknown> =>
    of.waitForFunction(expression, { timeout: 20_000 });
  const sees = (text: string): string => `document.querySelector('main')?.innerText.includes(${JSON.stringify(text)})`;
  const seeText = (text: string): Promise<unknown> => until(sees(text));
  const show = async (hash: string, text: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await seeText(text);
  };
  /** Presses what has this text, as a person would. */
  const click = (text: string): Promise<void> => page.locator(`::-p-text(${text})`).setTimeout(10_000).click();

  it('signs in by its link once', async () => {
    expect(new URL(page.url()).hash).toBe('#/cluster');
    const context = await browser.createBrowserContext();
    const link = fixture.console.createLink();
    const thief = await browser.createBrowserContext();
    try {
      for (const [who, text] of [
        [context, 'What is wrong'],
        [thief, 'This link was used before'],
      ] as const) {
        const stolen = await who.newPage();
        await stolen.goto(link);
        await until(sees(text), stolen);
      }
    } finally {
      await Promise.all([context.close(), thief.close()]);
    }
  });

  it('shows a user without rights a reason, and nothing of others', async () => {
    const { client } = fixture.cluster;
    await client.resource('v1/serviceaccounts').create({ metadata: { namespace: 'default', name: 'nobody' } });
    const { body } = await client.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts/nobody/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const { token } = (body as { status: { token: string } }).status;
    const context = await browser.createBrowserContext();
    try {
      const other = await context.newPage();
      await other.goto(new URL('/', fixture.console.createLink()).href);
      await other.locator('input').fill('not-a-token');
      await other.keyboard.press('Enter');
      await until(sees('does not accept this token'), other);
      await other.locator('input').fill(token);
      await other.keyboard.press('Enter');
      await until(sees('User "system:serviceaccount:default:nobody" cannot list resource "pods"'), other);
      await other.evaluate(`location.hash = '#/laboratory'`);
      await until(sees('Only the user of the kubeconfig may experiment'), other);
      await other.evaluate(`location.hash = '#/trace'`);
      await until(sees('cannot list resource "traces"'), other);
      expect(await other.evaluate(`document.body.innerText`)).not.toContain('crasher');
    } finally {
      await context.close();
    }
  });

  it('tells a newcomer why a pod is pending', async () => {
    await show('#/cluster', 'too-big');
    await seeText('Insufficient cpu');
    await click('too-big');
    await until(`location.hash.startsWith('#/object/pods/default/too-big')`);
    await seeText('Insufficient cpu');
  });

  it('leads a newcomer to the logs of a crashed container', async () => {
    await show('#/cluster', 'crasher');
    await click('crasher');
    await click('Overview');
    await click('Logs before the crash');
    await seeText('fatal: cannot open /config');
  });

  it('shows a newcomer who changed a Deployment, and what it was before', async () => {
    const { client } = fixture.cluster;
    const deployments = client.resource('apps/v1/deployments');
    const template = (image: string) => ({
      metadata: { labels: { app: 'shop' } },
      spec: { containers: [{ name: 'main', image }] },
    });
    await deployments.create({
      metadata: { namespace: 'default', name: 'shop' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'shop' } }, template: template('shop:1') },
    });
    const spec = { template: template('shop:2') };
    const patch = { type: 'merge', fieldManager: 'night-shift' } as const;
    await deployments.patch({ namespace: 'default', name: 'shop' }, { spec }, patch);
    await click('Objects');
    await click('Deployment');
    await click('shop');
    await click('History');
    await click('image: shop:1 → shop:2');
    await seeText('night-shift');
    await seeText('kubernetes-admin');
    await until(`document.querySelector('.diff .removed')?.textContent.includes('image: shop:1')`);
    await until(`document.querySelector('.diff .added')?.textContent.includes('image: shop:2')`);
    // The slider moves through all revisions, the oldest at its left end.
    await page.focus('input[type=range]');
    await page.keyboard.press('Home');
    await seeText('The object was created.');
    await click('What changed since');
    await until(`document.querySelector('.diff .removed')?.textContent.includes('image: shop:1')`);
  });

  it('draws related objects as a graph', async () => {
    await show('#/object/deployments.apps/default/shop', 'Related objects');
    await until(`document.querySelectorAll('.graph a').length >= 4`);
    const names = `[...document.querySelectorAll('.graph a')].map((box) => box.getAttribute('aria-label'))`;
    expect(await page.evaluate(names)).toContain('Deployment shop');
    await page.locator('.graph a[aria-label^="ReplicaSet "]').click();
    await until(`location.hash.startsWith('#/object/replicasets.apps/default/shop-')`);
  });

  it('reads JSON of logs', async () => {
    const logs = ['{"level":"error","msg":"no route","host":"db<b>"}', 'a plain line'];
    const behaviour = JSON.stringify({ logs });
    await fixture.cluster.client.resource('v1/pods').create({
      metadata: { namespace: 'default', name: 'teller', annotations: { 'simulate.k8ts.dev/behaviour': behaviour } },
      spec: { containers: [{ name: 'main', image: 'web', ports: [{ containerPort: 8080 }] }] },
    });
    await show('#/object/pods/default/teller?tab=logs', 'ERROR no route host=db<b>');
    await page.type('input[type=search][data-filter]', 'route');
    await until(`document.querySelector('.log mark')?.textContent === 'route'`);
    await until(`!${sees('a plain line')}`);
    await show('#/object/pods/default/teller', 'Copy the kubectl command');
    await page.locator('button[aria-label="Open 8080"]').click();
    // Simulated containers listen on no port: the reason is shown, and no link.
    await until(`document.querySelector('.toast.bad') !== null`);
    await until(`document.querySelector('.forwards a') === null`);
  });

  it('plays the trace of a write, saves it and opens it again', async () => {
    const { client } = fixture.cluster;
    const { metadata } = await client.resource('apps/v1/deployments').get({ namespace: 'default', name: 'shop' });
    expect(metadata.name).toBe('shop');
    await click('Trace');
    await seeText('create deployments default/shop');
    await click('patch deployments default/shop');
    await seeText('settled after');
    await until(`document.querySelectorAll('.waterfall .span').length > 5`);
    await seeText('Client → API server');
    await page.locator('button[aria-label="Next step"]').click();
    await seeText('API server → etcd');
    await click('Fast');
    await click('Play');
    await until(`Number(document.querySelector('.player input').value) > 4`);
    await click('Pause');
    const directory = path.join(fixture.pages, '..', 'downloads');
    const session = await page.createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: directory });
    await click('Save as a file');
    const saved = (): string | undefined =>
      fs.existsSync(directory) ? fs.readdirSync(directory).find((name) => name.endsWith('.json')) : undefined;
    await waitUntil('the trace is saved', () => saved() !== undefined);
    const file = path.join(directory, saved()!);
    await show('#/trace', 'Newest requests');
    await (await page.$('input[type=file]'))!.uploadFile(file);
    await seeText('from a file');
    fs.writeFileSync(path.join(directory, 'other.json'), '{"root":{"span":{"id":"<b>"}}}');
    await (await page.$('input[type=file]'))!.uploadFile(path.join(directory, 'other.json'));
    await until(`document.querySelector('.toast.bad')?.textContent.includes('no trace')`);
  });

  it('shows the cluster as it was, and changes nothing there', async () => {
    const { client } = fixture.cluster;
    const pods = client.resource('v1/pods');
    const passing = await pods.create({
      metadata: { namespace: 'default', name: 'passing' },
      spec: { containers: [{ name: 'main', image: 'web' }] },
    });
    await pods.delete({ namespace: 'default', name: 'passing' });
    await show('#/objects/pods?namespace=default', 'crasher');
    await until(`!${sees('passing')}`);
    await click('Time machine');
    await until(`document.querySelector('.time-machine input') !== null`);
    expect(await page.evaluate(`[...document.querySelectorAll('button')].map((b) => b.innerText)`)).not.toContain(
      'Create',
    );
    // As a link from a history would.
    const revision = passing.metadata.resourceVersion!;
    await show(`#/objects/pods?namespace=default&at=${revision}`, 'passing');
    await until(`document.querySelector('.time-machine').innerText.includes('revision ${revision}')`);
    await until(`document.querySelector('.time-machine').innerText.includes('pods default/passing')`);
    await page.focus('.time-machine input');
    await page.keyboard.press('ArrowLeft');
    await until(`!${sees('passing')}`);
    await page.keyboard.press('ArrowRight');
    await seeText('passing');
    await page.locator('main a[href*="/passing"]').click();
    await seeText('Summary');
    expect(await page.$$('.actions button')).toEqual([]);
    await click('Cluster');
    await until(`document.querySelector('.live.past') !== null`);
    await click('Back to now');
    await until(`document.querySelector('.time-machine') === null`);
    await until(`document.querySelector('.plane-wire text') !== null`);
  });

  it('walks a connection step by step, and names the step that fails', async () => {
    const { client } = fixture.cluster;
    const metadata = { namespace: 'default', name: 'caller', labels: { app: 'caller' } };
    await client.resource('v1/pods').create({ metadata, spec: { containers: [{ name: 'main', image: 'web:1' }] } });
    await fixture.cluster.waitFor('pod/caller', 'Ready');
    await client.resource('v1/services').create({
      metadata: { namespace: 'default', name: 'nobody' },
      spec: { selector: { app: 'nobody' }, ports: [{ port: 80 }] },
    });
    await show('#/network?namespace=default', 'Try a connection');
    await page.locator('::-p-aria([name="From pod"][role="combobox"])').fill('caller');
    await page.locator('::-p-aria([name="To"][role="combobox"])').fill('service/nobody:80');
    await click('Walk it');
    await seeText('Does not work');
    await seeText('the Service has no endpoint that takes traffic');
  });

  it('tells whether a pod would fit, by node and plugin', async () => {
    await show('#/scheduling', 'Would this fit?');
    await click('Would it fit?');
    await seeText('It fits, and would run on');
    await seeText('NodeResourcesFit');
    await click('As YAML');
    await page.waitForSelector('.small-editor .cm-content');
    await page.locator('.small-editor .cm-line ::-p-text(500m)').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await click('Would it fit?');
    await seeText('It fits on no node');
    await seeText('Insufficient cpu');
    await seeText('What helps: request at most');
    const { items } = await fixture.cluster.client.resource('v1/pods').list({ namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('hypothetical');
  });

  it('experiments with simulated nodes and faults', async () => {
    await show('#/laboratory', 'Simulated nodes (2)');
    await click('Add nodes');
    await seeText('Simulated nodes (3)');
    await page.locator('button[aria-label="Remove sim-2"]').click();
    await seeText('Simulated nodes (2)');
    await page.locator('button[aria-label="Kill sim-1"]').click();
    await seeText('silent');
    await page.locator('button[aria-label="Revive sim-1"]').click();
    await until(`!${sees('silent')}`);
    await page.locator('input[placeholder=pods]').fill('configmaps');
    await page.locator('input[max="100"]').fill('100');
    await click('Inject');
    await seeText('100 % of requests of configmaps');
    await show('#/objects/configmaps', 'a fault was ordered');
    await show('#/laboratory', 'Lift');
    await click('Lift');
    await seeText('No faults are injected.');
  });

  it('keeps lists live', async () => {
    await show('#/objects/configmaps?namespace=default', 'hostile');
    const { client } = fixture.cluster;
    await client.resource('v1/configmaps').create({ metadata: { namespace: 'default', name: 'fresh' }, data: {} });
    await seeText('fresh');
    await client.resource('v1/configmaps').delete({ namespace: 'default', name: 'fresh' });
    await until(`!${sees('fresh')}`);
  });

  it('shows hostile objects as text', async () => {
    await show('#/object/configmaps/default/hostile', HTML);
    await seeText('abc\\u202edef\\u0007');
    await seeText('(100000 characters)');
    await show('#/object/configmaps/default/hostile?tab=yaml', 'constructor');
    await page.waitForSelector('.cm-content');
    expect(await page.$$('main img:not(.cm-widgetBuffer), main script')).toEqual([]);
  });

  it('edits by a server-side apply after a dry run, and names the managers', async () => {
    const { client } = fixture.cluster;
    const configMap = { namespace: 'default', name: 'edited' };
    await client.resource('v1/configmaps').create({ metadata: configMap, data: { colour: 'red', size: '1' } });
    await show('#/object/configmaps/default/edited?tab=yaml', 'colour');
    await page.locator('.cm-line ::-p-text(red)').click();
    await page.keyboard.press('End');
    await page.keyboard.type('dish');
    await click('Review changes');
    await until(`document.querySelector('dialog')?.innerText.includes('.data.colour')`);
    await click('Take over these fields');
    await until(`document.querySelector('.diff .added')?.textContent.includes('reddish')`);
    expect((await client.resource('v1/configmaps').get(configMap)).data).toMatchObject({ colour: 'red' });
    await page.locator('dialog button.primary').click();
    await until(`document.querySelector('dialog') === null`);
    const edited = await client.resource('v1/configmaps').get(configMap);
    expect(edited.data).toEqual({ colour: 'reddish', size: '1' });
    const ours = edited.metadata.managedFields!.find(({ manager }) => manager === 'k8ts-console')!;
    expect(ours.operation).toBe('Apply');
    expect(ours.fieldsV1).toEqual({ 'f:data': { 'f:colour': {} } });
    await until(`document.querySelector('.cm-managers')?.textContent.includes('k8ts-console')`);
  });

  it('completes and checks fields by the OpenAPI of the cluster', async () => {
    await show('#/objects/deployments.apps?namespace=default', 'shop');
    await click('Create');
    await page.waitForSelector('dialog .cm-content');
    await until(`document.querySelector('dialog .cm-content').textContent.includes('replicas: 2')`);
    await page.locator('dialog .cm-line ::-p-text(replicas)').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('minReadySec');
    await until(`document.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('minReadySeconds')`);
    // CodeMirror takes no choice in the first moment of a list.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await page.keyboard.press('Enter');
    await page.keyboard.type('soon');
    await until(`document.querySelector('dialog .cm-lintRange-error')?.textContent === 'soon'`);
    await page.keyboard.press('Enter');
    await page.keyboard.type('replicaz: 1');
    await until(
      `[...document.querySelectorAll('dialog .cm-lintRange-error')].some((e) => e.textContent === 'replicaz')`,
    );
    // Escape closes tooltips, too; it must not lose the text.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await until(`document.querySelector('dialog .leaving') !== null`);
    await click('Keep writing');
    await until(`document.querySelector('dialog .cm-content').textContent.includes('replicaz')`);
    await page.locator('dialog footer button').click();
    await click('Throw it away');
    await until(`document.querySelector('dialog') === null`);
  });

  it('drains a node', async () => {
    const { client } = fixture.cluster;
    const [name] = await fixture.cluster.addNodes(1, { prefix: 'drained-' });
    await client.resource('v1/pods').create({
      metadata: { namespace: 'default', name: 'leaver' },
      spec: { nodeName: name!, containers: [{ name: 'main', image: 'web' }] },
    });
    await show(`#/object/nodes/-/${name}`, 'Conditions over time');
    await click('Drain');
    await until(`document.querySelector('dialog')?.innerText.includes('default/leaver')`);
    await click('Drain it');
    await until(`document.querySelector('dialog')?.innerText.includes('evicted')`);
    await page.locator('dialog footer button').click();
    expect((await client.resource('v1/nodes').get({ name: name! })).spec?.unschedulable).toBe(true);
    await fixture.cluster.removeNode(name!);
  });

  it('opens a shell, and says why where there is none', async () => {
    await show('#/object/pods/default/shelled?tab=shell', 'Command');
    await click('Open a shell');
    await until(`document.querySelector('.xterm')?.textContent.includes('ran sh')`);
    await fixture.cluster.client.resource('v1/pods').create({
      metadata: { namespace: 'default', name: 'plain' },
      spec: { containers: [{ name: 'main', image: 'web' }] },
    });
    await show('#/object/pods/default/plain?tab=shell', 'Command');
    await click('Open a shell');
    await until(`document.querySelector('.xterm')?.textContent.includes('opens no shell here')`);
  });

  it('does everything by keyboard', async () => {
    await show('#/cluster', 'too-big');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await seeText('crasher');
    await page.keyboard.press('/');
    await page.keyboard.type('too-b');
    await until(`document.querySelectorAll('.rows-space .row').length === 1`);
    await page.keyboard.press('Escape');
    await page.focus('[role=grid]');
    await page.keyboard.press('Enter');
    await seeText('Insufficient cpu');
    await page.keyboard.press('5');
    await seeText('FailedScheduling');
    await page.keyboard.press(':');
    await page.waitForSelector('[role=combobox]');
    await page.keyboard.type('default/crasher');
    await until(`document.querySelector('[role=option]')?.textContent.startsWith('default/crasher')`);
    await page.keyboard.press('Enter');
    await until(`location.hash === '#/object/pods/default/crasher'`);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await until(`document.querySelector('dialog') === null`);
  });

  it('reaches every page and its controls by keyboard, with a visible focus', async () => {
    /** Presses Tab until something is focused, as a person would. */
    const tabTo = async (selector: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
          const style = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
          expect(style, selector).not.toBe('none');
          return;
        }
      }
      throw new Error(`Tab never reached ${selector}`);
    };
    const goTo = async (letter: 'c' | 'l' | 'n' | 's' | 't', text: string): Promise<void> => {
      await page.evaluate(`document.activeElement.blur()`);
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await seeText(text);
    };
    await goTo('t', 'Newest requests');
    await tabTo('main td a, main th a');
    await page.keyboard.press('Enter');
    await seeText('settled after');
    await tabTo('button[aria-label="Next step"]');
    await page.keyboard.press('Space');
    await until(`document.querySelector('.step').innerText.startsWith('2/')`);
    await tabTo('.player input[type=range]');
    await page.keyboard.press('ArrowRight');
    await until(`document.querySelector('.step').innerText.startsWith('3/')`);
    await tabTo('.waterfall .span');
    await page.keyboard.press('Enter');
    await until(`document.querySelector('.step').innerText.startsWith('1/')`);
    await goTo('l', 'Simulated nodes');
    await tabTo('button[aria-label="Kill sim-0"], button[aria-label="Kill sim-1"]');
    await goTo('s', 'Recent decisions');
    await tabTo('button[aria-expanded]');
    await page.keyboard.press('Enter');
    await seeText('NodeResourcesFit');
    await goTo('n', 'Try a connection');
    await tabTo('input[list=connection-from]');
    await goTo('c', 'Nodes and their pods');
    await tabTo('main button.small');
    await page.keyboard.press('Enter');
    await tabTo('.time-machine input');
    await page.keyboard.press('ArrowLeft');
    await tabTo('.time-machine button.primary');
    await page.keyboard.press('Enter');
    await until(`document.querySelector('.time-machine') === null`);
    await show('#/object/deployments.apps/default/shop', 'Related objects');
    await until(`document.querySelectorAll('.graph a').length >= 3`);
    await tabTo('.graph a:not(.self)');
    await page.keyboard.press('Enter');
    await until(`location.hash.includes('/replicasets.apps/')`);
    await show('#/object/deployments.apps/default/shop?tab=history', 'shop:1 → shop:2');
    await tabTo('.slider input[type=range]');
    await page.keyboard.press('End');
    await tabTo('.revisions .revision');
    await page.keyboard.press('Enter');
  });

  it('moves nothing for people who want no motion', async () => {
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    try {
      await show('#/trace/file', 'settled after');
      await page.locator('button[aria-label="Next step"]').click();
      const moving = `document.getAnimations().filter((animation) => animation.playState === 'running').length`;
      expect(await page.evaluate(moving)).toBe(0);
    } finally {
      await page.emulateMediaFeatures([]);
    }
  });

  it.each([
    ['#/cluster', 'Nodes and their pods'],
    ['#/objects/pods', 'crasher'],
    ['#/object/pods/default/crasher', 'Containers'],
    ['#/object/pods/default/crasher?tab=why', 'exit code 3'],
    ['#/object/deployments.apps/default/shop?tab=history', 'shop:1 → shop:2'],
    ['#/object/pods/default/crasher?tab=yaml', 'containers'],
    ['#/object/pods/default/crasher?tab=events', 'Scheduled'],
    ['#/object/pods/default/crasher?tab=logs&previous=1', 'fatal'],
    ['#/object/pods/default/crasher?tab=shell', 'Shell'],
    ['#/scheduling', 'Insufficient cpu'],
    ['#/network', 'default/kubernetes'],
    ['#/trace', 'Newest requests'],
    ['#/trace/file', 'settled after'],
    ['#/laboratory', 'No faults are injected.'],
    ['#/cluster?at=300', 'Nodes and their pods'],
    ['#/object/deployments.apps/default/shop', 'Related objects'],
    ['#/object/nodes/-/sim-0', 'Usage'],
    ['#/objects/deployments.apps?columns=all', 'shop'],
  ])('has no violations of axe-core in both themes: %s', async (hash, text) => {
    await show(hash, text);
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(fs.readFileSync(axe, 'utf8'));
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      const found = await page.evaluate(`axe
        .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
      expect(found, theme).toEqual([]);
    }
  });

  it('has had no errors of scripts or of the Content-Security-Policy', () => {
    expect(opened.errors).toEqual([]);
  });

  it('stays small', () => {
    const files = fs.readdirSync(fixture.pages).map((name) => fs.readFileSync(path.join(fixture.pages, name)));
    const size = files.reduce((sum, file) => sum + zlib.gzipSync(file).length, 0);
    expect(size).toBeGreaterThan(50_000);
    expect(size).toBeLessThan(MAX_BUNDLE_BYTES);
  });
});
