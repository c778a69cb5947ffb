import { describe, expect, it } from 'vitest';
import {
  declaredContentLength,
  areTrailers,
  fieldOf,
  headersOf,
  isValidField,
  INVALID_REQUEST,
} from './request-head.ts';

describe('isValidField', () => {
  it.each([
    ['accept', '*/*'],
    ["x-_!#$%&'*+.^`|~9", ''],
    [':method', 'GET'],
    [':path', '/api?watch=true'],
    [':authority', 'localhost'],
    [':scheme', 'https'],
    ['te', 'trailers'],
    ['user-agent', 'kubectl/v1.36.4 (linux/amd64)'],
    ['x-text', 'grün\t!'],
    ['x-text', '\x80\xff'],
  ])('%s: %j may be sent', (name, value) => {
    expect(isValidField(name, value)).toBe(true);
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
    ['x', 'bell\x07'],
    ['x', 'delete\x7f'],
    ['x', ' blank'],
    ['x', 'blank '],
    ['x', '\ttab'],
    ['x', ' '],
    [':path', '/with a blank'],
    [':path', '/\n'],
    [':method', 'GET '],
    [':authority', ''],
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
    expect(isValidField(name, value)).toBe(false);
  });
});

const GET = [':method', 'GET', ':scheme', 'https', ':path', '/', ':authority', 'localhost'];

describe('declaredContentLength', () => {
  it.each([
    ['a request', GET],
    ['one with headers', [...GET, 'accept', '*/*', 'cookie', 'a', 'cookie', 'b']],
    ['one without an authority', GET.slice(0, 6)],
    ['one in another order', [...GET.slice(4), ...GET.slice(0, 4)]],
    ['CONNECT', [':method', 'CONNECT', ':authority', 'localhost']],
    ['OPTIONS of the whole server', [':method', 'OPTIONS', ':scheme', 'https', ':path', '*']],
  ])('%s', (_name, fields) => {
    expect(declaredContentLength(fields)).toBeNaN();
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
    ['a path that is none', [':method', 'GET', ':scheme', 'https', ':path', 'api']],
    ['GET of the whole server', [':method', 'GET', ':scheme', 'https', ':path', '*']],
    ['CONNECT to nobody', [':method', 'CONNECT']],
    ['CONNECT with a path', [':method', 'CONNECT', ':authority', 'localhost', ':path', '/']],
    ['CONNECT with a scheme', [':method', 'CONNECT', ':authority', 'localhost', ':scheme', 'https']],
  ])('not %s', (_name, fields) => {
    expect(declaredContentLength(fields)).toBe(INVALID_REQUEST);
  });
});

describe('declaredContentLength of a body', () => {
  it.each([
    [['0'], 0],
    [['12'], 12],
    [['012'], 12],
    [['12', '12'], 12],
    [['12', '13'], INVALID_REQUEST],
    [[''], INVALID_REQUEST],
    [['-1'], INVALID_REQUEST],
    [['+1'], INVALID_REQUEST],
    [['1.5'], INVALID_REQUEST],
    [['1e3'], INVALID_REQUEST],
    [['0x10'], INVALID_REQUEST],
    [['1, 1'], INVALID_REQUEST],
    [['Infinity'], INVALID_REQUEST],
    [['NaN'], INVALID_REQUEST],
    [['9'.repeat(20)], INVALID_REQUEST],
  ])('%j', (lengths, bytes) => {
    expect(declaredContentLength([...GET, ...lengths.flatMap((length) => ['content-length', length])])).toBe(bytes);
  });
});

describe('areTrailers', () => {
  it.each([
    [[], true],
    [['grpc-status', '0'], true],
    [['grpc-status', '0', ':path', '/'], false],
  ])('%j', (fields, are) => {
    expect(areTrailers(fields)).toBe(are);
  });
});

describe('headersOf', () => {
  it('joins lists and cookies, and uses the first of single-valued headers', () => {
    const headers = headersOf([
      ':path',
      '/',
      'accept',
      'a',
      'accept',
      'b',
      'cookie',
      'c=1',
      'cookie',
      'd=2',
      'authorization',
      'first',
      'authorization',
      'second',
      'host',
      'h',
    ]);
    expect({ ...headers }).toEqual({
      ':path': '/',
      accept: 'a, b',
      cookie: 'c=1; d=2',
      authorization: 'first',
      host: 'h',
    });
  });

  it('accepts names of object members as header names', () => {
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
