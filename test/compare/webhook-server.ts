/**
 * The webhooks that both servers call: one loopback listener for each, so that what each of them sent can be compared.
 * The path is `/RUN/BEHAVIOUR`; what was received is kept by RUN until it is taken.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';

interface Review {
  readonly apiVersion: string;
  readonly request?: { readonly uid: string; readonly object?: { readonly metadata?: { readonly labels?: object } } };
}

const DAY_MS = 86_400_000;
const encode = (patch: readonly object[]): string => Buffer.from(JSON.stringify(patch)).toString('base64');
const ADD_LABEL = { op: 'add', path: '/metadata/labels/patched', value: 'yes' };

/** What a webhook answers, by the last word of its path. */
const BEHAVIOURS: Readonly<Record<string, (review: Review) => unknown>> = {
  allow: () => ({ allowed: true }),
  deny: () => ({ allowed: false }),
  'deny-message': () => ({ allowed: false, status: { message: 'not today', code: 418, reason: 'Teapot' } }),
  'deny-cause': () => ({
    allowed: false,
    status: { message: 'bad', details: { causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'f' }] } },
  }),
  'deny-code': () => ({ allowed: false, status: { code: 451 } }),
  'deny-success': () => ({ allowed: false, status: { status: 'Success', code: 200, message: 'odd' } }),
  warn: () => ({ allowed: true, warnings: ['first "quoted" warning', 'second', 'ü'.repeat(20), 'long '.repeat(80)] }),
  'warn-deny': () => ({ allowed: false, warnings: ['careful'] }),
  patch: ({ request }) => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: encode(
      request?.object?.metadata?.labels ? [ADD_LABEL] : [{ op: 'add', path: '/metadata/labels', value: {} }, ADD_LABEL],
    ),
  }),
  'patch-bad': () => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: encode([{ op: 'remove', path: '/no/such/place' }]),
  }),
  'patch-garbage': () => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from('garbage').toString('base64') }),
  'patch-type': () => ({ allowed: true, patchType: 'MergePatch', patch: encode([ADD_LABEL]) }),
  'patch-without-type': () => ({ allowed: true, patch: encode([ADD_LABEL]) }),
  'patch-invalid': () => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: encode([{ op: 'add', path: '/metadata/labels', value: { 'bad key!': 'x' } }]),
  }),
  'audit-annotations': () => ({ allowed: true, auditAnnotations: { 'a.example.com/k': 'v', plain: 'v' } }),
  'wrong-uid': () => ({ allowed: true, uid: 'another' }),
};

/** Answers that are no AdmissionReview. */
const RAW: Readonly<Record<string, { status: number; body: string }>> = {
  'error-500': { status: 500, body: 'broken' },
  'error-404': { status: 404, body: 'nothing here' },
  empty: { status: 200, body: '' },
  'not-json': { status: 200, body: 'hello' },
  'no-response': { status: 200, body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}' },
  'wrong-kind': { status: 200, body: '{"apiVersion":"v1","kind":"Pod","response":{"uid":"x","allowed":true}}' },
  'wrong-version': {
    status: 200,
    body: '{"apiVersion":"admission.k8s.io/v9","kind":"AdmissionReview","response":{"uid":"x","allowed":true}}',
  },
};

export const BEHAVIOUR_NAMES: readonly string[] = [...Object.keys(BEHAVIOURS), ...Object.keys(RAW)];

export interface WebhookServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The reviews of a conversation since they were last taken. */
  take(run: string): unknown[];
  close(): void;
}

export interface WebhookServers {
  readonly ours: WebhookServer;
  readonly theirs: WebhookServer;
  /** In base64, as clientConfig.caBundle has it. */
  readonly ca: string;
}

export async function startWebhookServers(): Promise<WebhookServers> {
  const { cert, key } = await selfSigned();
  const [ours, theirs] = [await listen(cert, key), await listen(cert, key)];
  return { ours, theirs, ca: Buffer.from(cert).toString('base64') };
}

async function selfSigned(): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ serialNumber: '01', name: 'CN=compare', keys, signingAlgorithm: algorithm },
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${bytes.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}

async function listen(cert: string, key: string): Promise<WebhookServer> {
  const received = new Map<string, unknown[]>();
  const server = https.createServer({ cert, key }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const [, run = '', behaviour = ''] = (request.url ?? '').split('?')[0]!.split('/');
      const review = JSON.parse(Buffer.concat(pieces).toString()) as Review;
      received.set(run, [...(received.get(run) ?? []), { path: `/${behaviour}`, ...review }]);
      const { status, body } = answer(behaviour, review);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: (run) => {
      const reviews = received.get(run) ?? [];
      received.delete(run);
      return reviews;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(behaviour: string, review: Review): { status: number; body: string } {
  const raw = RAW[behaviour];
  if (raw) return raw;
  const response = BEHAVIOURS[behaviour]?.(review) ?? { allowed: true };
  return {
    status: 200,
    body: JSON.stringify({
      apiVersion: review.apiVersion,
      kind: 'AdmissionReview',
      response: { uid: review.request?.uid, ...(response as object) },
    }),
  };
}
