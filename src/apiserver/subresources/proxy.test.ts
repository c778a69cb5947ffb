import { expect, it } from 'vitest';
import { parseRequestInfo } from '../request/request-info.ts';
import { rewriteLocation, splitProxyPath } from './proxy.ts';

const POD = '/api/v1/namespaces/ns/pods';

it.each([
  [`${POD}/web/proxy`, `${POD}/web/proxy`, ''],
  [`${POD}/web/proxy/`, `${POD}/web/proxy`, '/'],
  [`${POD}/proxy-a:80/proxy/a%2Fb/`, `${POD}/proxy-a:80/proxy`, '/a%2Fb/'],
  [`${POD}/proxy/proxy/proxy/x`, `${POD}/proxy/proxy`, '/proxy/x'],
  ['/api/v1/namespaces/proxy/services/proxy/proxy/x', '/api/v1/namespaces/proxy/services/proxy/proxy', '/x'],
  ['/api/v1/nodes/proxy-1/proxy/logs/', '/api/v1/nodes/proxy-1/proxy', '/logs/'],
])('%s', (path, base, rest) => {
  expect(splitProxyPath(path, parseRequestInfo('GET', path, new URLSearchParams()))).toEqual([base, rest]);
});

it.each([
  ['/x', '/base/x'],
  ['/base/x', '/base/x'],
  ['x', 'x'],
  ['http://10.0.0.1:80/x/', '/base/x/'],
  ['http://api.example.com/x', 'http://api.example.com/base/x'],
  ['http://api.example.com/base/x', 'http://api.example.com/base/x'],
  ['http://elsewhere/x', 'http://elsewhere/x'],
  ['//elsewhere/x', '//elsewhere/x'],
])('a redirect to %s', (location, expected) => {
  expect(rewriteLocation(location, '/base', ['10.0.0.1:80', 'api.example.com'])).toBe(expected);
});
