import { describe, expect, it } from 'vitest';
import { parseCertificate } from './certificate.ts';
import { makeCertificate, type Shape } from './testing/index.ts';
import { verifyHostname } from './verify-hostname.ts';

async function verdict(shape: Shape, host: string): Promise<string> {
  const { raw } = await makeCertificate(shape);
  try {
    verifyHostname(parseCertificate(raw), host);
    return 'valid';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a certificate is for a host', () => {
  it.each<[name: string, shape: Shape, host: string, verdict: string]>([
    ['by its DNS name', { dns: ['a.example'] }, 'a.example', 'valid'],
    ['in any case', { dns: ['A.Example'] }, 'a.eXample', 'valid'],
    ['with a dot at the end', { dns: ['a.example'] }, 'a.example.', 'valid'],
    ['by a wildcard', { dns: ['*.example.com'] }, 'a.example.com', 'valid'],
    [
      'but not by one for a domain below',
      { dns: ['*.example.com'] },
      'a.b.example.com',
      'x509: certificate is valid for *.example.com, not a.b.example.com',
    ],
    [
      'nor for the domain itself',
      { dns: ['*.example.com'] },
      'example.com',
      'x509: certificate is valid for *.example.com, not example.com',
    ],
    [
      'nor by a part of a label',
      { dns: ['a*.example.com'] },
      'ab.example.com',
      'x509: certificate is valid for a*.example.com, not ab.example.com',
    ],
    ['nor by one further down', { dns: ['a.*.com'] }, 'a.b.com', 'x509: certificate is valid for a.*.com, not a.b.com'],
    ['nor by a bare one', { dns: ['*'] }, 'localhost', 'x509: certificate is valid for *, not localhost'],
    ['by its address', { ips: ['127.0.0.1'] }, '127.0.0.1', 'valid'],
    ['by its address of IPv6', { ips: ['::1'] }, '[::1]', 'valid'],
    ['by an address in the other form', { ips: ['127.0.0.1'] }, '::ffff:127.0.0.1', 'valid'],
    ['of several', { dns: ['a', 'b'], ips: ['192.0.2.1'] }, 'c', 'x509: certificate is valid for a, b, not c'],
    [
      'of several addresses',
      { dns: ['a'], ips: ['192.0.2.1', '2001:db8::1'] },
      '192.0.2.2',
      'x509: certificate is valid for 192.0.2.1, 2001:db8::1, not 192.0.2.2',
    ],
    [
      'without an address',
      { dns: ['a'] },
      '1.2.3.4',
      "x509: cannot validate certificate for 1.2.3.4 because it doesn't contain any IP SANs",
    ],
    [
      'whose address is written as a name',
      { dns: ['1.2.3.4'] },
      '1.2.3.4',
      "x509: cannot validate certificate for 1.2.3.4 because it doesn't contain any IP SANs",
    ],
    [
      'by its common name',
      { subject: 'CN=a.example' },
      'a.example',
      'x509: certificate relies on legacy Common Name field, use SANs instead',
    ],
    [
      'by a common name beside others',
      { subject: 'CN=a.example', dns: ['b.example'] },
      'a.example',
      'x509: certificate is valid for b.example, not a.example',
    ],
    [
      'of nothing',
      { subject: 'CN=x' },
      'a.example',
      'x509: certificate is not valid for any names, but wanted to match a.example',
    ],
  ])('%s', async (_name, shape, host, expected) => {
    expect(await verdict(shape, host)).toBe(expected);
  });

  it('counts names instead of telling a hundred of them', async () => {
    const dns = Array.from({ length: 100 }, (_, i) => `n${i}.example`);
    expect(await verdict({ dns }, 'a.example')).toBe(
      'x509: certificate is valid for 100 names, but none matched a.example',
    );
  });
});
