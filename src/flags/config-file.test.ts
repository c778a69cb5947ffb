import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from './config-file.ts';
import { effectiveValues, formatConfig, parseFlags, readConfigFile, UsageError, type FlagTable } from './index.ts';

const table = {
  'data-dir': { kind: 'text', path: true },
  'node-name': { kind: 'text' },
  format: { kind: 'text', only: ['text', 'json'] },
  port: { kind: 'whole', default: 6443 },
  chance: { kind: 'number' },
  egress: { kind: 'switch' },
  history: { kind: 'duration', default: 3_600_000 },
  addons: { kind: 'texts', default: ['dns'] },
  'load-archive': { kind: 'repeated', path: true },
  'feature-gates': { kind: 'pairs' },
  token: { kind: 'text', secret: true },
  legacy: { kind: 'switch', ignored: 'nothing is left of it' },
  selector: { kind: 'text', refused: 'there is no proxy' },
  detach: { kind: 'switch', commandLineOnly: true },
} as const satisfies FlagTable;

const parse = (text: string): Record<string, unknown> =>
  Object.fromEntries(
    [...parseConfig(text, table, '/etc/k8ts/k8ts.yaml').values].map(([name, { value }]) => [name, value]),
  );

describe('parseConfig', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['an empty file', '', {}],
    ['comments alone', '# nothing\n', {}],
    [
      'scalars',
      'port: 7\nchance: .5\negress: true\nhistory: 1h30m',
      { port: 7, chance: 0.5, egress: true, history: 5_400_000 },
    ],
    ['a list', 'addons: [dns, storage]', { addons: ['dns', 'storage'] }],
    ['an empty list', 'addons: []', { addons: [] }],
    [
      'a map',
      'feature-gates:\n  A: true\n  B: "false"\n  C: 1',
      { 'feature-gates': { A: 'true', B: 'false', C: '1' } },
    ],
    ['a text that looks like a number', 'node-name: 007.10', { 'node-name': '007.10' }],
    [
      'a path beside the file',
      'data-dir: data\nload-archive: [a.tar, /b.tar]',
      { 'data-dir': '/etc/k8ts/data', 'load-archive': ['/etc/k8ts/a.tar', '/b.tar'] },
    ],
  ])('reads %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['an unknown key', 'prot: 1', '1: prot: there is no such key; did you mean port?'],
    ['a key in camelCase', 'dataDir: a', '1: dataDir: there is no such key; did you mean data-dir?'],
    ['a name of every object', 'toString: a', '1: toString: there is no such key'],
    ['a key of the prototype', '__proto__: {a: b}', '1: __proto__: there is no such key'],
    ['a duplicate key', 'port: 1\nport: 2', '2: port: it is already set in line 1'],
    ['a key for the command line', 'detach: true', '1: detach: it can only be a flag on the command line: --detach'],
    ['no integer', '\nport: many', '2: port: it must be an integer, and is a string'],
    ['a fraction', 'port: 1.5', '1: port: it must be an integer, and is the number 1.5'],
    ['no number', 'chance: .inf', '1: chance: it must be a number, and is the number .inf'],
    ['no switch', 'egress: "yes"', '1: egress: it must be true or false, and is a string'],
    ['no duration', 'history: 5', '1: history: "5" is not a duration, such as 90s or 1h30m'],
    ['no list', 'addons: dns', '1: addons: it must be a list, such as [dns]'],
    ['a list in a list', 'addons:\n- dns\n- [a]', '3: addons[1]: it must be a string, and is a list'],
    ['no map', 'feature-gates: [A]', '1: feature-gates: it must be a map, and is a list'],
    ['a duplicate in a map', 'feature-gates:\n  A: true\n  A: false', '3: feature-gates.A: it is set twice'],
    ['no text', 'node-name: true', '1: node-name: it must be a string, and is the boolean true'],
    ['nothing', 'node-name:', '1: node-name: it must be a string, and is empty'],
    ['an alias', 'addons: &a [dns]\nnode-name: *a', '2: node-name: aliases are not allowed here'],
    ['another word', 'format: xml', '1: format: it must be text or json'],
    ['a missing feature', 'selector: a', '1: selector: it is not supported: there is no proxy'],
    [
      'a list of everything',
      '- port',
      '1: a configuration file is a map from names of flags to values, such as "port: 6443"',
    ],
    ['broken YAML', 'port: [1', '1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(new UsageError(`/etc/k8ts/k8ts.yaml:${message}`));
  });

  it('tells all mistakes at once', () => {
    expect(() => parse('port: a\nhsitory: 1h')).toThrow(/:1: port: .*\n.*:2: hsitory: .*did you mean history/);
  });

  it('warns about keys without effect', () => {
    expect(parseConfig('legacy: true', table, 'f').warnings).toEqual([
      'f:1: legacy has no effect: nothing is left of it',
    ]);
  });
});

describe('a file and flags', () => {
  const file = parseConfig('port: 7\nhistory: 2h\ntoken: abc\nfeature-gates: {A: true}', table, 'k8ts.yaml');
  const parsed = parseFlags(['--port=8', '--egress'], table, { fileValues: file.values });

  it('lets flags win over the file, and the file over defaults', () => {
    expect(parsed.values).toMatchObject({ port: 8, history: 7_200_000, egress: true, addons: ['dns'] });
    expect([...parsed.given].sort()).toEqual(['egress', 'feature-gates', 'history', 'port', 'token']);
  });

  it('prints where each value comes from, as a file, without secrets', () => {
    const text = formatConfig(effectiveValues(table, parsed, file));
    expect(text).toBe(`port: 8 # flag
egress: true # flag
history: 2h0m0s # k8ts.yaml:2
# default
addons:
  - dns
# k8ts.yaml:4
feature-gates:
  A: "true"
token: (hidden) # k8ts.yaml:3`);
    expect(parseConfig(text, table, 'again').values.get('port')?.value).toBe(8);
  });
});

it('refuses a secret in a file that others can read', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-config-'));
  const file = path.join(directory, 'k8ts.yaml');
  try {
    fs.writeFileSync(file, 'token: abc', { mode: 0o644 });
    expect(() => readConfigFile(file, table)).toThrow(
      /has token, which is a secret, and others can read it; run "chmod 600/,
    );
    fs.chmodSync(file, 0o600);
    expect(readConfigFile(file, table).values.get('token')?.value).toBe('abc');
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

it('refuses a file that is not there, and one that is no file', () => {
  expect(() => readConfigFile('/nowhere/k8ts.yaml', table)).toThrow(
    /configuration file \/nowhere\/k8ts.yaml cannot be read/,
  );
  expect(() => readConfigFile('/', table)).toThrow(UsageError);
});
