import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { encodeTar, type TarEntryToWrite } from '../src/container-runtime/images/tar/tar-writer.ts';
import { findProgram } from './requires.ts';

/** Images for end-to-end tests, made on the spot from the machine's busybox. */

export type ImageFile = TarEntryToWrite & { readonly content?: Uint8Array | string };

export interface TestBlob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

export interface TestImage {
  /** With a tag, e.g. `docker.io/library/busybox:test`. */
  readonly name: string;
  /** The digest of the config. */
  readonly id: string;
  readonly manifest: TestBlob;
  readonly config: TestBlob;
  readonly layers: readonly (TestBlob & { readonly tar: Buffer; readonly diffId: string })[];
}

export type LayerCompression = 'none' | 'gzip' | ((tar: Buffer) => { mediaType: string; bytes: Buffer });

export interface TestImageOptions {
  readonly name: string;
  readonly layers: readonly (readonly ImageFile[] | Buffer)[];
  /** What goes into the config's `config`: Cmd, Env, User and so on. */
  readonly process?: Readonly<Record<string, unknown>>;
  readonly compression?: LayerCompression;
  readonly architecture?: string;
  readonly docker?: boolean;
}

const OCI = 'application/vnd.oci.image';
const DOCKER = 'application/vnd.docker';

/** The machine's architecture as images name it. */
export const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

export function buildImage(options: TestImageOptions): TestImage {
  const { docker = false, compression = 'gzip' } = options;
  const layers = options.layers.map((content) => buildLayer(content, compression, docker));
  const config = blob(docker ? `${DOCKER}.container.image.v1+json` : `${OCI}.config.v1+json`, {
    architecture: options.architecture ?? architecture,
    os: 'linux',
    created: '2026-01-01T00:00:00Z',
    config: options.process ?? {},
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
    history: layers.map(() => ({ created: '2026-01-01T00:00:00Z', created_by: 'test' })),
  });
  const mediaType = docker ? `${DOCKER}.distribution.manifest.v2+json` : `${OCI}.manifest.v1+json`;
  const manifest = blob(mediaType, {
    schemaVersion: 2,
    mediaType,
    config: descriptorOf(config),
    layers: layers.map(descriptorOf),
  });
  return { name: options.name, id: config.digest, manifest, config, layers };
}

type Layer = TestImage['layers'][number];

/** busybox's layer is the same in most images of a test run: it is made once. */
const builtLayers = new WeakMap<object, Map<string, Layer>>();

function buildLayer(content: readonly ImageFile[] | Buffer, compression: LayerCompression, docker: boolean): Layer {
  const key = typeof compression === 'function' ? undefined : `${compression} ${docker}`;
  const built = builtLayers.get(content) ?? new Map<string, Layer>();
  builtLayers.set(content, built);
  const before = key === undefined ? undefined : built.get(key);
  if (before !== undefined) return before;
  const tar = Buffer.isBuffer(content) ? content : encodeTar(content as readonly ImageFile[]);
  const { mediaType, bytes } = compressLayer(tar, compression, docker);
  const layer = { mediaType, bytes, digest: digestOf(bytes), tar, diffId: digestOf(tar) };
  if (key !== undefined) built.set(key, layer);
  return layer;
}

/** A shell with all of busybox's applets, and users `root`, `www` (1000) and `nobody`. */
export function busyboxImage(
  name = 'docker.io/library/busybox:test',
  options: Partial<TestImageOptions> = {},
): TestImage {
  return buildImage({
    process: { Cmd: ['sh'], Env: ['PATH=/bin:/usr/bin:/sbin:/usr/sbin'] },
    ...options,
    name,
    layers: [busyboxFiles(), ...(options.layers ?? [])],
  });
}

/** `busyboxImage` with a web server on port 8080 that answers `/` with "ok" and `/cgi-bin/hostname` with its host name. */
export function webImage(name = 'docker.io/library/www:test', options: Partial<TestImageOptions> = {}): TestImage {
  const hostname = '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\nhostname\n';
  return busyboxImage(name, {
    process: {
      Entrypoint: ['httpd'],
      Cmd: ['-f', '-p', '8080', '-h', '/www'],
      Env: ['PATH=/bin:/usr/bin:/sbin:/usr/sbin'],
      User: 'www',
      WorkingDir: '/www',
      ExposedPorts: { '8080/tcp': {} },
    },
    ...options,
    layers: [
      [
        { name: 'www/', type: 'directory', mode: 0o755 },
        { name: 'www/index.html', content: 'ok\n' },
        { name: 'www/cgi-bin/', type: 'directory', mode: 0o755 },
        { name: 'www/cgi-bin/hostname', mode: 0o755, content: hostname },
      ],
      ...(options.layers ?? []),
    ],
  });
}

let files: readonly ImageFile[] | undefined;

