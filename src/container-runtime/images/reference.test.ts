import { describe, expect, it } from 'vitest';
import { formatReference, normalizeReference, parseReference } from './reference.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('references', () => {
  const taken: readonly [name: string, text: string, normal: string][] = [
    ['an official image', 'busybox', 'docker.io/library/busybox:latest'],
    ['with a tag', 'busybox:1.36', 'docker.io/library/busybox:1.36'],
    ['of a user', 'user/app', 'docker.io/user/app:latest'],
    ['the hub by its old name', 'index.docker.io/busybox', 'docker.io/library/busybox:latest'],
    ['the hub by name', 'docker.io/busybox', 'docker.io/library/busybox:latest'],
    ['localhost is a host', 'localhost/app', 'localhost/app:latest'],
    ['a host with a port', 'localhost:5000/app:v1', 'localhost:5000/app:v1'],
    ['an address', '127.0.0.1:5000/a/b/c:v1', '127.0.0.1:5000/a/b/c:v1'],
    ['an IPv6 address', '[::1]:5000/app', '[::1]:5000/app:latest'],
    ['a host by its capital', 'Registry/app', 'Registry/app:latest'],
    ['a host with a dot', 'example.com/app', 'example.com/app:latest'],
    ['by digest', `busybox@${DIGEST}`, `docker.io/library/busybox@${DIGEST}`],
    ['a digest wins over the tag', `busybox:1@${DIGEST}`, `docker.io/library/busybox@${DIGEST}`],
    ['separators in names', 'a--b/c__d.e_f', 'docker.io/a--b/c__d.e_f:latest'],
    ['a tag that looks like a port', 'app:5000', 'docker.io/library/app:5000'],
  ];
  it.each(taken)('%s', (_name, text, normal) => {
    expect(formatReference(normalizeReference(text))).toBe(normal);
  });

  const refused: readonly [name: string, text: string, message: RegExp][] = [
    ['empty', '', /invalid reference format/],
    ['capitals', 'Busybox', /repository name \(library\/Busybox\) must be lowercase/],
    ['a scheme', 'https://example.com/app', /invalid reference format/],
    ['a space', 'a b', /invalid reference format/],
    ['three separators', 'a___b', /invalid reference format/],
    ['a leading separator', '-a', /invalid reference format/],
    ['an empty tag', 'app:', /invalid reference format/],
    ['a long tag', `app:${'x'.repeat(129)}`, /invalid reference format/],
    ['a short digest', 'app@sha256:abcd', /invalid reference format/],
    ['a digest of an unknown kind', `app@md5:${'ab'.repeat(16)}`, /invalid reference format/],
    ['an id', 'ab'.repeat(32), /64-byte hexadecimal/],
    ['dots that climb', 'example.com/../etc', /invalid reference format/],
    ['a long name', `example.com/${'a'.repeat(250)}`, /not be more than 255/],
    ['a path on its own', '/app', /invalid reference format/],
  ];
  it.each(refused)('refuses %s', (_name, text, message) => {
    expect(() => parseReference(text)).toThrow(message);
  });
});
