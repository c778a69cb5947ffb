import { describe, expect, it } from 'vitest';
import { isLayerType } from './media-types.ts';
import type { Descriptor, Platform } from './oci-types.ts';
import { parseConfig } from './parse-manifest.ts';
import { checkPlatform, formatPlatform, selectPlatform } from './select-platform.ts';

const AMD64: Platform = { os: 'linux', architecture: 'amd64' };
const ARM64: Platform = { os: 'linux', architecture: 'arm64', variant: 'v8' };
const ARMV7: Platform = { os: 'linux', architecture: 'arm', variant: 'v7' };

/** `linux/arm/v7`; empty for none. */
function offer(...platforms: readonly string[]): Descriptor[] {
  return platforms.map((text) => {
    const [os = '', architecture = '', variant] = text.split('/');
    const platform = text === '' ? undefined : { os, architecture, ...(variant === undefined ? {} : { variant }) };
    return { mediaType: '', digest: text, size: 1, ...(platform === undefined ? {} : { platform }) };
  });
}

describe('the image for a machine', () => {
  const table: readonly [name: string, offered: readonly string[], wanted: Platform, chosen: string | undefined][] = [
    ['its own', ['linux/arm64', 'linux/amd64', 'windows/amd64'], AMD64, 'linux/amd64'],
    ['another name of the same', ['linux/aarch64', 'linux/x86_64'], AMD64, 'linux/x86_64'],
    ['arm64 with and without its variant', ['linux/arm64/v8'], ARM64, 'linux/arm64/v8'],
    ['arm64 without a variant', ['linux/arm64'], { ...ARM64, variant: undefined }, 'linux/arm64'],
    ['the highest variant that runs', ['linux/arm/v5', 'linux/arm/v6', 'linux/arm/v8'], ARMV7, 'linux/arm/v6'],
    ['the very variant', ['linux/arm/v6', 'linux/arm/v7'], ARMV7, 'linux/arm/v7'],
    ['not a newer amd64', ['linux/amd64/v3', 'linux/amd64'], AMD64, 'linux/amd64'],
    ['one that says nothing, when there is no other', ['linux/s390x', ''], AMD64, ''],
    ['nothing that runs', ['linux/s390x', 'windows/amd64'], AMD64, undefined],
    ['nothing at all', [], AMD64, undefined],
  ];
  it.each(table)('%s', (_name, offered, wanted, chosen) => {
    if (chosen === undefined)
      expect(() => selectPlatform(offer(...offered), wanted)).toThrow(/no match for platform in manifest: not found/);
    else expect(selectPlatform(offer(...offered), wanted).digest).toBe(chosen);
  });

  it('is not an attestation', () => {
    const [attestation, image] = offer('', 'linux/amd64');
    const annotated = {
      ...attestation,
      annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
    } as Descriptor;
    expect(selectPlatform([annotated, image as Descriptor], AMD64).digest).toBe('linux/amd64');
    expect(() => selectPlatform([annotated], AMD64)).toThrow(/no match/);
  });

  it('is described by its config, without an index', () => {
    const config = { rootfs: { type: 'layers', diff_ids: [] } };
    expect(() => checkPlatform(config, AMD64)).not.toThrow();
    expect(() => checkPlatform({ ...config, os: 'linux', architecture: 'arm64' }, AMD64)).toThrow(
      /the image is for linux\/arm64, wanted linux\/amd64/,
    );
    expect(formatPlatform(ARMV7)).toBe('linux/arm/v7');
  });
});

describe('configs', () => {
  const broken: readonly [name: string, document: unknown, message: RegExp][] = [
    ['a list', [], /config is not an object/],
    ['diff ids that are paths', { rootfs: { diff_ids: ['../x'] } }, /diff ids are not digests/],
    ['an entrypoint of numbers', { config: { Entrypoint: [1] } }, /Entrypoint is not a list of strings/],
    ['a user that is an object', { config: { User: {} } }, /User is not a string/],
    ['a config that is text', { config: 'x' }, /config's config is not an object/],
  ];
  it.each(broken)('refuses %s', (_name, document, message) => {
    expect(() => parseConfig(Buffer.from(JSON.stringify(document)))).toThrow(message);
  });

  it('may omit optional fields', () => {
    expect(parseConfig(Buffer.from('{"config":null}'))).toEqual({
      config: {},
      rootfs: { type: 'layers', diff_ids: [] },
    });
  });
});

describe('types of layers', () => {
  it.each([
    ['application/vnd.oci.image.layer.v1.tar', true],
    ['application/vnd.oci.image.layer.v1.tar+gzip', true],
    ['application/vnd.oci.image.layer.v1.tar+zstd', true],
    ['application/vnd.oci.image.layer.nondistributable.v1.tar+gzip', true],
    ['application/vnd.docker.image.rootfs.diff.tar.gzip', true],
    ['application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', true],
    ['application/vnd.in-toto+json', false],
    ['text/plain', false],
  ] as const)('%s: %s', (mediaType, isLayer) => {
    expect(isLayerType(mediaType)).toBe(isLayer);
  });
});
