import { expect, it } from 'vitest';
import { registryMirrors } from './registry-mirrors.ts';

it.each([
  ['none', [], {}],
  ['one for all', ['http://127.0.0.1:5000'], { _default: { mirrors: [{ url: 'http://127.0.0.1:5000' }] } }],
  [
    'one for a registry, before those for all',
    ['https://all.example', 'docker.io=https://hub.example/v2'],
    {
      _default: { mirrors: [{ url: 'https://all.example' }] },
      'docker.io': { mirrors: [{ url: 'https://hub.example/v2' }, { url: 'https://all.example' }] },
    },
  ],
  [
    'several, in their order, of a registry with a port',
    ['reg.example:5000=http://a.example', 'reg.example:5000=http://b.example'],
    { 'reg.example:5000': { mirrors: [{ url: 'http://a.example' }, { url: 'http://b.example' }] } },
  ],
])('%s', (_, values, expected) => {
  expect(registryMirrors(values)).toEqual(expected);
});

it.each(['127.0.0.1:5000', 'docker.io=', 'ftp://x', 'http://', ''])('%j is refused', (value) => {
  expect(() => registryMirrors([value])).toThrow('--registry-mirror');
});
