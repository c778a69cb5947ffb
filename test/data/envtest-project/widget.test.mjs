// The suite of an operator, which envtest would start: a CRD, its controller, a validating webhook, a user with few rights.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Environment, until } from './environment.mjs';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { speed: { type: 'integer', minimum: 1 } }, required: ['speed'] },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};
const widget = (name, speed) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { speed },
});

const environment = new Environment();
const stopped = new AbortController();
let running;
before(async () => {
  await environment.start();
  await environment.installDefinitions([DEFINITION]);
  running = environment.admin.watch('/apis/example.com/v1/widgets', stopped.signal, reconcile);
});
after(async () => {
  stopped.abort();
  await running;
  await environment.stop();
});

/** A ConfigMap for each Widget, and its status. */
async function reconcile({ type, object }) {
  if (type !== 'ADDED') return;
  const { name, namespace, uid } = object.metadata;
  await environment.admin.post(`/api/v1/namespaces/${namespace}/configmaps`, {
    metadata: {
      name: `widget-${name}`,
      ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name, uid, controller: true }],
    },
    data: { speed: String(object.spec.speed) },
  });
  await environment.admin.put(`/apis/example.com/v1/namespaces/${namespace}/widgets/${name}/status`, {
    ...object,
    status: { ready: true },
  });
}

test('reconciles a custom resource', async () => {
  const created = await environment.admin.post(WIDGETS, widget('first', 3));
  assert.equal(created.code, 201);
  await until('the status', async () => (await environment.admin.get(`${WIDGETS}/first`)).body.status?.ready === true);
  const { body } = await environment.admin.get(`${CONFIG_MAPS}/widget-first`);
  assert.deepEqual(body.data, { speed: '3' });
  assert.equal(body.metadata.ownerReferences[0].uid, created.body.metadata.uid);
});

test('refuses what the schema does not allow', async () => {
  const { code, body } = await environment.admin.post(WIDGETS, widget('slow', 0));
  assert.equal(code, 422);
  assert.match(body.message, /spec\.speed: Invalid value: 0: spec\.speed in body should be greater than or equal to 1/);
});

test('starts no controllers, and lets Pods in that name no ServiceAccount', async () => {
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const { code, body } = await environment.admin.post('/api/v1/namespaces/default/pods', pod);
  assert.equal(code, 201);
  assert.equal(body.spec.serviceAccountName, undefined);
  assert.equal((await environment.admin.get('/api/v1/namespaces/default/serviceaccounts/default')).code, 404);
});

test('asks the operator whether a Widget may be created', async () => {
  const tls = {
    cert: fs.readFileSync(path.join(environment.directory, 'apiserver.crt')),
    key: fs.readFileSync(path.join(environment.directory, 'apiserver.key')),
  };
  const webhook = https.createServer(tls, (request, response) => {
    let text = '';
    request.on('data', (piece) => (text += piece));
    request.on('end', () => {
      const review = JSON.parse(text);
      const allowed = review.request.object.spec.speed < 100;
      const answer = { uid: review.request.uid, allowed, status: { message: 'too fast', code: 403 } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }));
    });
  });
  await once(webhook.listen(0, '127.0.0.1'), 'listening');
  try {
    const configuration = await environment.admin.post(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      {
        metadata: { name: 'widgets' },
        webhooks: [
          {
            name: 'widgets.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: {
              url: `https://127.0.0.1:${webhook.address().port}/validate`,
              caBundle: environment.admin.credentials.ca.toString('base64'),
            },
            rules: [
              { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
            ],
          },
        ],
      },
    );
    assert.equal(configuration.code, 201);
    let refused;
    await until('the webhook is asked', async () => {
      refused = await environment.admin.post(`${WIDGETS}?dryRun=All`, widget('fast', 100));
      return refused.code !== 201;
    });
    assert.equal(refused.body.message, 'admission webhook "widgets.example.com" denied the request: too fast');
    assert.equal((await environment.admin.post(WIDGETS, widget('second', 99))).code, 201);
  } finally {
    webhook.close();
  }
});

test('gives a user of its own no more than its Role', async () => {
  const user = environment.addUser('reader', ['readers']);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const apiGroup = 'rbac.authorization.k8s.io';
  assert.equal((await user.get(WIDGETS)).code, 403);
  await environment.admin.post(`${rbac}/roles`, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['list'] }],
  });
  await environment.admin.post(`${rbac}/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup, kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup, kind: 'Group', name: 'readers' }],
  });
  await until('the Role', async () => (await user.get(WIDGETS)).code === 200);
  assert.equal((await user.delete(`${WIDGETS}/first`)).code, 403);
});

test('answers kubectl', { skip: process.env.NO_KUBECTL === '1' }, () => {
  const kubectl = path.join(process.env.KUBEBUILDER_ASSETS, 'kubectl');
  const args = ['--kubeconfig', environment.kubeconfig(), 'get', 'widget', 'first', '-o', 'jsonpath={.spec.speed}'];
  assert.equal(execFileSync(kubectl, args, { encoding: 'utf8' }), '3');
});
