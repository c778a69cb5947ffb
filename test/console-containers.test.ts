/** The web console of `k8ts up` with real containers: what simulated nodes cannot show. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../scripts/build-console.mjs';
import { openBrowser, openPage } from './console-fixture.ts';
import { builtProgram, startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl', 'chromium')
  : 'only with K8TS_EVERYTHING=1';

const TALK = `i=0; while true; do i=$((i+1)); echo '{"level":"error","msg":"order '$i' failed"}'; sleep 1; done`;
const container = (name: string, script: string) => ({
  name,
  image: 'docker.io/library/busybox:test',
  imagePullPolicy: 'Never',
  command: ['sh', '-c', script],
});
const WEB = {
  name: 'web',
  image: 'docker.io/library/www:test',
  imagePullPolicy: 'Never',
  ports: [{ name: 'http', containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
};
const OBJECTS = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'shop' } },
      template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [WEB, container('talker', TALK)] } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop' },
    spec: { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 'http' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'crasher' },
    spec: { containers: [container('main', 'echo fatal: no /config; exit 3')] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'burner' },
    spec: {
      containers: [container('main', 'while true; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 1; done')],
    },
  },
];

describe.skipIf(missing)(
  `the console with real containers${missing ? ` (${missing})` : ''}`,
  { timeout: 180_000 },
  () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-console-'));
    const data = path.join(directory, 'data');
    let k8ts: K8tsProcess;
    let browser: Browser;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      const program = await builtProgram();
      await buildConsole(path.join(path.dirname(program), 'console'));
      [k8ts, browser] = await Promise.all([startK8ts({ dataDirectory: data, flags: ['--nodes', '1'] }), openBrowser()]);
      const archive = path.join(directory, 'images.tar');
      fs.writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
      await promisify(execFile)(process.execPath, [program, 'image', 'load', archive, '--data-dir', data]);
      await apply({ apiVersion: 'v1', kind: 'List', items: OBJECTS });
      ({ page, errors } = await openPage(browser, /console\s+(http\S+)/.exec(k8ts.output())![1]!));
      await page.waitForSelector('.page', { timeout: 60_000 });
    }, 180_000);
    afterAll(async () => {
      await browser?.close();
      await k8ts?.stop();
      fs.rmSync(directory, { recursive: true, force: true });
    });

    const apply = (object: object): Promise<void> =>
      new Promise((resolve, reject) => {
        const kubectl = spawn('kubectl', ['--kubeconfig', k8ts.kubeconfig, 'apply', '-f', '-']);
        let said = '';
        kubectl.stderr.on('data', (text: Buffer) => (said += text.toString()));
        kubectl.once('close', (code) => (code === 0 ? resolve() : reject(new Error(said))));
        kubectl.stdin.end(JSON.stringify(object));
      });
    const until = (expression: string, of = page): Promise<unknown> =>
      of.waitForFunction(expression, { timeout: 90_000 });
    const seeText = (text: string, of = page): Promise<unknown> =>
      until(`document.body?.innerText.includes(${JSON.stringify(text)})`, of);
    const show = async (hash: string, text: string): Promise<void> => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await seeText(text);
    };
    const click = (text: string): Promise<void> => page.locator(`::-p-text(${text})`).setTimeout(30_000).click();

    it('plots what a container uses', async () => {
      await show('#/object/pods/default/burner', 'CPU (cores)');
      await until(`Number(document.querySelector('.plot strong')?.textContent) > 0`);
      await until(`document.querySelectorAll('.plot canvas').length === 2`);
      await show('#/objects/nodes', 'node-1');
      await show('#/object/nodes/-/node-1', 'CPU (cores)');
      await until(`Number(document.querySelector('.plot strong')?.textContent) > 0`);
    });

    it('follows the logs of many pods, searches them, and reads JSON', async () => {
      await show('#/object/deployments.apps/default/shop', '2/2 ready');
      await click('Logs');
      await until(`new Set([...document.querySelectorAll('.log .from')].map((e) => e.textContent)).size >= 2`);
      await seeText('ERROR order');
      const lines = `Number(/(\\d+) lines/.exec(document.body.innerText)?.[1] ?? 0)`;
      const before = Number(await page.evaluate(lines));
      await until(`${lines} > ${before}`);
      await page.type('input[type=search][data-filter]', 'order 2 failed');
      await until(`document.querySelector('.log mark')?.textContent === 'order 2 failed'`);
    });

    it('shows the logs of the run before a crash', async () => {
      await show('#/cluster', 'See its logs');
      await click('See its logs');
      await seeText('fatal: no /config');
    });

    it('opens a shell in a container', async () => {
      await show('#/object/pods/default/burner?tab=shell', 'Command');
      await click('Open a shell');
      await until(`document.querySelector('.xterm')?.textContent.includes('/ #')`);
      await page.locator('.xterm').click();
      await page.keyboard.type('echo $((6*7))-$(hostname)\n');
      await until(`document.querySelector('.xterm').textContent.includes('42-burner')`);
    });

    it('opens a port of a Service as a link, at an address that gets no cookie of the console', async () => {
      await show('#/object/services/default/shop', 'Copy the kubectl command');
      await page.locator('button[aria-label="Open 80"]').click();
      await until(`document.querySelector('.forwards a') !== null`);
      const url = String(await page.evaluate(`document.querySelector('.forwards a').href`));
      const tab = await browser.newPage();
      try {
        await tab.goto(url);
        await seeText('ok', tab);
        expect(await tab.cookies()).toEqual([]);
        expect(await page.cookies()).toHaveLength(1);
        // Buttons of a page in the background do not settle.
        await page.bringToFront();
        await show('#/network', 'Open ports');
        await seeText('default/shop');
        await page.locator('button[aria-label="Close 80"]').click();
        await until(`document.querySelector('.forwards') === null`);
        // Not the answer that the browser may have kept.
        await expect(tab.goto(`${url}?closed`)).rejects.toThrow('ERR_CONNECTION_REFUSED');
      } finally {
        await tab.close();
      }
    });

    it('shows from the write of a Deployment to the kubelet and kube-proxy', async () => {
      await show('#/trace', 'create deployments default/shop');
      await click('create deployments default/shop');
      await until(`document.querySelectorAll('.waterfall .span').length > 20`);
      for (const part of ['schedule default/shop', 'pods/status default/shop']) await seeText(part);
    });

    it('has had no errors of scripts', () => expect(errors).toEqual([]));
  },
);
