/**
 * A machine's part in the rotation of the cluster's CA: it learns from `cluster-info` which CAs to trust, and tells on its
 * Node which it trusts and which has signed its certificates, so that servers know when the next step is safe.
 */
import fs from 'node:fs';
import path from 'node:path';
import { certificatesIn } from '../../apiserver/index.ts';
import type { Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isSignedBy } from '../../net/tls/index.ts';
import { caHash, readAuthorities } from '../discovery/index.ts';

/** Hashes as of `--ca-hash`, with commas. */
export const TRUSTED_ANNOTATION = 'k8ts.dev/trusted-authorities';
/** The hash of the CA that has signed all certificates of the machine; empty while they differ. */
export const ISSUER_ANNOTATION = 'k8ts.dev/issuing-authority';

const POLL_MS = 5000;
const CERTIFICATES = ['kubelet-client-current.pem', 'kubelet-server-current.pem'];

interface FollowOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** The certificates of the machine. */
  readonly directory: string;
  /** PEM: what it trusts now. */
  readonly ca: string;
}

/** Resolves to the CAs to trust from now on; undefined when the context ends before. */
export async function untilAuthoritiesChange(ctx: Context, options: FollowOptions): Promise<string | undefined> {
  const { client, nodeName, ca } = options;
  const { clock, signal, logger } = ctx;
  for (let told = ''; !signal.aborted;) {
    try {
      const present = await readAuthorities(client, signal);
      if (isSuccessor(ca, present)) return present;
      if (present !== ca) logger.warn('The cluster-info has a CA that this machine has no reason to trust');
      const annotations = annotationsOf(options);
      if (JSON.stringify(annotations) !== told) {
        await client.resource('v1/nodes').patch({ name: nodeName }, { metadata: { annotations } }, { type: 'merge' });
        told = JSON.stringify(annotations);
      }
    } catch (error) {
      if (!signal.aborted) logger.v(1).info('The CAs of the cluster could not be compared', { err: error });
    }
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
  return undefined;
}

/** Another bundle with at least one CA that is trusted already. */
function isSuccessor(ca: string, present: string): boolean {
  const known = new Set(certificatesIn(ca));
  return present !== ca && certificatesIn(present).some((one) => known.has(one));
}

function annotationsOf({ directory, ca }: FollowOptions): Record<string, string> {
  const authorities = certificatesIn(ca);
  const issued = CERTIFICATES.map((name) => path.join(directory, name)).filter((file) => fs.existsSync(file));
  const issuer = authorities.find((authority) =>
    issued.every((file) => isSignedBy(fs.readFileSync(file, 'utf8'), authority)),
  );
  return {
    [TRUSTED_ANNOTATION]: authorities.map(caHash).join(','),
    [ISSUER_ANNOTATION]: issuer === undefined ? '' : caHash(issuer),
  };
}
