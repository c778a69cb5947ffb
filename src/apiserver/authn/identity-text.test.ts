import { describe, expect, it } from 'vitest';
import { isPlainIdentity } from './identity-text.ts';

describe('an identity', () => {
  it.each([
    ['a plain name', { name: 'jane', groups: ['dev'], uid: '1', extra: { 'example.com/scope': ['a b'] } }, true],
    ['a name beyond ASCII', { name: 'Jürgen 日本', groups: [] }, true],
    ['CR LF in the name', { name: 'jane\r\nX-Remote-Group: system:masters', groups: [] }, false],
    ['LF in a group', { name: 'jane', groups: ['a', 'b\nc'] }, false],
    ['NUL in the UID', { name: 'jane', groups: [], uid: '1\0' }, false],
    ['CR in an extra key', { name: 'jane', groups: [], extra: { 'a\rb': ['x'] } }, false],
    ['LF in an extra value', { name: 'jane', groups: [], extra: { a: ['x', 'y\n'] } }, false],
    ['DEL', { name: 'jane\x7f', groups: [] }, false],
  ])('with %s', (_, user, plain) => {
    expect(isPlainIdentity(user)).toBe(plain);
  });
});
