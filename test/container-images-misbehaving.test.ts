import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openImageStore, type ImageStore, type ImageStoreOptions } from '../src/container-runtime/images/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { requires } from './requires.ts';
import { startScriptedRegistry, type ScriptedRegistry } from './scripted-registry.ts';
import { buildImage, descriptorOf, digestOf, type TestBlob, type TestImage } from './test-images.ts';

const missing = requires('root');

describe.skipIf(missing !== undefined)(
  `registries that misbehave${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'k8ts-images-'));
    const root = join(folder, 'store');
    let registry: ScriptedRegistry;
    let other: ScriptedRegistry;
    let store: ImageStore;
    let made = 0;

    const open = (options: Partial<ImageStoreOptions> = {}): Promise<ImageStore> =>
      openImageStore(createContext({ writeLog: () => {} }), { root, ...options });
    /** An image that no other test has, with a layer that does not compress. */
    const newImage = (size = 1000): TestImage => {
      const noise = Buffer.concat(
        Array.from({ length: Math.ceil(size / 32) }, (_, i) => createHash('sha256').update(`${made} ${i}`).digest()),
      );
      return buildImage({ name: `made:${++made}`, layers: [[{ name: 'noise', content: noise }]], compression: 'none' });
    };
    const manifestOf = (document: object, mediaType = 'application/vnd.oci.image.manifest.v1+json'): TestBlob => {
      const bytes = Buffer.from(JSON.stringify(document));
      return { mediaType, bytes, digest: digestOf(bytes) };
    };

    beforeAll(async () => {
      [registry, other, store] = await Promise.all([startScriptedRegistry(), startScriptedRegistry(), open()]);
    });
    beforeEach(() => {
      for (const each of [registry, other]) {
        each.requests.length = 0;
        each.intercept = () => false;
      }
    });
    afterEach(() => expect(readdirSync(join(root, 'layers')).filter((name) => name.startsWith('new-'))).toEqual([]));
    afterAll(async () => {
      await store.close();
      await Promise.all([registry.stop(), other.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    it('gets a token with the credentials and pulls with it', async () => {
      const image = newImage();
      registry.add(image, 'token');
      registry.intercept = (request, response) => {
        if (request.headers.authorization === 'Bearer good') return false;
        response
          .writeHead(401, {
            'www-authenticate': `Bearer realm="${other.url}/token",service="test",scope="repository:app:pull"`,
          })
          .end();
        return true;
      };
      other.intercept = (request, response) => {
        const known = request.headers.authorization === `Basic ${Buffer.from('user:right').toString('base64')}`;
        const { searchParams } = new URL(request.url ?? '', other.url);
        const asked = searchParams.get('service') === 'test' && searchParams.get('scope') === 'repository:app:pull';
        response.writeHead(known && asked ? 200 : 401).end('{"token":"good","expires_in":300}');
        return true;
      };
      const pull = (password: string) =>
        store.service.pullImage({
          image: { image: `${registry.host}/app:token` },
          auth: { username: 'user', password },
        });
      await expect(pull('wrong')).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringContaining('failed to fetch oauth token'),
      });
      expect((await pull('right')).imageRef).toBe(image.id);
      // One token is enough for all of the image.
      expect(other.requests.filter(({ line }) => line === 'GET /token')).toHaveLength(2);
    });

    it('follows redirects without credentials', async () => {
      const image = newImage();
      for (const each of [registry, other]) each.add(image, 'redirected');
      registry.intercept = (request, response, path) => {
        if (request.headers.authorization === undefined)
          response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
        else if (path.includes('/blobs/'))
          response.writeHead(307, { location: `${other.url}${path}?signature=1` }).end();
        else return false;
        return true;
      };
      await store.pull(`${registry.host}/app:redirected`, { auth: { username: 'user', password: 'secret' } });
      expect(other.requests).toHaveLength(2);
      expect(other.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
    });

    it('resumes an interrupted download', async () => {
      const image = newImage(3_000_000);
      const [layer] = image.layers;
      registry.add(image, 'broken');
      let breaks = 0;
      registry.intercept = (_request, response, path) => {
        if (!path.endsWith(layer?.digest ?? '?') || ++breaks > 1) return false;
        response.writeHead(200, { 'content-length': layer?.bytes.length });
        response.write(layer?.bytes.subarray(0, 1_000_000), () => response.destroy());
        return true;
      };
      await store.pull(`${registry.host}/app:broken`);
      const ranges = registry.requests
        .filter(({ line }) => line.endsWith(layer?.digest ?? '?'))
        .map(({ range }) => range);
      expect(ranges).toHaveLength(2);
      expect(Number(/^bytes=([0-9]+)-$/.exec(ranges[1] ?? '')?.[1])).toBeGreaterThan(0);
    });

    it('times out on registries and archives that stop sending', async () => {
      const idleTimeoutMs = 300;
      const impatient = await openImageStore(createContext({ writeLog: () => {} }), {
        root: join(folder, 'impatient'),
        registries: { idleTimeoutMs },
      });
      try {
        const image = newImage(100_000);
        registry.add(image, 'stalls');
        let stalled = 0;
        registry.intercept = (_request, response, path) => {
          if (!path.includes(image.layers[0]!.digest)) return false;
          stalled++;
          response.writeHead(200, { 'content-length': 100_000 }).write(Buffer.alloc(10));
          return true;
        };
        await expect(impatient.pull(`${registry.host}/app:stalls`)).rejects.toThrow('no data for 0.3 s');
        expect(stalled).toBeGreaterThan(1);
        registry.intercept = () => true;
        await expect(impatient.pull(`${registry.host}/app:silent`)).rejects.toThrow('no data for 0.3 s');
        const archive = new PassThrough();
        archive.write(Buffer.alloc(100));
        await expect(impatient.loadArchive(archive)).rejects.toThrow('failed to load the archive: no data for 0.3 s');
      } finally {
        await impatient.close();
      }
    });

    it('retries when the registry is busy, and reports it when it stays busy', async () => {
      const image = newImage();
      registry.add(image, 'busy');
      let busy = 2;
      registry.intercept = (_request, response) => busy-- > 0 && response.writeHead(503).end() !== undefined;
      expect((await store.pull(`${registry.host}/app:busy`)).id).toBe(image.id);
      busy = 100;
      await expect(store.pull(`${registry.host}/app:busy`)).rejects.toThrow(/^RegistryUnavailable: .* 503$/);
    });

    it('a cancelled pull ends, and leaves only what can be resumed', async () => {
      const image = newImage(500_000);
      registry.add(image, 'stuck');
      const [layer] = image.layers;
      let sent: () => void = () => {};
      const started = new Promise<void>((resolve) => (sent = resolve));
      registry.intercept = (_request, response, path) => {
        if (!path.endsWith(layer?.digest ?? '?')) return false;
        response.writeHead(200, { 'content-length': layer?.bytes.length });
        response.write(layer?.bytes.subarray(0, 100_000), () => sent());
        return true;
      };
      const controller = new AbortController();
      const pull = store.service.pullImage(
        { image: { image: `${registry.host}/app:stuck` } },
        { signal: controller.signal },
      );
      const failed = expect(pull).rejects.toMatchObject({ code: 'CANCELLED' });
      await started;
      controller.abort();
      await failed;
      registry.intercept = () => false;
      await store.pull(`${registry.host}/app:stuck`);
    });

    it('a cancelled pull from a registry that is silent in the TLS handshake ends', async () => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const controller = new AbortController();
      const { port } = silent.address() as AddressInfo;
      const pull = store.service.pullImage(
        { image: { image: `127.0.0.1:${port}/app:silent` } },
        { signal: controller.signal },
      );
      const failed = expect(pull).rejects.toMatchObject({ code: 'CANCELLED' });
      await once(silent, 'connection');
      controller.abort();
      // Long before the handshake's own timeout.
      await Promise.race([failed, sleep(15_000).then(() => Promise.reject(new Error('the pull did not end')))]);
      for (const socket of sockets) socket.destroy();
      silent.close();
    });

    const lies: readonly [
      name: string,
      lie: (image: TestImage) => TestBlob | undefined,
      code: string,
      message: RegExp,
    ][] = [
      [
        'a layer with a wrong digest',
        (image) =>
          void (registry.intercept = (_request, response, path) =>
            path.endsWith(image.layers[0]?.digest ?? '?') &&
            response.end(Buffer.alloc(image.layers[0]?.bytes.length ?? 0)) !== undefined),
        'DATA_LOSS',
        /failed to copy sha256:.*: content of sha256:.* has the digest sha256:/,
      ],
      [
        'a layer that does not end',
        (image) =>
          void (registry.intercept = (_request, response, path) =>
            path.endsWith(image.layers[0]?.digest ?? '?') && response.end(Buffer.alloc(5_000_000)) !== undefined),
        'DATA_LOSS',
        /is larger than the [0-9]+ bytes/,
      ],
      [
        'a manifest of schema version 1',
        () =>
          manifestOf(
            { schemaVersion: 1, name: 'app', fsLayers: [] },
            'application/vnd.docker.distribution.manifest.v1+prettyjws',
          ),
        'UNIMPLEMENTED',
        /schema version 1, which is not supported/,
      ],
      [
        'a manifest that is no JSON',
        () => ({ ...manifestOf({}), bytes: Buffer.from('<html>') }),
        'FAILED_PRECONDITION',
        /manifest is not JSON/,
      ],
      [
        'a manifest that is two things',
        (image) => manifestOf({ schemaVersion: 2, config: descriptorOf(image.config), layers: [], manifests: [] }),
        'FAILED_PRECONDITION',
        /an index and an image at once/,
      ],
      [
        'a path for a digest',
        (image) =>
          manifestOf({
            schemaVersion: 2,
            config: { ...descriptorOf(image.config), digest: 'sha256:../../../../etc/passwd' },
            layers: [],
          }),
        'FAILED_PRECONDITION',
        /without a valid digest/,
      ],
      [
        'a size beyond numbers',
        (image) =>
          manifestOf({
            schemaVersion: 2,
            config: descriptorOf(image.config),
            layers: image.layers.map((layer) => ({ ...descriptorOf(layer), size: 1e300 })),
          }),
        'FAILED_PRECONDITION',
        /size of sha256:.* is out of range/,
      ],
      [
        'fewer layers than the config has',
        (image) => manifestOf({ schemaVersion: 2, config: descriptorOf(image.config), layers: [] }),
        'FAILED_PRECONDITION',
        /manifest has 0 layers, its config 1/,
      ],
      [
        'something that is not an image',
        (image) =>
          manifestOf({
            schemaVersion: 2,
            config: descriptorOf(image.config),
            layers: image.layers.map((layer) => ({ ...descriptorOf(layer), mediaType: 'application/x-chart' })),
          }),
        'UNIMPLEMENTED',
        /layer of the unsupported type "application\/x-chart"/,
      ],
      [
        'an index without an image',
        () => manifestOf({ schemaVersion: 2, manifests: [] }, 'application/vnd.oci.image.index.v1+json'),
        'NOT_FOUND',
        /no match for platform/,
      ],
    ];
    it.each(lies)('refuses %s', async (_name, lie, code, message) => {
      const image = newImage();
      registry.add(image, 'lie');
      const manifest = lie(image);
      if (manifest !== undefined) registry.addManifest('lie', manifest);
      const before = store.list().length;
      await expect(store.service.pullImage({ image: { image: `${registry.host}/app:lie` } })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect(store.list()).toHaveLength(before);
      expect(store.resolve(`${registry.host}/app:lie`)).toBeUndefined();
    });

    it('content must match the digest in the name', async () => {
      const [wanted, sent] = [newImage(), newImage()];
      registry.add(sent, 'sent');
      registry.intercept = (_request, response, path) =>
        path.endsWith(wanted.manifest.digest) && response.end(sent.manifest.bytes) !== undefined;
      await expect(store.pull(`${registry.host}/app@${wanted.manifest.digest}`)).rejects.toThrow(
        /content of sha256:.* has the digest/,
      );
    });

    it('a hostile layer is refused with its reason, and nothing is written outside', async () => {
      const evil = buildImage({
        name: 'evil',
        layers: [[{ name: `../../../../../../..${folder}/planted`, content: 'x' }]],
      });
      registry.add(evil, 'evil');
      await expect(store.service.pullImage({ image: { image: `${registry.host}/app:evil` } })).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        message: expect.stringMatching(
          /^failed to pull and unpack image ".*": failed to extract layer sha256:[0-9a-f]{64}: the entry ".*planted" would leave the layer$/,
        ),
      });
      expect(existsSync(join(folder, 'planted'))).toBe(false);
    });
  },
);
