import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { startLoopbackServer, type LoopbackServer } from '../review-webhooks/testing/loopback-server.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { loadAdmissionConfiguration } from './configuration.ts';
import { container, pod, podsPath, rejection } from './testing/index.ts';

interface Review {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

let webhook: LoopbackServer;
let directory: string;
const stopping = new AbortController();
const ctx = createContext({ signal: stopping.signal, writeLog: () => {} });

beforeAll(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-image-policy-'));
  webhook = await startLoopbackServer((_path, body) => {
    const images = (body as Review).spec.containers.map(({ image }) => image);
    if (images.includes('broken')) return { status: 400, body: {} };
    const reason = images.includes('silent') ? '' : 'not from here';
    return {
      body: {
        ...(body as object),
        status: images.every((image) => image.startsWith('registry.example/'))
          ? { allowed: true, auditAnnotations: { seen: 'yes' } }
          : { allowed: false, reason },
      },
    };
  });
});
beforeEach(() => void (webhook.received.length = 0));
afterAll(async () => {
  stopping.abort();
  await webhook.close();
  await fs.rm(directory, { recursive: true });
});

async function start(imagePolicy: object = {}): Promise<TestServer> {
  const file = path.join(directory, 'admission.yaml');
  const plugin = {
    name: 'ImagePolicyWebhook',
    configuration: { imagePolicy: { kubeConfigFile: webhook.kubeconfig, retryBackoff: 1, ...imagePolicy } },
  };
  await fs.writeFile(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins: [plugin] }),
  );
  return startTestServer({
    admission: { ...(await loadAdmissionConfiguration(ctx, file)), enable: ['ImagePolicyWebhook'] },
  });
}

const withImage = (image: string): object =>
  pod(
    'p',
    { containers: [container({ image })], initContainers: [container({ name: 'i' })] },
    { annotations: { 'a.image-policy.k8s.io/ticket': '7', other: 'x' } },
  );

describe('ImagePolicyWebhook', () => {
  it.each([
    ['an image that is allowed', 'registry.example/app:1', undefined],
    [
      'one that is denied, with the reason',
      'elsewhere/app',
      'pods "p" is forbidden: image policy webhook backend denied one or more images: not from here',
    ],
    [
      'one that is denied without a reason',
      'silent',
      'pods "p" is forbidden: one or more images rejected by webhook backend',
    ],
    ['a webhook that fails', 'broken', 'pods "p" is forbidden: the webhook returned status 400'],
  ])('%s', async (_name, image, message) => {
    const server = await start();
    expect(await rejection(server, podsPath('default'), withImage(image))).toBe(message);
    expect(webhook.received[0]?.body).toMatchObject({
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      kind: 'ImageReview',
      spec: {
        containers: [{ image }, { image: 'registry.example/app:1' }],
        annotations: { 'a.image-policy.k8s.io/ticket': '7' },
        namespace: 'default',
      },
    });
    expect((webhook.received[0]!.body as { spec: { annotations: object } }).spec.annotations).not.toHaveProperty(
      'other',
    );
    await server.stop();
  });

  it('admits pods when the webhook fails and the configuration allows it', async () => {
    const server = await start({ defaultAllow: true });
    expect(await rejection(server, podsPath('default'), withImage('broken'))).toBeUndefined();
    await server.stop();
  });

  it('calls the webhook once for the same images, until its answer expires', async () => {
    const server = await start({ allowTTL: 60 });
    for (let i = 0; i < 3; i++) await rejection(server, podsPath('default'), withImage('registry.example/app:1'));
    expect(webhook.received).toHaveLength(1);
    await server.ctx.clock.advance(61_000);
    await rejection(server, podsPath('default'), withImage('registry.example/app:1'));
    expect(webhook.received).toHaveLength(2);
    await server.stop();
  });
});

describe('AdmissionConfiguration', () => {
  it.each([
    ['another kind', { kind: 'Config' }, /expected an AdmissionConfiguration, got Config/],
    [
      'a plugin that takes none',
      { kind: 'AdmissionConfiguration', plugins: [{ name: 'Priority', configuration: {} }] },
      /the plugin "Priority" has no configuration/,
    ],
    [
      'a field that nobody knows',
      {
        kind: 'AdmissionConfiguration',
        plugins: [{ name: 'PodSecurity', configuration: { kind: 'PodSecurityConfiguration', nonsense: 1 } }],
      },
      /PodSecurity: unknown field "nonsense"/,
    ],
    [
      'a webhook without a kubeconfig',
      { kind: 'AdmissionConfiguration', plugins: [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy: {} } }] },
      /imagePolicy.kubeConfigFile is missing/,
    ],
  ])('refuses %s', async (_name, content, message) => {
    const file = path.join(directory, 'refused.yaml');
    await fs.writeFile(file, JSON.stringify(content));
    await expect(loadAdmissionConfiguration(ctx, file)).rejects.toThrow(message);
  });

  it('reads files that it names, beside itself', async () => {
    await fs.writeFile(
      path.join(directory, 'limits.yaml'),
      'kind: Configuration\nlimits: [{type: Server, qps: 1, burst: 1}]\n',
    );
    await fs.writeFile(
      path.join(directory, 'named.yaml'),
      'kind: AdmissionConfiguration\nplugins: [{name: EventRateLimit, path: limits.yaml}]\n',
    );
    expect(await loadAdmissionConfiguration(ctx, path.join(directory, 'named.yaml'))).toEqual({
      eventRateLimit: { limits: [{ type: 'Server', qps: 1, burst: 1 }] },
    });
  });
});
