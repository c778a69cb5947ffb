import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openImageStore, type ImageStore, type ImageStoreOptions } from '../src/container-runtime/images/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { requires } from './requires.ts';
import {
  architecture,
  buildImage,
  busyboxImage,
  imageIndex,
  pushImage,
  pushManifest,
  webImage,
} from './test-images.ts';
import {
  REGISTRY_AUTHORIZATION,
  REGISTRY_PASSWORD,
  REGISTRY_USER,
  startRegistry,
  type TestRegistry,
} from './test-registry.ts';

const missing = requires('root', 'docker-registry', 'busybox', 'openssl');

describe.skipIf(missing !== undefined)(
  `pulling from docker-registry${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'k8ts-images-'));
    let current: ImageStore | undefined;
    const registries: TestRegistry[] = [];
    let plain: TestRegistry;
    let guarded: TestRegistry;

    /** One store at a time, with what the one before has left: a pull then still asks for the manifest. */
    const open = async (options: Partial<ImageStoreOptions> = {}): Promise<ImageStore> => {
      await current?.close();
      current = await openImageStore(createContext({ writeLog: () => {} }), {
        root: join(folder, 'store'),
        ...options,
      });
      return current;
    };

    beforeAll(async () => {
      [plain, guarded] = await Promise.all([startRegistry(), startRegistry({ authentication: true, tls: true })]);
      registries.push(plain, guarded);
      await pushImage(webImage(), { registry: plain.url, repository: 'team/www', tag: 'v1' });
      // The test itself pushes without looking at the certificate.
      const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      await pushImage(busyboxImage('app'), {
        registry: guarded.url,
        repository: 'app',
        tag: 'latest',
        authorization: REGISTRY_AUTHORIZATION,
      });
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });

    afterAll(async () => {
      await Promise.all([current?.close(), ...registries.map((registry) => registry.stop())]);
      rmSync(folder, { recursive: true, force: true });
    });

    it('pulls by tag and digest, and lists its images', async () => {
      const store = await open();
      const image = webImage();
      const reference = `${plain.host}/team/www`;
      const { imageRef } = await store.service.pullImage({ image: { image: `${reference}:v1` } });
      expect(imageRef).toBe(image.id);
      const byDigest = await store.service.pullImage({ image: { image: `${reference}@${image.manifest.digest}` } });
      expect(byDigest.imageRef).toBe(image.id);
      const { images } = await store.service.listImages({});
      const size = [image.manifest, image.config, ...image.layers].reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(images).toEqual([
        {
          id: image.id,
          repoTags: [`${reference}:v1`],
          repoDigests: [`${reference}@${image.manifest.digest}`],
          size,
          username: 'www',
          spec: { image: '' },
          pinned: false,
        },
      ]);
      for (const name of [
        image.id,
        image.id.slice(7, 20),
        `${reference}:v1`,
        `${reference}@${image.manifest.digest}`,
      ]) {
        expect((await store.service.imageStatus({ image: { image: name } })).image?.id).toBe(image.id);
      }
      expect(await store.service.imageStatus({ image: { image: `${reference}:v2` } })).toEqual({});
    });

    it('selects the image of its platform from an index', async () => {
      const store = await open();
      const mine = busyboxImage('multi');
      const other = buildImage({ name: 'multi', layers: [[{ name: 'other', content: 'x' }]], architecture: 's390x' });
      const target = { registry: plain.url, repository: 'multi' };
      await pushImage(mine, target);
      await pushImage(other, target);
      const index = imageIndex(
        { image: other, platform: { os: 'linux', architecture: 's390x' } },
        { image: mine, platform: { os: 'linux', architecture } },
      );
      await pushManifest(index, { ...target, tag: 'all' });
      await pushManifest(other.manifest, { ...target, tag: 'other' });
      const pulled = await store.pull(`${plain.host}/multi:all`);
      expect(pulled.id).toBe(mine.id);
      expect(pulled.digests).toEqual([`${plain.host}/multi@${index.digest}`]);
      await expect(store.pull(`${plain.host}/multi:other`)).rejects.toThrow(
        /no match for platform in manifest: not found .* linux\/s390x/,
      );
    });

    it('distinguishes missing images, forbidden images and a registry that is down', async () => {
      const store = await open({ registries: { hosts: { [guarded.host]: { settings: { ca: [guarded.ca] } } } } });
      await expect(store.service.pullImage({ image: { image: `${plain.host}/team/www:none` } })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringMatching(
          /^failed to pull and unpack image ".*\/team\/www:none": failed to resolve reference ".*": .*\/team\/www:none: not found$/,
        ),
      });
      await expect(store.service.pullImage({ image: { image: `${guarded.host}/app` } })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      await expect(store.service.pullImage({ image: { image: '127.0.0.1:1/app' } })).rejects.toMatchObject({
        code: 'UNKNOWN',
        message: expect.stringMatching(/^RegistryUnavailable: /),
      });
      await expect(store.service.pullImage({ image: { image: 'UPPER' } })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });

    it('pulls over TLS with credentials of every source', async () => {
      const image = { image: `${guarded.host}/app` };
      const auth = { username: REGISTRY_USER, password: REGISTRY_PASSWORD };

      const distrusting = await open();
      await expect(distrusting.service.pullImage({ image, auth })).rejects.toThrow(
        /tls: failed to verify certificate: x509: certificate signed by unknown authority/,
      );

      const hostsDirectory = join(folder, 'certs.d');
      const hostFolder = join(hostsDirectory, guarded.host);
      mkdirSync(hostFolder, { recursive: true });
      writeFileSync(join(hostFolder, 'ca.pem'), guarded.ca);
      writeFileSync(join(hostFolder, 'hosts.toml'), `server = "${guarded.url}"\nca = "ca.pem"\n`);
      const withPullSecret = await open({ registries: { hostsDirectory } });
      const { imageRef } = await withPullSecret.service.pullImage({ image, auth });
      expect(imageRef).toBe(busyboxImage('app').id);
      await expect(
        withPullSecret.service.pullImage({ image, auth: { ...auth, password: 'wrong' } }),
      ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      const basic = Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64');
      await withPullSecret.service.pullImage({ image, auth: { auth: basic } });
      const elsewhere = { auth: basic, serverAddress: 'https://elsewhere.example' };
      await expect(withPullSecret.service.pullImage({ image, auth: elsewhere })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });

      const dockerConfig = join(folder, 'config.json');
      writeFileSync(dockerConfig, JSON.stringify({ auths: { [guarded.url]: { auth: basic } } }));
      const withConfig = await open({ registries: { hostsDirectory, dockerConfig } });
      await withConfig.service.pullImage({ image });
    });

    it('runs a credential helper', async () => {
      const bin = join(folder, 'bin');
      mkdirSync(bin, { recursive: true });
      const answer = JSON.stringify({ ServerURL: guarded.host, Username: REGISTRY_USER, Secret: REGISTRY_PASSWORD });
      writeFileSync(
        join(bin, 'docker-credential-k8ts-test'),
        `#!/bin/sh\nread server\n[ "$server" = "${guarded.host}" ] && [ "$1" = get ] && echo '${answer}'\n`,
        { mode: 0o755 },
      );
      const dockerConfig = join(folder, 'helper-config.json');
      writeFileSync(dockerConfig, JSON.stringify({ credHelpers: { [guarded.host]: 'k8ts-test' } }));
      const { PATH } = process.env;
      process.env.PATH = `${bin}:${PATH}`;
      try {
        const store = await open({
          registries: { dockerConfig, hosts: { [guarded.host]: { settings: { ca: [guarded.ca] } } } },
        });
        expect((await store.pull(`${guarded.host}/app`)).tags).toContain(`${guarded.host}/app:latest`);
      } finally {
        process.env.PATH = PATH;
      }
    });

    it('uses mirrors first and the registry when they fail', async () => {
      const mirrored = await open({
        registries: { hosts: { 'registry.invalid': { mirrors: [{ url: 'http://127.0.0.1:1' }, { url: plain.url }] } } },
      });
      expect((await mirrored.pull('registry.invalid/team/www:v1')).tags).toContain('registry.invalid/team/www:v1');
      const fallingBack = await open({
        registries: { hosts: { [plain.host]: { mirrors: [{ url: 'http://127.0.0.1:1' }] } } },
      });
      expect((await fallingBack.pull(`${plain.host}/team/www:v1`)).tags).toContain(`${plain.host}/team/www:v1`);
    });

    it('uses a proxy, plain and in a tunnel', async () => {
      const seen: string[] = [];
      const proxy = createServer((request, response) => {
        seen.push(`${request.method} ${request.url} for ${request.headers['proxy-authorization']}`);
        const { pathname } = new URL(request.url ?? '');
        void fetch(`${plain.url}${pathname}`, { headers: { accept: request.headers.accept ?? '*/*' } }).then(
          async (answer) => {
            response
              .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
              .end(Buffer.from(await answer.arrayBuffer()));
          },
        );
      });
      proxy.on('connect', (request, socket) => {
        seen.push(`CONNECT ${request.url}`);
        const upstream = connect(Number(guarded.host.split(':')[1]), '127.0.0.1', () =>
          socket.write('HTTP/1.1 200 OK\r\n\r\n'),
        );
        upstream.pipe(socket).pipe(upstream);
        for (const end of [socket, upstream]) end.on('error', () => end.destroy());
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const { port } = proxy.address() as { port: number };
      const before = { ...process.env };
      Object.assign(process.env, {
        HTTP_PROXY: `http://me:pw@127.0.0.1:${port}`,
        HTTPS_PROXY: `127.0.0.1:${port}`,
        NO_PROXY: '',
      });
      try {
        const hosts = {
          'plain.invalid': { server: 'http://plain.invalid' },
          'tls.invalid': { settings: { skipVerify: true } },
        };
        const store = await open({ registries: { hosts } });
        await store.pull('plain.invalid/team/www:v1');
        expect(seen[0]).toBe(
          `GET http://plain.invalid/v2/team/www/manifests/v1 for Basic ${Buffer.from('me:pw').toString('base64')}`,
        );
        await store.pull('tls.invalid/app', { auth: { username: REGISTRY_USER, password: REGISTRY_PASSWORD } });
        expect(seen).toContain('CONNECT tls.invalid:443');
      } finally {
        process.env = before;
        proxy.closeAllConnections();
        proxy.close();
      }
    });

    it('two pulls at once share downloads and layers', async () => {
      const store = await open({ root: join(folder, 'empty') });
      const received = new Map<string, number>();
      const onProgress = ({
        digest,
        received: bytes,
        size,
      }: {
        digest: string;
        received: number;
        size: number;
      }): void => {
        if (bytes === size) received.set(digest, (received.get(digest) ?? 0) + 1);
      };
      const reference = `${plain.host}/team/www:v1`;
      const pulled = await Promise.all(Array.from({ length: 5 }, () => store.pull(reference, { onProgress })));
      expect(new Set(pulled.map(({ id }) => id)).size).toBe(1);
      expect([...received.values()]).toEqual([1, 1, 1]);
    });
  },
);