function busyboxFiles(): readonly ImageFile[] {
  if (files !== undefined) return files;
  const busybox = findProgram('busybox');
  if (busybox === undefined) throw new Error('the test images need busybox (Debian: busybox-static)');
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' })
    .split('\n')
    .filter((applet) => applet !== '' && applet !== 'busybox');
  const folder = (name: string, mode = 0o755): ImageFile => ({ name: `${name}/`, type: 'directory', mode });
  files = [
    ...['bin', 'dev', 'etc', 'home', 'proc', 'sys', 'usr', 'usr/bin', 'var', 'var/run'].map((name) => folder(name)),
    folder('root', 0o700),
    folder('tmp', 0o1777),
    { name: 'bin/busybox', mode: 0o755, content: readFileSync(busybox) },
    ...librariesOf(busybox),
    ...applets.map((applet): ImageFile => ({ name: `bin/${applet}`, type: 'symlink', target: 'busybox', mode: 0o777 })),
    {
      name: 'etc/passwd',
      content:
        'root:x:0:0:root:/root:/bin/sh\nwww:x:1000:1000:www:/www:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
    },
    { name: 'etc/group', content: 'root:x:0:\nwww:x:1000:\nextra:x:1001:www\nnobody:x:65534:\n' },
  ];
  return files;
}

/** None of a busybox that is linked statically. Debian's installer leaves one that is not, and both cannot be installed. */
function librariesOf(program: string): ImageFile[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  const paths = new Set([...(stdout ?? '').matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path.slice(1)));
  return [...paths].map((name) => ({ name, mode: 0o755, content: readFileSync(`/${name}`) }));
}

/** As `docker save` writes it. */
export function dockerArchive(...images: readonly TestImage[]): Buffer {
  const entries = new Map<string, ImageFile>();
  const manifest = images.map((image) => {
    const config = `${hexOf(image.config.digest)}.json`;
    entries.set(config, { name: config, content: image.config.bytes });
    const layers = image.layers.map((layer) => {
      const name = `${hexOf(layer.diffId)}/layer.tar`;
      entries.set(name, { name, content: layer.tar });
      return name;
    });
    return { Config: config, RepoTags: [image.name], Layers: layers };
  });
  return encodeTar([...entries.values(), { name: 'manifest.json', content: JSON.stringify(manifest) }]);
}

/** An OCI layout in a tar archive. */
export function ociArchive(...images: readonly TestImage[]): Buffer {
  const blobs = new Map(
    images.flatMap((image) => [image.manifest, image.config, ...image.layers].map((item) => [item.digest, item.bytes])),
  );
  const manifests = images.map(({ name, manifest }) => ({
    ...descriptorOf(manifest),
    annotations: {
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
    },
  }));
  return encodeTar([
    { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: 'index.json', content: JSON.stringify({ schemaVersion: 2, manifests }) },
    ...[...blobs].map(([digest, content]) => ({ name: `blobs/sha256/${hexOf(digest)}`, content })),
  ]);
}

/** An index over images of several platforms, to be pushed after them. */
export function imageIndex(
  ...images: readonly { image: TestImage; platform: Readonly<Record<string, string>> }[]
): TestBlob {
  const mediaType = `${OCI}.index.v1+json`;
  const manifests = images.map(({ image, platform }) => ({ ...descriptorOf(image.manifest), platform }));
  return blob(mediaType, { schemaVersion: 2, mediaType, manifests });
}

export interface PushOptions {
  /** `http://127.0.0.1:PORT` */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  readonly authorization?: string;
}

/** Pushes an image with all of its blobs. */
export async function pushImage(image: TestImage, options: PushOptions): Promise<void> {
  for (const item of [image.config, ...image.layers]) await pushBlob(item, options);
  await pushManifest(image.manifest, options);
}

export async function pushManifest(manifest: TestBlob, options: PushOptions): Promise<void> {
  const reference = options.tag ?? manifest.digest;
  await request(`${options.registry}/v2/${options.repository}/manifests/${reference}`, 'PUT', manifest, options);
}

async function pushBlob(item: TestBlob, options: PushOptions): Promise<void> {
  const start = await request(
    `${options.registry}/v2/${options.repository}/blobs/uploads/`,
    'POST',
    undefined,
    options,
  );
  const upload = new URL(start.headers.get('location') ?? '', options.registry);
  upload.searchParams.set('digest', item.digest);
  await request(upload.href, 'PUT', { ...item, mediaType: 'application/octet-stream' }, options);
}

async function request(
  url: string,
  method: string,
  body: TestBlob | undefined,
  { authorization }: PushOptions,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': body.mediaType }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(body === undefined ? {} : { body: new Uint8Array(body.bytes) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return response;
}

function compressLayer(
  tar: Buffer,
  compression: LayerCompression,
  docker: boolean,
): { mediaType: string; bytes: Buffer } {
  if (typeof compression === 'function') return compression(tar);
  if (docker) {
    const base = `${DOCKER}.image.rootfs.diff.tar`;
    return compression === 'gzip'
      ? { mediaType: `${base}.gzip`, bytes: gzipSync(tar) }
      : { mediaType: base, bytes: tar };
  }
  const base = `${OCI}.layer.v1.tar`;
  return compression === 'gzip' ? { mediaType: `${base}+gzip`, bytes: gzipSync(tar) } : { mediaType: base, bytes: tar };
}

function blob(mediaType: string, content: object): TestBlob {
  const bytes = Buffer.from(JSON.stringify(content));
  return { mediaType, bytes, digest: digestOf(bytes) };
}

export function descriptorOf({ mediaType, digest, bytes }: TestBlob): {
  mediaType: string;
  digest: string;
  size: number;
} {
  return { mediaType, digest, size: bytes.length };
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function hexOf(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}
