import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxy.ts';

describe('proxies', () => {
  const environment = {
    HTTPS_PROXY: 'proxy.example:3128',
    http_proxy: 'http://plain.example',
    NO_PROXY: 'internal.example, .corp.example,10.0.0.0/8,192.168.1.1,other.example:8443',
  };
  const table: readonly [url: string, proxy: string | undefined][] = [
    ['https://registry.example/v2/', 'proxy.example:3128'],
    ['http://registry.example/v2/', 'plain.example'],
    ['https://127.0.0.1:5000/', undefined],
    ['https://localhost/', undefined],
    ['https://internal.example/', undefined],
    ['https://a.internal.example/', undefined],
    ['https://notinternal.example/', 'proxy.example:3128'],
    ['https://a.corp.example/', undefined],
    ['https://10.1.2.3/', undefined],
    ['https://11.1.2.3/', 'proxy.example:3128'],
    ['https://192.168.1.1/', undefined],
    ['https://other.example/', 'proxy.example:3128'],
    ['https://other.example:8443/', undefined],
  ];
  it.each(table)('%s uses %s', (url, proxy) => {
    expect(proxyFor(new URL(url), environment)?.host).toBe(proxy);
  });

  it('there is no proxy, or no_proxy is *', () => {
    expect(proxyFor(new URL('https://a.example'), {})).toBeUndefined();
    expect(proxyFor(new URL('https://a.example'), { HTTPS_PROXY: 'p:1', no_proxy: '*' })).toBeUndefined();
  });
});
