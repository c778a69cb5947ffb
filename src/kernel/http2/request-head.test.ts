import { describe, expect, it } from 'vitest';
import { fieldOf, headersOf, isGoodField, isRequest } from './request-head.ts';

describe('isGoodField', () => {
  it.each([
    ['accept', '*/*'],
    ['x-_!#$%&\'*+.^`|~9', ''],
    [':method', 'GET'],
    [':path', '/api?watch=true'],
    [':authority', 'localhost'],
    [':scheme', 'https'],
    ['te', 'trailers'],
    ['user-agent', 'kubectl/v1.36.4 (linux/amd64)'],
    ['x-text', 'grün\t!'],
  ])('%s: %j may be sent', (name, value) => {
    expect(isGoodField(name, value)).toBe(true);
  });

  it.each([
    ['', 'no name'],
    [':', 'nothing but a colon'],
    ['Accept', 'capitals'],
    ['a b', 'a blank'],
    ['a:b', 'a colon within'],
    ['na\u00efve', 'no ASCII'],
    ['a\0', 'a zero'],
    ['x', 'line\nfeed'],
    ['x', 'carriage\rreturn'],
    ['x', 'zero\0'],
    [':status', '200'],
    [':protocol', 'websocket'],
    [':path', ''],
    ['connection', 'close'],
    ['keep-alive', 'timeout=5'],
    ['proxy-connection', 'close'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'websocket'],
    ['te', 'gzip'],
  ])('%j: %j may not', (name, value) => {
    expect(isGoodField(name, value)).toBe(false);
  });
});

const GET = [':method', 'GET', ':scheme', 'https', ':path', '/', ':authority', 'localhost'];

describe('isRequest', () => {
  it.each([
    ['a request', GET],
    ['one with headers', [...GET, 'accept', '*/*', 'cookie', 'a', 'cookie', 'b']],
    ['one without an authority', GET.slice(0, 6)],
    ['one in another order', [...GET.slice(4), ...GET.slice(0, 4)]],
    ['CONNECT', [':method', 'CONNECT', ':authority', 'localhost']],
  ])('%s', (_name, fields) => {
    expect(isRequest(fields)).toBe(true);
  });

  it.each([
    ['nothing', []],
    ['no method', GET.slice(2)],
    ['no scheme', [...GET.slice(0, 2), ...GET.slice(4)]],
    ['no path', [...GET.slice(0, 4), ...GET.slice(6)]],
    ['two methods', [...GET, ':method', 'GET']],
    ['two paths', [...GET, ':path', '/']],
    ['two authorities', [...GET, ':authority', 'localhost']],
    ['a path after a header', [...GET.slice(0, 4), 'accept', '*/*', ':path', '/']],
    ['CONNECT with a path', [':method', 'CONNECT', ':authority', 'localhost', ':path', '/']],
    ['CONNECT with a scheme', [':method', 'CONNECT', ':authority', 'localhost', ':scheme', 'https']],
  ])('not %s', (_name, fields) => {
    expect(isRequest(fields)).toBe(false);
  });
});

describe('headersOf', () => {
  it('joins lists and cookies, and takes the first of what is no list', () => {
    const headers = headersOf([':path', '/', 'accept', 'a', 'accept', 'b', 'cookie', 'c=1', 'cookie', 'd=2', 'authorization', 'first', 'authorization', 'second', 'host', 'h']);
    expect({ ...headers }).toEqual({ ':path': '/', accept: 'a, b', cookie: 'c=1; d=2', authorization: 'first', host: 'h' });
  });

  it('takes any name for nothing but a name', () => {
    const headers = headersOf(['__proto__', 'a', 'constructor', 'b', '__proto__', 'c']);
    expect(Object.keys(headers)).toEqual(['__proto__', 'constructor']);
    expect(headers['toString']).toBeUndefined();
  });
});

describe('fieldOf', () => {
  it.each([
    ['a name', 'b', 'two'],
    ['the first of several', 'a', 'one'],
    ['what is only a value', 'two', undefined],
    ['what is not there', 'c', undefined],
  ])('%s', (_name, name, value) => {
    expect(fieldOf(['a', 'one', 'b', 'two', 'a', 'three'], name)).toBe(value);
  });
});
