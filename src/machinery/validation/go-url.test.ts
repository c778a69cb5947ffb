import { describe, expect, it } from 'vitest';
import { parseGoUrl } from './go-url.ts';

describe('URLs', () => {
  const cases: [text: string, parts: object | RegExp][] = [
    ['https://a.io:8443/x?y=1', { scheme: 'https', host: 'a.io:8443' }],
    ['/x', { scheme: '', host: '' }],
    ['https://[::1]/x', { scheme: 'https', host: '[::1]' }],
    [':foo', /missing protocol scheme/],
    ['https://a.io/%zz', /invalid URL escape "%zz"/],
  ];
  it.each(cases)('%s', (text, parts) => {
    const url = parseGoUrl(text);
    if (parts instanceof RegExp) expect(url).toMatch(parts);
    else expect(url).toMatchObject(parts);
  });
});
