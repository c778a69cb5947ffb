import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { longFunctions, MAX_LINES } from './function-length.mjs';

const source = path.join(import.meta.dirname, '..', 'src');

/** Functions that may be longer, with the reason. The list only gets shorter. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** Tests and the fixtures that only tests import. */
const IS_TEST = /\.test\.ts$|(?:^|\/)testing\//;

const statements = (count: number): string => '  f();\n'.repeat(count);

describe('a function of over 60 lines', () => {
  it.each([
    ['the build of a controller', `export const c = {\n  build(context) {\n${statements(60)}  },\n};`, 'build'],
    ['a loop function', `function autoscalerLoop() {\n${statements(60)}}`, 'autoscalerLoop'],
    ['a closure', `const plugin = () => {\n${statements(60)}};`, 'plugin'],
    ['a method', `class A {\n  async #sync() {\n${statements(60)}  }\n}`, 'sync'],
  ])('is found: %s', (_name, text, expected) => {
    expect(longFunctions('a.ts', text)).toMatchObject([{ name: expected, lines: 62 }]);
  });

  it.each([
    ['a function of 60 lines', `function f() {\n${statements(MAX_LINES - 2)}}`],
    ['a long class of short methods', `class A {\n${'  f() {}\n'.repeat(100)}}`],
    ['a long table', `const table = [\n${'  1,\n'.repeat(100)}];`],
  ])('is not %s', (_name, text) => {
    expect(longFunctions('a.ts', text)).toEqual([]);
  });
});

const FOLDERS = [
  'cloud-controller-manager',
  'component-server',
  'container-runtime',
  'controller-manager',
  'dns',
  'ingress-controller',
  'kube-proxy',
  'kubelet',
  'metrics-server',
  'network-policy',
  'scheduler',
  'simulated-kubelet',
];

describe.each(FOLDERS)('src/%s', (folder) => {
  const files = fs
    .readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !IS_TEST.test(file));
  const long = files.flatMap((file) => {
    const place = `${folder}/${file}`;
    return longFunctions(file, fs.readFileSync(path.join(source, place), 'utf8')).map((found) => ({ place, ...found }));
  });

  it(`has no function of over ${MAX_LINES} lines`, () => {
    const unexpected = long.filter(({ place, name }) => EXCEPTIONS[`${place} ${name}`] === undefined);
    expect(unexpected.map(({ place, name, line, lines }) => `${place}:${line} ${name} has ${lines} lines`)).toEqual([]);
  });

  it('has every exception that is listed', () => {
    const needed = new Set(long.map(({ place, name }) => `${place} ${name}`));
    const listed = Object.keys(EXCEPTIONS).filter((exception) => exception.startsWith(`${folder}/`));
    expect(listed.filter((exception) => !needed.has(exception))).toEqual([]);
  });
});
