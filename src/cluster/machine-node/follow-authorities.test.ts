import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueCertificate, loadAuthority } from '../../apiserver/index.ts';
import { createAuthority } from '../../apiserver/pki/certificates.ts';
import type { Client } from '../../client/index.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { caHash } from '../discovery/index.ts';
import { ISSUER_ANNOTATION, TRUSTED_ANNOTATION, untilAuthoritiesChange } from './follow-authorities.ts';

let ctx: TestContext;
let directory: string;
beforeEach(() => {
  ctx = createTestContext({ startTime: Date.UTC(2026, 0, 1) });
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-authorities-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

/** A cluster that tells of these CAs; `annotations` is what the machine has told. */
function cluster(told: { ca: string }) {
  const annotations: Record<string, string>[] = [];
  const resources: Record<string, object> = {
    'v1/configmaps': {
      get: () => {
        const cluster = { 'certificate-authority-data': Buffer.from(told.ca).toString('base64') };
        return Promise.resolve({ data: { kubeconfig: JSON.stringify({ clusters: [{ cluster }] }) } });
      },
    },
    'v1/nodes': {
      patch: (_: object, { metadata }: { metadata: { annotations: Record<string, string> } }) => {
        annotations.push(metadata.annotations);
        return Promise.resolve({});
      },
    },
  };
  return { client: { resource: (name: string) => resources[name] } as unknown as Client, annotations };
}

describe('a machine in the rotation of the CA', () => {
  it('tells what it trusts and who has signed its certificates, and takes a bundle with a CA that it knows', async () => {
    const [old, next] = [await createAuthority(ctx, 'kubernetes'), await createAuthority(ctx, 'kubernetes')];
    const sign = async (name: string, authority: typeof old): Promise<void> => {
      const { certificate, key } = await issueCertificate(ctx, authority, { commonName: 'n', usage: 'client' });
      fs.writeFileSync(path.join(directory, `${name}-current.pem`), certificate + key);
    };
    await sign('kubelet-client', old);
    await sign('kubelet-server', old);
    const both = old.certificate + next.certificate;
    const told = { ca: both };
    const { client, annotations } = cluster(told);
    const done = untilAuthoritiesChange(ctx, { client, nodeName: 'n', directory, ca: both });
    await ctx.clock.advance(1000);
    const hashes = [caHash(old.certificate), caHash(next.certificate)];
    expect(annotations).toEqual([{ [TRUSTED_ANNOTATION]: hashes.join(','), [ISSUER_ANNOTATION]: hashes[0] }]);
    await sign('kubelet-client', next);
    await ctx.clock.advance(10_000);
    await sign('kubelet-server', next);
    await ctx.clock.advance(30_000);
    expect(annotations.slice(1).map((one) => one[ISSUER_ANNOTATION])).toEqual(['', hashes[1]]);
    const { certificate: switched } = await loadAuthority({ certificate: both, key: next.key });
    told.ca = switched;
    await ctx.clock.advance(10_000);
    expect(await done).toBe(next.certificate + old.certificate);
  });

  it('takes no CA that none of those which it trusts comes with', async () => {
    const [own, foreign] = [await createAuthority(ctx, 'kubernetes'), await createAuthority(ctx, 'kubernetes')];
    const { client } = cluster({ ca: foreign.certificate });
    const done = untilAuthoritiesChange(ctx, { client, nodeName: 'n', directory, ca: own.certificate });
    await ctx.clock.advance(60_000);
    ctx.stop();
    expect(await done).toBeUndefined();
  });
});
