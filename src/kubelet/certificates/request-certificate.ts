/** Requests a certificate: creates a key and a CertificateSigningRequest, and waits until it is signed. */
import { createHash, webcrypto } from 'node:crypto';
import net from 'node:net';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import * as x509 from '../../net/x509/index.ts';

export interface CertificateRequestOptions {
  readonly signerName: 'kubernetes.io/kube-apiserver-client-kubelet' | 'kubernetes.io/kubelet-serving';
  readonly nodeName: string;
  /** DNS names and IP addresses of a serving certificate. */
  readonly names?: readonly string[];
  /** For the first certificate of a node, whose request is named node-csr-HASH. */
  readonly isFirst?: boolean;
}

export interface IssuedCertificate {
  /** PEM */
  readonly certificate: string;
  readonly privateKey: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** The first answers come soon: requests of nodes are approved and signed by controllers. */
const POLL_MS = 50;
const MAX_POLL_MS = 10_000;
/** How long to wait for a request to be approved before a new one is created. */
const MAX_WAIT_MS = 15 * 60_000;

/** Throws when the request is denied or fails. */
export async function requestCertificate(
  ctx: Context,
  client: Client,
  order: CertificateRequestOptions,
): Promise<IssuedCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: [{ O: ['system:nodes'] }, { CN: [`system:node:${order.nodeName}`] }],
      keys: keys as Parameters<typeof x509.Pkcs10CertificateRequestGenerator.create>[0]['keys'],
      signingAlgorithm: ALGORITHM,
      extensions:
        (order.names ?? []).length === 0
          ? []
          : [
              new x509.SubjectAlternativeNameExtension(
                (order.names ?? []).map((value) => ({
                  type: net.isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
                  value,
                })),
              ),
            ],
    },
    webcrypto as Parameters<typeof x509.Pkcs10CertificateRequestGenerator.create>[1],
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${key.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;
  const pem = request.toString('pem');
  const name = `node-csr-${createHash('sha256').update(pem).digest('base64url')}`
    .replaceAll('_', '-')
    .toLowerCase()
    .slice(0, 52);
  const object: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: order.isFirst === true ? { name } : { generateName: 'csr-' },
    spec: {
      request: Buffer.from(`${pem}\n`).toString('base64'),
      signerName: order.signerName,
      usages: [
        'digital signature',
        order.signerName === 'kubernetes.io/kubelet-serving' ? 'server auth' : 'client auth',
      ],
    },
  };
  const created = await client
    .resource('certificates.k8s.io/v1/certificatesigningrequests')
    .create(object, { signal: ctx.signal });
  return { certificate: await waitForCertificate(ctx, client, created.metadata.name ?? name), privateKey };
}

async function waitForCertificate({ clock, signal }: Context, client: Client, name: string): Promise<string> {
  const end = clock.monotonic() + MAX_WAIT_MS;
  for (let pause = POLL_MS; ; pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
    const { status } = await client
      .resource('certificates.k8s.io/v1/certificatesigningrequests')
      .get({ name }, { signal });
    const refused = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (refused !== undefined)
      throw new Error(
        `certificate signing request is not approved, reason: ${refused.reason ?? ''}, message: ${refused.message ?? ''}`,
      );
    if (status?.certificate !== undefined) return Buffer.from(status.certificate, 'base64').toString();
    if (clock.monotonic() > end) throw new Error('timed out waiting for the condition');
    await clock.sleep(pause, signal);
  }
}
