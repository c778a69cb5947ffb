/** Images and specs that mean harm: the right event says why they do not run, and nothing outside of the container is touched. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { everything, requires } from './requires.ts';
import { startScriptedRegistry, type ScriptedRegistry } from './scripted-registry.ts';
import { buildImage, busyboxImage, digestOf, type ImageFile, type TestImage } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'kubectl', 'busybox');

describe.skipIf(missing !== undefined)(`pods that mean harm${missing === undefined ? '' : ` (${missing})`}`, () => {
  let c: NodeCluster;
  let registry: ScriptedRegistry;
  let outside = '';
  beforeAll(async () => {
    [c, registry] = await Promise.all([startNodeCluster(), startScriptedRegistry()]);
    outside = join(c.directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'secret');
  });
  afterAll(() => Promise.all([c?.close(), registry?.stop()]));

  const make = (name: string, spec: Partial<NonNullable<Pod['spec']>>): Promise<Pod> =>
    c.client.resource('v1/pods').create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { terminationGracePeriodSeconds: 1, restartPolicy: 'Never', containers: [], ...spec },
    });
  const status = async (name: string) =>
    (await c.client.resource('v1/pods').get({ namespace: 'default', name })).status;
  const events = async (name: string): Promise<string[]> =>
    (
      await c.client.resource('v1/events').list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
    ).items.map(({ reason, message }) => `${reason}: ${message}`);
  const untilSaid = (name: string, what: RegExp): Promise<void> =>
    c.until(`${name}: ${what}`, async () => (await events(name)).some((event) => what.test(event)));
  const untouched = (): void => {
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  };

  const layer = (...files: readonly ImageFile[]): TestImage => buildImage({ name: 'hostile', layers: [files] });
  /** Zeros that compress so well that a download of a megabyte would fill a disk. */
  const bomb = (): TestImage =>
    buildImage({ name: 'bomb', layers: [[{ name: 'zeros', content: Buffer.alloc(300 * 2 ** 20) }]] });
  const wrongDigest = (): TestImage => {
    const image = layer({ name: 'x', content: 'x' });
    const other = layer({ name: 'x', content: 'y' });
    return { ...image, layers: [{ ...image.layers[0]!, bytes: other.layers[0]!.bytes }] };
  };

  it.each<[string, () => TestImage, RegExp]>([
    [
      'climbs',
      () => layer({ name: `${'../'.repeat(20)}${outside}/planted`, content: 'x' }),
      /^Failed: Failed to pull image ".*": .*would leave the layer$/,
    ],
    [
      'links',
      () => layer({ name: 'x', type: 'link', target: `${outside}/secret` }),
      /^Failed: Failed to pull image ".*": .*which is not there$/,
    ],
    [
      'device',
      () => layer({ name: 'dev/sda', type: 'block-device', device: { major: 8, minor: 0 } }),
      /^Failed: Failed to pull image ".*": .*block-device 8:0 "dev\/sda" is not allowed/,
    ],
    [
      'absurd',
      () => layer({ name: 'x', size: 2 ** 50 }),
      /^Failed: Failed to pull image ".*": .*has 1125899906842624 bytes/,
    ],
    // To make it takes longer than to refuse it; the limits themselves are tested with small ones.
    ...(everything
      ? [
          ['bomb', bomb, /^Failed: Failed to pull image ".*": .*more than 500 times its size/] satisfies [
            string,
            () => TestImage,
            RegExp,
          ],
        ]
      : []),
    ['digest', wrongDigest, /^Failed: Failed to pull image ".*": .*has the digest sha256:/],
  ])('an image is refused: %s', async (name, image, message) => {
    registry.add(image(), name);
    await make(`image-${name}`, {
      containers: [{ name: 'main', image: `${registry.host}/app:${name}`, command: ['true'] }],
    });
    await untilSaid(`image-${name}`, message);
    expect(await events(`image-${name}`)).toContain('Failed: Error: ErrImagePull');
    expect((await status(`image-${name}`))?.containerStatuses?.[0]?.state?.waiting?.reason).toMatch(
      /^(ErrImagePull|ImagePullBackOff)$/,
    );
    untouched();
    await c.ok(`delete pod image-${name} --now`);
  });

  it('a part of a volume that is a link out of it is refused', async () => {
    const volume = { name: 'v', emptyDir: {} };
    const init = {
      name: 'plant',
      image: 'busybox',
      imagePullPolicy: 'IfNotPresent',
      command: ['ln', '-s', outside, '/v/way-out'],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    };
    const main = {
      name: 'main',
      image: 'busybox',
      imagePullPolicy: 'IfNotPresent',
      command: ['touch', '/out/planted'],
      volumeMounts: [{ name: 'v', mountPath: '/out', subPath: 'way-out' }],
    };
    await make('escapes', { volumes: [volume], initContainers: [init], containers: [main] });
    await untilSaid('escapes', /^Failed: Error: failed to prepare subPath for volumeMount "v" of container "main"/);
    expect((await status('escapes'))?.containerStatuses?.[0]?.state?.waiting?.reason).toBe(
      'CreateContainerConfigError',
    );
    untouched();
    await c.ok('delete pod escapes --now');
  });

  it('a setuid program gains no privileges', async () => {
    const image = busyboxImage('docker.io/library/setuid:test', {
      layers: [[{ name: 'bin/who', mode: 0o4755, content: exitWithUser() }]],
    });
    await c.node.runtime.load(image);
    const run = (allowPrivilegeEscalation: boolean) => ({
      name: 'main',
      image: 'setuid:test',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/who'],
      securityContext: { runAsUser: 1000, allowPrivilegeEscalation },
    });
    await Promise.all([make('confined', { containers: [run(false)] }), make('granted', { containers: [run(true)] })]);
    const code = async (name: string): Promise<number | undefined> =>
      (await status(name))?.containerStatuses?.[0]?.state?.terminated?.exitCode;
    await c.until(
      'both have ended',
      async () => (await code('confined')) !== undefined && (await code('granted')) !== undefined,
    );
    expect([await code('confined'), await code('granted')]).toEqual([1000 & 0xff, 0]);
    await c.ok('delete pod confined granted --now');
  });

  it.each<[string, object, RegExp]>([
    ['a memory limit below what a container needs', { resources: { limits: { memory: '1Ki' } } }, /^Failed: Error: /],
    ['a working directory that is a file', { workingDir: '/bin/busybox' }, /^Failed: Error: /],
    ['a program that is not there', { command: ['/no/such/program'] }, /^Failed: Error: .*no such file or directory/],
  ])('%s fails with an event, and leaves the node as it was', async (what, more, message) => {
    const name = `spec-${digestOf(Buffer.from(what)).slice(7, 15)}`;
    await make(name, {
      containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', command: ['true'], ...more }],
    });
    await untilSaid(name, message);
    await c.ok(`delete pod ${name} --now`);
    await c.until(
      'nothing is left',
      async () => ((await c.node.runtime.cri.runtime.listContainers({})).containers ?? []).length === 0,
    );
    expect(existsSync(join(outside, 'planted'))).toBe(false);
  });
});

/** A static program that ends with its effective user as exit code: `exit(geteuid())`. */
function exitWithUser(): Buffer {
  const arm64 = process.arch === 'arm64';
  const movz = (register: number, value: number): number => (0xd280_0000 | (value << 5) | register) >>> 0;
  const words = Buffer.alloc(16);
  [movz(8, 175), 0xd400_0001, movz(8, 93), 0xd400_0001].forEach((word, i) => words.writeUInt32LE(word, i * 4));
  // mov eax, geteuid; syscall; mov edi, eax; mov eax, exit; syscall
  const code = arm64 ? words : Buffer.from([0xb8, 107, 0, 0, 0, 0x0f, 0x05, 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05]);
  const header = Buffer.alloc(120);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]).copy(header);
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(arm64 ? 183 : 62, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(0x40_0078n, 24);
  header.writeBigUInt64LE(64n, 32);
  for (const [value, at] of [
    [64, 52],
    [56, 54],
    [1, 56],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(1, 64);
  header.writeUInt32LE(5, 68);
  for (const at of [80, 88]) header.writeBigUInt64LE(0x40_0000n, at);
  for (const at of [96, 104]) header.writeBigUInt64LE(BigInt(120 + code.length), at);
  header.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([header, code]);
}
