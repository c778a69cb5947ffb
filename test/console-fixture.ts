/** A cluster of simulated nodes with the web console before it, and a browser. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { buildConsole } from '../scripts/build-console.mjs';
import { consoleQuestions } from '../src/cli/console-questions.ts';
import { loadKubeconfig } from '../src/client/index.ts';
import { serveConsole, type Console } from '../src/console/index.ts';
import { Cluster } from '../src/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { findProgram } from './requires.ts';

export interface ConsoleFixture {
  readonly cluster: Cluster;
  readonly console: Console;
  /** Where the bundled pages are. */
  readonly pages: string;
  stop(): Promise<void>;
}

export async function startConsoleFixture(options: { nodes: number; clock?: 'virtual' }): Promise<ConsoleFixture> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-console-'));
  const pages = path.join(directory, 'pages');
  const stopping = new AbortController();
  const [cluster] = await Promise.all([Cluster.start(options), buildConsole(pages)]);
  const ctx = createContext({ signal: stopping.signal, name: 'console' });
  const file = path.join(directory, 'kubeconfig');
  fs.writeFileSync(file, cluster.kubeconfig, { mode: 0o600 });
  const config = await loadKubeconfig({ clock: ctx.clock, file });
  const questions = consoleQuestions(ctx, {
    config,
    wouldFit: (pod) => cluster.wouldFit(pod),
    experiments: {
      get nodes() {
        return cluster.nodes;
      },
      addNodes: (count) => cluster.addNodes(count),
      removeNode: (name) => cluster.removeNode(name),
      faults: cluster.faults,
      ...(options.clock ? { clock: cluster.clock } : {}),
    },
  });
  const server = await serveConsole(ctx, { config, port: 0, pages, questions });
  return {
    cluster,
    console: server,
    pages,
    async stop() {
      stopping.abort();
      await server.finished;
      await cluster.stop();
      fs.rmSync(directory, { recursive: true });
    },
  };
}

/** Without a sandbox of its own: tests run as root. */
export const openBrowser = (): Promise<Browser> =>
  puppeteer.launch({ executablePath: findProgram('chromium')!, args: ['--no-sandbox', '--disable-gpu'] });

export interface Opened {
  readonly page: Page;
  /** Errors of scripts and of the Content-Security-Policy. */
  readonly errors: string[];
}

export async function openPage(browser: Browser, url: string): Promise<Opened> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // A refused request is an answer that the pages show.
    const isRefused = /^(?:Failed to load resource|WebSocket connection to )/.test(message.text());
    if (message.type() === 'error' && !isRefused) errors.push(message.text());
  });
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url);
  return { page, errors };
}
