import { expect, it } from 'vitest';
import { separateIdentityHeaders } from './identity-headers.ts';

it('reads groups one by one, in any spelling', () => {
  const raw = [
    'X-Remote-User',
    'jane',
    'X-Remote-Group',
    'a, with a comma',
    'x-remote-group',
    'b',
    'Accept',
    'x',
    'Accept',
    'y',
  ];
  const joined = { 'x-remote-user': 'jane', 'x-remote-group': 'a, with a comma, b', accept: 'x, y' };
  expect(separateIdentityHeaders(joined, raw)).toEqual({
    'x-remote-user': ['jane'],
    'x-remote-group': ['a, with a comma', 'b'],
    accept: 'x, y',
  });
});

it('leaves other requests as they are', () => {
  const headers = { accept: 'x' };
  expect(separateIdentityHeaders(headers, ['Accept', 'x'])).toBe(headers);
});
