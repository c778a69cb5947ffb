import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TestBlob, TestImage } from './test-images.ts';

/** A registry in the test's process that behaves as badly as a test wants. */
export interface ScriptedRegistry {
  readonly host: string;
  readonly url: string;
  /** `METHOD path` of every request so far, with what the test wants to look at. */
  readonly requests: { readonly line: string; readonly authorization?: string; readonly range?: string }[];
  /** Goes before the normal answer; true when it has answered. */
  intercept: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  add(image: TestImage, tag?: string): void;
  addManifest(tag: string, manifest: TestBlob): void;
  stop(): Promise<void>;
}

export async function startScriptedRegistry(): Promise<ScriptedRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, TestBlob>();
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://registry').pathname;
    const { authorization, range } = request.headers;
    registry.requests.push({
      line: `${request.method} ${path}`,
      ...(authorization === undefined ? {} : { authorization }),
      ...(range === undefined ? {} : { range }),
    });
    if (registry.intercept(request, response, path)) return;
    const name = path.split('/').at(-1) ?? '';
    if (path.includes('/manifests/')) answerManifest(response, manifests.get(name));
    else answerBlob(response, blobs.get(name), range);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const host = `127.0.0.1:${address.port}`;
  const registry: ScriptedRegistry = {
    host,
    url: `http://${host}`,
    requests: [],
    intercept: () => false,
    add(image, tag = 'latest') {
      for (const blob of [image.config, ...image.layers]) blobs.set(blob.digest, blob.bytes);
      manifests.set(image.manifest.digest, image.manifest).set(tag, image.manifest);
    },
    addManifest(tag, manifest) {
      manifests.set(manifest.digest, manifest).set(tag, manifest);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return registry;
}

function answerManifest(response: ServerResponse, manifest: TestBlob | undefined): void {
  if (manifest === undefined) response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
  else response.writeHead(200, { 'content-type': manifest.mediaType }).end(manifest.bytes);
}

function answerBlob(response: ServerResponse, blob: Buffer | undefined, range: string | undefined): void {
  const start = Number(/^bytes=([0-9]+)-$/.exec(range ?? '')?.[1] ?? 0);
  if (blob === undefined) response.writeHead(404).end();
  else if (start > 0)
    response
      .writeHead(206, { 'content-range': `bytes ${start}-${blob.length - 1}/${blob.length}` })
      .end(blob.subarray(start));
  else response.writeHead(200, { 'content-length': blob.length }).end(blob);
}
