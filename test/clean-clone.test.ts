/** The two commands of the README, on a clone with nothing installed and an empty npm cache. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { everything, requires } from './requires.ts';

const root = join(import.meta.dirname, '..');

it('npm start in a clean clone installs, builds and runs a cluster, and Ctrl-C ends it', async (test) => {
  const missing = requires('git', 'npm');
  if (missing) return test.skip(missing);
  if (!everything) return test.skip('runs with everything');
  if (!existsSync(join(root, '.git'))) return test.skip('needs the repository');
  const scratch = mkdtempSync(join(tmpdir(), 'k8ts-clone-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }), 60_000);
  const clone = join(scratch, 'k8ts');
  expect(spawnSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]).status).toBe(0);
  const child = spawn('npm', ['start', '--', '--ephemeral', '--nodes', '0', '--port', '0'], {
    cwd: clone,
    env: { ...process.env, npm_config_cache: join(scratch, 'cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let running = true;
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      running = false;
      resolve();
    }),
  );
  onTestFinished(() => {
    if (running) process.kill(-child.pid!, 'SIGKILL');
  });
  await expect
    .poll(() => (running ? output : `ended: ${output}`), { timeout: 240_000, interval: 500 })
    .toMatch(/^(?!ended)[^]*ready in \d+\.\d\d s/);
  // As a terminal does: the whole group gets it.
  process.kill(-child.pid!, 'SIGINT');
  await ended;
  // What npm itself gives after an interrupt is npm's affair.
  expect(output).toMatch(/stopped\n$/);
}, 300_000);
