/** Objects that were written to harm who looks at them, on every page that shows objects. */
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, openPage, startConsoleFixture, type ConsoleFixture, type Opened } from './console-fixture.ts';
import { everything, requires } from './requires.ts';

const missing = everything ? requires('chromium') : 'only with K8TS_EVERYTHING=1';

const HTML = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const TURNED = 'abc\u202edef\u0007\u2066';
const TURNED_AS_TEXT = 'abc\\u202edef\\u0007\\u2066';
/** Names of roles may have all characters but / and %. */
const NAME = `<img src=x onerror=alert(3)>\u202e`;
const NAME_AS_TEXT = '<img src=x onerror=alert(3)>\\u202e';
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
const MEGABYTE = 1024 * 1024;

describe.skipIf(missing)(
  `hostile objects in the console${missing ? ` (${missing})` : ''}`,
  { timeout: 120_000 },
  () => {
    let fixture: ConsoleFixture;
    let browser: Browser;
    let opened: Opened;
    let page: Page;

    beforeAll(async () => {
      [fixture, browser] = await Promise.all([startConsoleFixture({ nodes: 1 }), openBrowser()]);
      const { client } = fixture.cluster;
      const [role] = await Promise.all(
        [NAME, ...PROTOTYPE_NAMES].map((name) =>
          client.resource('rbac.authorization.k8s.io/v1/clusterroles').create({ metadata: { name }, rules: [] }),
        ),
      );
      const owner = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        name: NAME,
        uid: role!.metadata.uid!,
      };
      const data = Object.fromEntries(PROTOTYPE_NAMES.map((name) => [name, HTML]));
      const configMaps = client.resource('v1/configmaps');
      await configMaps.create({
        metadata: {
          namespace: 'default',
          name: 'hostile',
          labels: { constructor: 'toString', hasOwnProperty: 'valueOf' },
          annotations: { html: HTML, turned: TURNED, long: 'x'.repeat(200_000) },
          ownerReferences: [owner],
        },
        data,
      });
      await configMaps.patch(
        { namespace: 'default', name: 'hostile' },
        { metadata: { annotations: { html: `${HTML} again`, turned: `${TURNED} again` } } },
        { type: 'merge', fieldManager: HTML.slice(0, 60) },
      );
      const behaviour = JSON.stringify({
        runFor: '1s',
        exitCode: 3,
        logs: [HTML, TURNED, `{"msg":${JSON.stringify(HTML)}}`],
      });
      await client.resource('v1/pods').create({
        metadata: {
          namespace: 'default',
          name: 'hostile',
          labels: { constructor: 'toString' },
          annotations: { html: HTML, turned: TURNED, 'simulate.k8ts.dev/behaviour': behaviour },
        },
        spec: { containers: [{ name: 'constructor', image: HTML }] },
      });
      const { metadata } = await client.resource('v1/pods').get({ namespace: 'default', name: 'hostile' });
      await client.resource('v1/events').create({
        metadata: { namespace: 'default', name: 'hostile' },
        involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'hostile', uid: metadata.uid! },
        reason: HTML.slice(0, 100),
        message: `${HTML} ${TURNED}`,
        type: 'Warning',
      });
      await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
        metadata: { name: 'traps.example.com' },
        spec: {
          group: 'example.com',
          names: { plural: 'traps', kind: 'Trap' },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
              additionalPrinterColumns: [
                { name: '__proto__', type: 'string', jsonPath: '.spec.text', description: HTML },
                { name: HTML, type: 'string', jsonPath: '.spec.turned' },
              ],
            },
          ],
        },
      });
      await fixture.cluster.waitFor('customresourcedefinition/traps.example.com', 'Established');
      await fixture.cluster.apply({
        apiVersion: 'example.com/v1',
        kind: 'Trap',
        metadata: { namespace: 'default', name: 'trap' },
        spec: { text: HTML, turned: TURNED },
      });
      opened = await openPage(browser, fixture.console.createLink());
      page = opened.page;
      await page.waitForSelector('.page');
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await fixture?.stop();
    });

    const until = (expression: string): Promise<unknown> => page.waitForFunction(expression, { timeout: 30_000 });
    const shown = `[...document.querySelectorAll('main, dialog')].map((each) => each.textContent + ' ' + [...each.querySelectorAll('[title], [aria-label]')].map((part) => (part.title || '') + (part.getAttribute('aria-label') ?? '')).join(' ')).join(' ')`;
    const show = async (hash: string, text: string): Promise<void> => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await until(`${shown}.includes(${JSON.stringify(text)})`);
    };
    /** Whatever objects hold is neither an element nor a character that moves others. */
    const isText = async (): Promise<void> => {
      const elements = `[...document.querySelectorAll('main img:not(.cm-widgetBuffer), dialog img, script:not([src]), [onerror]')].map((each) => each.outerHTML)`;
      expect(await page.evaluate(elements)).toEqual([]);
      const characters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
      expect(String(await page.evaluate(shown)).match(characters)?.index).toBeUndefined();
    };

    it.each([
      ['a list of hostile names', '#/objects/clusterroles.rbac.authorization.k8s.io?search=img', NAME_AS_TEXT],
      [
        'a list with names of prototypes',
        '#/objects/clusterroles.rbac.authorization.k8s.io?search=__proto__',
        '__proto__',
      ],
      ['a list with columns of a custom resource', '#/objects/traps.example.com', HTML],
      ['an object', '#/object/configmaps/default/hostile', `${TURNED_AS_TEXT} again`],
      ['a long value', '#/object/configmaps/default/hostile', '(200000 characters)'],
      ['names of prototypes as keys', '#/object/configmaps/default/hostile', 'hasOwnProperty'],
      ['a graph', '#/object/configmaps/default/hostile', `ClusterRole ${NAME_AS_TEXT}`],
      [
        'an object with a hostile name',
        `#/object/clusterroles.rbac.authorization.k8s.io/-/${encodeURIComponent(NAME)}`,
        NAME_AS_TEXT,
      ],
      ['an object named __proto__', '#/object/clusterroles.rbac.authorization.k8s.io/-/__proto__', '__proto__'],
      ['a custom resource', '#/object/traps.example.com/default/trap', TURNED_AS_TEXT],
      ['history', '#/object/configmaps/default/hostile?tab=history', HTML.slice(0, 40)],
      [
        'history of a hostile name',
        `#/object/clusterroles.rbac.authorization.k8s.io/-/${encodeURIComponent(NAME)}?tab=history`,
        'The object was created.',
      ],
      ['YAML', '#/object/configmaps/default/hostile?tab=yaml', HTML.slice(0, 40)],
      ['YAML of a pod', '#/object/pods/default/hostile?tab=yaml', 'onerror'],
      ['why', '#/object/pods/default/hostile?tab=why', 'constructor'],
      [
        'why of a hostile name',
        `#/object/clusterroles.rbac.authorization.k8s.io/-/${encodeURIComponent(NAME)}?tab=why`,
        NAME_AS_TEXT,
      ],
      ['events', '#/object/pods/default/hostile?tab=events', `${HTML} ${TURNED_AS_TEXT}`],
      ['traces', '#/trace?search=img', NAME_AS_TEXT],
      ['the cluster', '#/cluster', 'hostile'],
      ['scheduling', '#/scheduling', 'hostile'],
      ['a kind that does not exist', `#/objects/${encodeURIComponent(NAME)}`, 'serves no kind'],
      ['an object that does not exist', `#/object/pods/default/${encodeURIComponent(NAME)}`, 'not found'],
      [
        'a namespace that does not exist',
        `#/objects/pods?namespace=${encodeURIComponent(NAME)}`,
        'There are none here.',
      ],
    ])('%s shows as text', async (_, hash, text) => {
      await show(hash, text);
      await isText();
    });

    it('one trace shows as text', async () => {
      await show('#/trace?search=img', NAME_AS_TEXT);
      await page.locator('main th a').click();
      await until(`document.querySelectorAll('.waterfall .span').length > 0`);
      await isText();
    });

    it('a revision with its differences shows as text', async () => {
      await show('#/object/configmaps/default/hostile?tab=history', HTML.slice(0, 40));
      await page.locator('.revisions .revision').click();
      // Only what differs: a patch may store fields in another order.
      await until(`document.querySelector('.diff .added')?.textContent.endsWith('</script> again')`);
      expect(await page.$$('.diff .added')).toHaveLength(2);
      await isText();
    });

    it('the palette shows and finds kinds and objects as text', async () => {
      await show('#/cluster', 'hostile');
      await page.keyboard.press(':');
      await page.waitForSelector('[role=combobox]');
      await page.keyboard.type('default/hostile');
      await until(`document.querySelector('[role=option]')?.textContent.startsWith('default/hostile')`);
      await isText();
      await page.keyboard.press('Escape');
    });

    it('a megabyte in an annotation shows as text, and the page still answers', async () => {
      // API servers accept 256 KiB of annotations; others may sit behind an aggregated API.
      const place = { namespace: 'default', name: 'hostile' };
      const { resourceVersion } = (await fixture.cluster.client.resource('v1/configmaps').get(place)).metadata;
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const isObject = request.url().endsWith('/k8s/api/v1/namespaces/default/configmaps/hostile');
        if (!isObject) return void request.continue();
        const annotations = { html: HTML.repeat(MEGABYTE / HTML.length), long: 'y'.repeat(MEGABYTE), turned: TURNED };
        const metadata = { ...place, uid: 'u', resourceVersion, annotations };
        const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
        return void request.respond({ status: 200, contentType: 'application/json', body });
      });
      await show('#/cluster', 'hostile');
      await show('#/object/configmaps/default/hostile', '(1048576 characters)');
      await isText();
      await show('#/object/configmaps/default/hostile?tab=yaml', 'yyyyyy');
      await page.waitForSelector('.cm-content');
      await isText();
      const answered = await page.evaluate(`new Promise((resolve) => {
        const since = performance.now();
        setTimeout(() => resolve(performance.now() - since), 0);
      })`);
      expect(answered).toBeLessThan(10_000);
      await page.keyboard.press('1');
      await until(`document.querySelector('[role=tab][aria-selected=true]')?.textContent === 'Overview'`);
    });

    it('ran none of it', () => expect(opened.errors).toEqual([]));
  },
);
