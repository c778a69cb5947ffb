import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const script = `
  import { endWithNpm } from ${JSON.stringify(join(import.meta.dirname, 'end-with-npm.mjs'))};
  endWithNpm();
  process.on('SIGTERM', () => { console.log('told to end'); process.exit(); });
  setTimeout(() => { console.log('went on'); process.exit(); }, 3000);
  console.log(String(process.pid));
`;

it.each([
  ['is told to end when npm has ended', 'start', 'told to end'],
  ['goes on without whoever else started it', undefined, 'went on'],
])('%s', async (_, event, expected) => {
  const { npm_lifecycle_event: _own, ...env } = process.env;
  const parent = spawn('sh', ['-c', '"$0" --input-type=module -e "$1" & wait', process.execPath, script], {
    env: { ...env, ...(event ? { npm_lifecycle_event: event } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 10_000 }).toMatch(/^\d+\n/);
  onTestFinished(() => {
    try {
      process.kill(Number.parseInt(output, 10), 'SIGKILL');
    } catch {
      // It has ended by itself, as it should.
    }
  });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expect.poll(() => output, { timeout: 10_000 }).toMatch(new RegExp(`^\\d+\\n${expected}\\n$`));
});
