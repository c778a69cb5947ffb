import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pkcs10CertificateRequestGenerator } from '../../net/x509/index.ts';
import type { UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { createObject, rejection } from './testing/index.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const OFFICER: UserInfo = { name: 'officer', groups: ['system:authenticated'] };
const NODE: UserInfo = { name: 'system:node:n', groups: ['system:nodes', 'system:masters', 'system:authenticated'] };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  await createObject(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    ...rbac,
    kind: 'ClusterRole',
    metadata: { name: 'officer' },
    rules: [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: [
          'certificatesigningrequests',
          'certificatesigningrequests/approval',
          'certificatesigningrequests/status',
        ],
        verbs: ['get', 'update'],
      },
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['ours.example/*', 'theirs.example/one'],
        verbs: ['approve', 'sign'],
      },
    ],
  });
  await createObject(server, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    ...rbac,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'officer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'officer' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'officer' }],
  });
});
afterAll(() => server.stop());

async function request(name: string, signerName: string, subject: string): Promise<object> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: keys as webcrypto.CryptoKeyPair,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request: Buffer.from(csr.toString('pem')).toString('base64'), signerName, usages: ['client auth'] },
  };
}

describe('approving and signing need permission for the signer', () => {
  it.each<[string, string, 'approval' | 'status', number, string | undefined]>([
    ['approving for a signer of a domain', 'ours.example/any', 'approval', 200, undefined],
    ['approving for a signer by name', 'theirs.example/one', 'approval', 200, undefined],
    [
      'approving for another signer',
      'theirs.example/two',
      'approval',
      403,
      'user not permitted to approve requests with signerName "theirs.example/two"',
    ],
    [
      'failing for another signer',
      'theirs.example/two',
      'status',
      403,
      'user not permitted to sign requests with signerName "theirs.example/two"',
    ],
    ['failing for a signer of a domain', 'ours.example/any', 'status', 200, undefined],
  ])('%s', async (name, signer, subresource, status, message) => {
    const id = name.replaceAll(' ', '-');
    const created = await createObject(server, PATH, await request(id, signer, 'CN=somebody'));
    const condition = { type: subresource === 'approval' ? 'Approved' : 'Failed', status: 'True', reason: 'Test' };
    const answer = await server.call('PUT', `${PATH}/${id}/${subresource}`, {
      body: { ...created, status: { conditions: [condition] } },
      user: OFFICER,
    });
    expect(answer.status).toBe(status);
    if (message)
      expect(answer.body['message']).toBe(
        `certificatesigningrequests.certificates.k8s.io "${id}" is forbidden: ${message}`,
      );
  });

  it('changing the status without signing needs no permission', async () => {
    const created = await createObject(server, PATH, await request('untouched', 'theirs.example/two', 'CN=somebody'));
    expect((await server.call('PUT', `${PATH}/untouched/status`, { body: created, user: OFFICER })).status).toBe(200);
  });
});

it.each<[string, string, string, UserInfo | undefined, string | undefined]>([
  [
    'nobody becomes a master',
    'kubernetes.io/kube-apiserver-client',
    'CN=me,O=system:masters',
    undefined,
    'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  ],
  ['other groups are fine', 'kubernetes.io/kube-apiserver-client', 'CN=me,O=staff', undefined, undefined],
  [
    'a node asks for itself',
    'kubernetes.io/kube-apiserver-client-kubelet',
    'CN=system:node:n,O=system:nodes',
    NODE,
    undefined,
  ],
  [
    'a node does not ask for another',
    'kubernetes.io/kubelet-serving',
    'CN=system:node:o,O=system:nodes',
    NODE,
    'can only create a node CSR with CN=system:node:n',
  ],
])('%s', async (_name, signer, subject, user, message) => {
  expect(await rejection(server, PATH, await request('r', signer, subject), user)).toBe(
    message && `certificatesigningrequests.certificates.k8s.io "r" is forbidden: ${message}`,
  );
});
