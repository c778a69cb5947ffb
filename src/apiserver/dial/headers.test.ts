import { describe, expect, it } from 'vitest';
import { checkHeader, forwardedHeaders, headText } from './headers.ts';

describe('forwarded headers', () => {
  it.each([
    [
      "the caller's rights",
      {
        authorization: 'Bearer x',
        'impersonate-user': 'root',
        'x-remote-user': 'root',
        accept: 'text/html',
        ':path': '/',
      },
      { accept: 'text/html' },
    ],
    [
      'what concerns one connection',
      { connection: 'upgrade, x-hop', 'x-hop': '1', upgrade: 'websocket', te: 'trailers', expect: '100-continue' },
      {},
    ],
    [
      "a browser's token",
      { 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io' },
      { 'sec-websocket-protocol': 'v4.channel.k8s.io' },
    ],
    ["a browser's token alone", { 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.c2VjcmV0' }, {}],
  ])('do not include %s', (_, given, expected) => {
    expect(forwardedHeaders(given)).toEqual(expected);
  });
});

describe('a header that is written', () => {
  it.each([
    ['CR LF in the value', 'a', 'x\r\nb: y'],
    ['LF in the value', 'a', 'x\ny'],
    ['NUL in the value', 'a', 'x\0'],
    ['text that is not bytes', 'a', '日'],
    ['a colon in the name', 'a:b', 'x'],
    ['LF in the name', 'a\nb', 'x'],
    ['no name', '', 'x'],
  ])('is refused with %s', (_, name, value) => {
    expect(() => checkHeader(name, value)).toThrow(/^invalid (header name|value of the header)/);
    expect(() => headText('HTTP/1.1 101 Switching Protocols', [name, value])).toThrow();
  });

  it('stands on one line', () => {
    expect(headText('HTTP/1.1 101 OK', ['Upgrade', 'test', 'X', 'a\xe9b']).toString('latin1')).toBe(
      'HTTP/1.1 101 OK\r\nUpgrade: test\r\nX: a\xe9b\r\n\r\n',
    );
  });
});
