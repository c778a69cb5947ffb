import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, validateSubresourceUpdate } from '../index.ts';
import { changed, createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';
import { certificateRequestProblem } from './certificate-request.ts';

/** The DER of one element. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function requestOf(signer: KeyObject, publicKey: KeyObject): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const info = element(0x30, Buffer.from('020100', 'hex'), element(0x30), spki, element(0xa0));
  const algorithm = element(0x30, element(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const signature = createSign('sha256').update(info).sign(signer);
  return element(0x30, info, algorithm, element(0x03, Buffer.from([0]), signature));
}

const pem = (type: string, der: Buffer): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const others = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const request = pem('CERTIFICATE REQUEST', requestOf(keys.privateKey, keys.publicKey));

describe('certificateRequestProblem', () => {
  const rows: [name: string, text: string, problem: string | undefined][] = [
    ['a request', request, undefined],
    ['text', 'hello', 'PEM block type must be CERTIFICATE REQUEST'],
    ['a certificate', pem('CERTIFICATE', Buffer.from('3000', 'hex')), 'PEM block type must be CERTIFICATE REQUEST'],
    [
      'a request signed with another key',
      pem('CERTIFICATE REQUEST', requestOf(others.privateKey, keys.publicKey)),
      'x509: ECDSA verification failure',
    ],
    [
      'a request cut short',
      pem('CERTIFICATE REQUEST', Buffer.from('3005', 'hex')),
      'asn1: syntax error: data truncated',
    ],
    [
      'an empty sequence',
      pem('CERTIFICATE REQUEST', Buffer.from('3000', 'hex')),
      'asn1: structure error: sequence truncated',
    ],
  ];
  it.each(rows)('%s', (_name, text, problem) => {
    expect(certificateRequestProblem(text)).toBe(problem);
  });
});

describe('CertificateSigningRequests', () => {
  const kind = { group: 'certificates.k8s.io', version: 'v1', plural: 'certificatesigningrequests', namespaced: false };
  const right: JsonObject = {
    metadata: { name: 'c' },
    spec: { request: base64(request), usages: ['client auth'], signerName: 'x.io/y' },
    status: {},
  };
  const cases: Case[] = [
    ['right', {}, []],
    ['no usages', { spec: { usages: [] } }, ['spec.usages: Required value']],
    [
      'an empty request',
      { spec: { request: '' } },
      ['spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    ],
    [
      'no request',
      { spec: { request: null } },
      ['spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST'],
    ],
    [
      'usages unknown and twice',
      { spec: { usages: ['fly', 'client auth', 'client auth'] } },
      [
        expect.stringMatching(/^spec\.usages\[0\]: Unsupported value: "fly": supported values: "any", /) as string,
        'spec.usages[2]: Duplicate value: "client auth"',
      ],
    ],
    [
      'a signer without a domain',
      { spec: { signerName: 'y' } },
      [
        'spec.signerName: Invalid value: "y": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
    [
      'the signer of old',
      { spec: { signerName: 'kubernetes.io/legacy-unknown' } },
      [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      'too short',
      { spec: { expirationSeconds: 10 } },
      ['spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
  const approvalErrors = (object: JsonObject, change: JsonObject): string[] => {
    const old = changed(object, { metadata: { resourceVersion: '1' } });
    const update = { object: changed(old, change), old, context: DEFAULT_VALIDATION_CONTEXT };
    return [...new Set(validateSubresourceUpdate(kind, 'approval', update).map(String))];
  };
  it('are approved only through their approval', () => {
    expect(approvalErrors(right, approved)).toEqual([]);
    expect(statusErrors(kind, right, approved)).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
  });
  it('stay approved', () => {
    const stored = changed(right, approved);
    expect(approvalErrors(stored, { status: { conditions: [] } })).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const both = [
      { type: 'Approved', status: 'True' },
      { type: 'Denied', status: 'True' },
    ];
    expect(approvalErrors(stored, { status: { conditions: both } })).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
  });
  it('get a certificate only through their status, once', () => {
    const certificate = { status: { certificate: base64('x') } };
    expect(updateErrors(kind, right, certificate)).toContain(
      'status.certificate: Forbidden: updates may not set certificate content',
    );
    expect(statusErrors(kind, right, certificate)).toEqual([
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ]);
    expect(statusErrors(kind, changed(right, certificate), { status: { certificate: base64('y') } })).toEqual([
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ]);
  });
});
