import { describe, expect, it } from 'vitest';
import { parseChallenges } from './auth-challenge.ts';

describe('challenges of registries', () => {
  const bearer = { realm: 'https://auth.example/token', service: 'registry.example', scope: 'repository:a/b:pull' };
  const table: readonly [name: string, header: string, expected: ReturnType<typeof parseChallenges>][] = [
    [
      'a token server',
      'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull"',
      [{ scheme: 'bearer', parameters: bearer }],
    ],
    [
      'commas in a scope',
      'Bearer realm="r",scope="repository:a:pull,push"',
      [{ scheme: 'bearer', parameters: { realm: 'r', scope: 'repository:a:pull,push' } }],
    ],
    ['basic', 'Basic realm="Registry Realm"', [{ scheme: 'basic', parameters: { realm: 'Registry Realm' } }]],
    [
      'without quotes',
      'Bearer realm=https://a/b , service=x',
      [{ scheme: 'bearer', parameters: { realm: 'https://a/b', service: 'x' } }],
    ],
    ['an escaped quote', 'Basic realm="a \\"b\\""', [{ scheme: 'basic', parameters: { realm: 'a "b"' } }]],
    [
      'two of them',
      'Basic realm="x", Bearer realm="y",service="z"',
      [
        { scheme: 'basic', parameters: { realm: 'x' } },
        { scheme: 'bearer', parameters: { realm: 'y', service: 'z' } },
      ],
    ],
    ['capitals', 'BEARER REALM="y"', [{ scheme: 'bearer', parameters: { realm: 'y' } }]],
    ['nothing', '', []],
    ['parameters of nothing', 'realm="x"', []],
    ['an open quote', 'Basic realm="x', [{ scheme: 'basic', parameters: { realm: '' } }]],
  ];
  it.each(table)('%s', (_name, header, expected) => {
    expect(parseChallenges(header)).toEqual(expected);
  });
});
