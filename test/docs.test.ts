/**
 * Every command of the README and the docs is run, as it stands there; every TypeScript block too, and prints the `text` block
 * that follows it; every link leads somewhere.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { build } from '../scripts/build.mjs';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';

const root = join(import.meta.dirname, '..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Run every time; the others when everything is (`npm run verify`). */
const ALWAYS = ['docs/getting-started.md'];

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

function blocksOf(document: string): Block[] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** What a test cannot do as it stands, and what is done instead: undefined leaves it out. */
function runnable(command: string): string | undefined {
  if (/^npm (start|test)\b/.test(command)) return undefined; // the whole project, by whoever runs this test
  if (/^bin\/k8ts doctor\b/.test(command)) return `${command} || [ $? -eq 1 ]`; // what this machine lacks is no defect
  if (command.includes('--watch')) return `timeout 2 ${command} || [ $? -eq 124 ]`;
  return command;
}

const scratches: string[] = [];
afterAll(() => {
  for (const scratch of scratches) rmSync(scratch, { recursive: true, force: true });
});

/** A directory in which `bin/k8ts` is this working copy. */
async function scratchDirectory(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'k8ts-docs-'));
  scratches.push(scratch);
  mkdirSync(join(scratch, 'bin'));
  writeFileSync(join(scratch, 'bin', 'k8ts'), `#!/bin/sh\nexec ${process.execPath} ${await builtProgram()} "$@"\n`, {
    mode: 0o755,
  });
  return scratch;
}

function shell(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => resolve({ code, output })),
  );
}

describe.each(documents)('%s', (document) => {
  const blocks = blocksOf(document);
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const skip = requires('kubectl', 'bash');

  if (commands.length > 0)
    it(`works: ${commands.length} commands`, async (test) => {
      if (skip) test.skip(skip);
      if (!everything && !ALWAYS.includes(document)) test.skip('runs with everything');
      const scratch = await scratchDirectory();
      const script = commands.flatMap((command) => runnable(command) ?? []);
      const ownCluster =
        script.some((command) => command.includes('k8ts up --')) ||
        !script.some((command) => command.startsWith('kubectl'));
      const before = ownCluster ? [] : ['bin/k8ts up --port 0 --simulated-nodes 1 --detach'];
      const after = 'for d in */ .k8ts/; do [ -e "$d/k8ts.pid" ] && bin/k8ts down --data-dir "$d" || true; done';
      try {
        const { code, output } = await shell(['set -x', ...before, ...script].join('\n'), scratch);
        expect(code, output).toBe(0);
      } finally {
        await shell(after, scratch);
      }
    });

  const typescript = blocks.filter(({ language }) => language === 'ts');
  if (typescript.length > 0)
    it(`has ${typescript.length} TypeScript blocks that run`, async (test) => {
      if (!everything) test.skip('runs with everything');
      const outdir = join(
        root,
        'node_modules',
        '.cache',
        'k8ts-test',
        String(process.pid),
        `docs-${document.replaceAll(/\W/g, '-')}`,
      );
      mkdirSync(outdir, { recursive: true });
      const entryPoints: Record<string, string> = {};
      for (const { text, line } of typescript) {
        const file = join(outdir, `line-${line}.ts`);
        const source = (name: string): string => JSON.stringify(join(root, 'src', name));
        writeFileSync(
          file,
          text
            .replaceAll("'k8ts'", source('index.ts'))
            .replaceAll("'k8ts/testing'", source('testing.ts'))
            .replaceAll("'k8ts/client'", source('client/index.ts')),
        );
        entryPoints[`line-${line}`] = file;
      }
      const built = join(outdir, 'built');
      await build({ entryPoints, outdir: built });
      for (const { line } of typescript) {
        const name = `line-${line}`;
        const { status, stdout, stderr } = spawnSync(process.execPath, [join(built, `${name}.js`)], {
          encoding: 'utf8',
          timeout: 150_000,
        });
        expect(status, `${document} ${name}: ${stderr}`).toBe(0);
        const next = blocks[blocks.findIndex((block) => block.line === line) + 1];
        if (next?.language === 'text') expect(stdout, `${document} ${name}`).toBe(next.text);
      }
    });

  it('has links that lead somewhere', () => {
    const text = readFileSync(join(root, document), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    expect(targets.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });
});
