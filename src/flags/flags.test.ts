import { describe, expect, it } from 'vitest';
import { flagsHelp, parseFlags, UsageError, type FlagTable } from './index.ts';

const table = {
  'etcd-servers': { kind: 'texts', summary: 'Addresses of etcd', section: 'Store' },
  'service-account-issuer': { kind: 'repeated' },
  'secure-port': { kind: 'whole', default: 6443, summary: 'Port' },
  'goaway-chance': { kind: 'number' },
  'event-ttl': { kind: 'duration', default: 3_600_000, summary: 'How long events live' },
  'feature-gates': { kind: 'pairs', summary: 'Gates' },
  'runtime-config': { kind: 'settings' },
  'anonymous-auth': { kind: 'switch', default: true, summary: 'Anonymous requests' },
  'audit-log-format': { kind: 'text', only: ['json'], refused: 'only JSON lines are written' },
  'egress-selector-config-file': { kind: 'text', refused: 'there is no egress proxy' },
  'watch-cache': { kind: 'switch', ignored: 'there is always one' },
  v: { kind: 'whole', shorthand: 'v', summary: 'Log verbosity' },
} as const satisfies FlagTable;

describe('parseFlags', () => {
  it.each<[string, string[], Record<string, unknown>]>([
    ['a value as its own word', ['--secure-port', '7'], { 'secure-port': 7 }],
    ['a value after an equals sign', ['--secure-port=7'], { 'secure-port': 7 }],
    ['defaults', [], { 'secure-port': 6443, 'event-ttl': 3_600_000, 'anonymous-auth': true }],
    ['a switch', ['--anonymous-auth=false'], { 'anonymous-auth': false }],
    ['a switch takes no word', ['--anonymous-auth', '--secure-port=1'], { 'anonymous-auth': true, 'secure-port': 1 }],
    ['lists with commas that grow', ['--etcd-servers=a,b', '--etcd-servers', 'c'], { 'etcd-servers': ['a', 'b', 'c'] }],
    [
      'repeated values with commas inside',
      ['--service-account-issuer=a,b', '--service-account-issuer=c'],
      { 'service-account-issuer': ['a,b', 'c'] },
    ],
    [
      'pairs that grow',
      ['--feature-gates=A=true,B=false', '--feature-gates=A=false'],
      { 'feature-gates': { A: 'false', B: 'false' } },
    ],
    ['a setting without a value', ['--runtime-config=api/v1,a=b'], { 'runtime-config': { 'api/v1': '', a: 'b' } }],
    ['a duration', ['--event-ttl=1h30m'], { 'event-ttl': 5_400_000 }],
    ['a fraction', ['--goaway-chance=.02'], { 'goaway-chance': 0.02 }],
    ['a shorthand', ['-v', '4'], { v: 4 }],
    ['a shorthand with an equals sign', ['-v=4'], { v: 4 }],
    ['the only value of a flag that is refused otherwise', ['--audit-log-format=json'], { 'audit-log-format': 'json' }],
  ])('%s', (_, argv, expected) => {
    expect(parseFlags(argv, table).values).toMatchObject(expected);
  });

  it.each<[string, string[], string]>([
    ['an unknown flag', ['--nonsense-at-all'], 'unknown flag: --nonsense-at-all'],
    [
      'an unknown flag that is nearly known',
      ['--etcd-server=a'],
      'unknown flag: --etcd-server; did you mean --etcd-servers?',
    ],
    ['a missing value', ['--secure-port'], 'flag needs an argument: --secure-port'],
    ['no number', ['--secure-port=x'], 'invalid argument "x" for "--secure-port" flag: it must be an integer'],
    [
      'no switch',
      ['--anonymous-auth=maybe'],
      'invalid argument "maybe" for "--anonymous-auth" flag: it must be true or false',
    ],
    [
      'no duration',
      ['--event-ttl=5'],
      'invalid argument "5" for "--event-ttl" flag: time: missing unit in duration "5"',
    ],
    [
      'no pair',
      ['--feature-gates=A'],
      'invalid argument "A" for "--feature-gates" flag: "A" must be formatted as key=value',
    ],
    [
      'a known flag that cannot be honoured',
      ['--egress-selector-config-file=f'],
      '--egress-selector-config-file is not supported: there is no egress proxy',
    ],
    [
      'a known value that cannot be honoured',
      ['--audit-log-format=legacy'],
      '--audit-log-format=legacy is not supported: only JSON lines are written',
    ],
    ['a word that is no flag', ['serve'], 'unexpected argument "serve"'],
    ['a name of every object', ['--toString=1'], 'unknown flag: --toString'],
  ])('refuses %s', (_, argv, message) => {
    expect(() => parseFlags(argv, table)).toThrow(new UsageError(message));
  });

  it('warns about flags without effect', () => {
    expect(parseFlags(['--watch-cache=false'], table).warnings).toEqual([
      '--watch-cache has no effect: there is always one',
    ]);
  });

  it('takes an arrow and a lone dash for positional arguments', () => {
    const { positional } = parseFlags(['pod/a', '->', 'service/b:80', '-', '--v=1'], table, { positional: true });
    expect(positional).toEqual(['pod/a', '->', 'service/b:80', '-']);
  });

  it('accepts positional arguments where allowed, and everything after --', () => {
    expect(parseFlags(['save', '--v=1', '--', '--v=2'], table, { positional: true })).toMatchObject({
      positional: ['save', '--v=2'],
      values: { v: 1 },
    });
  });

  it('prints help regardless of other flags', () => {
    expect(parseFlags(['--nonsense', '-h'], table).help).toBe(true);
  });
});

it('writes the help from the table', () => {
  expect(flagsHelp(table, { usage: 'k8ts demo: shows flags' })).toBe(`k8ts demo: shows flags

Store:
      --etcd-servers strings       Addresses of etcd

Flags:
      --secure-port int            Port (default 6443)
      --event-ttl duration         How long events live (default 1h0m0s)
      --feature-gates key=value,…  Gates
      --anonymous-auth             Anonymous requests (default true)
  -v, --v int                      Log verbosity

Flags of Kubernetes that are refused, because their feature is missing:
  --egress-selector-config-file

Accepted without effect:
  --watch-cache`);
});
