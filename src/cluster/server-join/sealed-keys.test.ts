import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { isCertificateKey, newCertificateKey, openKeys, sealKeys, type ServerKeys } from './sealed-keys.ts';

const { random } = createTestContext();
const keys: ServerKeys = {
  files: { 'ca.key': 'the most secret', 'etcd/ca.key': 'as secret' },
  options: { port: 6443, serviceClusterIpRange: '10.96.0.0/16', clusterCidr: '10.244.0.0/16', controllers: ['*'] },
  etcd: { kind: 'managed', port: 2379, endpoints: ['https://192.0.2.1:2379'] },
};

describe('sealed keys', () => {
  const key = newCertificateKey(random);
  const sealed = sealKeys(random, keys, key, 'abcdef');

  it('are opened by their key', () => {
    expect(isCertificateKey(key)).toBe(true);
    expect(openKeys(sealed, key, 'abcdef')).toEqual(keys);
  });

  it('say nothing without it', () => {
    expect(sealed.includes('secret')).toBe(false);
    expect(sealKeys(random, keys, key, 'abcdef').equals(sealed)).toBe(false);
  });

  const changed = Buffer.from(sealed);
  changed[changed.length - 1]! ^= 1;
  it.each([
    ['another key', () => openKeys(sealed, newCertificateKey(random), 'abcdef')],
    ['the token of another machine', () => openKeys(sealed, key, 'ghijkl')],
    ['a changed byte', () => openKeys(changed, key, 'abcdef')],
    ['a cut', () => openKeys(sealed.subarray(0, 20), key, 'abcdef')],
    ['nothing', () => openKeys(Buffer.alloc(0), key, 'abcdef')],
  ])('are not opened with %s', (_, open) => {
    expect(open).toThrow('--certificate-key does not open the keys');
  });

  it('write no file outside the directory of keys', () => {
    const evil = sealKeys(random, { ...keys, files: { '../../etc/passwd': 'x' } }, key, 'abcdef');
    expect(() => openKeys(evil, key, 'abcdef')).toThrow('unexpected key file ../../etc/passwd');
  });
});
