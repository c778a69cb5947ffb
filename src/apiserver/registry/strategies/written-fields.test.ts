/** What the author of an object is held to have written, where that differs from what is stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const AUTOSCALERS = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const scaler = (name: string, more: { annotations?: object; status?: object } = {}): object => ({
  metadata: { name, ...(more.annotations ? { annotations: more.annotations } : {}) },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 50,
  },
  ...(more.status ? { status: more.status } : {}),
});

interface Written {
  readonly metadata: {
    readonly annotations?: Record<string, string>;
    readonly generation?: number;
    readonly managedFields?: readonly { readonly fieldsV1: Record<string, Record<string, Record<string, object>>> }[];
  };
  readonly status: { readonly currentCPUUtilizationPercentage?: number };
  readonly spec: Record<string, unknown>;
}

const written = (answer: TestAnswer): Written => answer.body as unknown as Written;
const annotationsOf = (answer: TestAnswer): string[] => Object.keys(written(answer).metadata.annotations ?? {});
const owned = (answer: TestAnswer, entry = 0): unknown => written(answer).metadata.managedFields?.[entry]?.fieldsV1;

describe('autoscalers of version 1', () => {
  it.each([
    ['no JSON', 'x'],
    ['no list', '5'],
    ['no metrics', '[1]'],
  ])('an annotation with %s is ignored', async (name, text) => {
    const answer = await server.call('POST', `${AUTOSCALERS}?dryRun=All`, {
      body: scaler(name.replace(/\W/g, '').toLowerCase(), { annotations: { [METRICS]: text } }),
    });
    expect(answer.status).toBe(201);
    expect(annotationsOf(answer)).toEqual([]);
  });

  it('have their status in annotations, which the writer of the status owns', async () => {
    await server.call('POST', AUTOSCALERS, { body: scaler('a') });
    const status = { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 20 };
    const put = await server.call('PUT', `${AUTOSCALERS}/a`, { body: scaler('a', { status }) });
    expect([annotationsOf(put), written(put).status.currentCPUUtilizationPercentage]).toEqual([[], undefined]);
    const putStatus = await server.call('PUT', `${AUTOSCALERS}/a/status`, {
      body: scaler('a', {
        status,
        annotations: { [METRICS]: '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1"}}]' },
      }),
    });
    expect(annotationsOf(putStatus)).toEqual([CURRENT]);
    expect(owned(putStatus, 1)).toMatchObject({
      'f:metadata': { 'f:annotations': { [`f:${CURRENT}`]: {} } },
      'f:status': { 'f:currentCPUUtilizationPercentage': {} },
    });
    const again = await server.call('PUT', `${AUTOSCALERS}/a`, { body: scaler('a') });
    expect([annotationsOf(again), written(again).status.currentCPUUtilizationPercentage]).toEqual([[CURRENT], 20]);
  });

  it('have tables and metadata without those annotations', async () => {
    for (const kind of ['Table', 'PartialObjectMetadata']) {
      const { body } = await server.call('GET', `${AUTOSCALERS}/a`, {
        accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
      });
      expect(JSON.stringify(body)).not.toContain(`"${CURRENT}"`);
    }
  });
});

it('a DaemonSet requires the generation of its template', async () => {
  const path = '/apis/apps/v1/namespaces/default/daemonsets';
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  const answer = await server.call('POST', path, { body: { metadata: { name: 'd' }, spec } });
  const annotation = 'deprecated.daemonset.template.generation';
  expect(written(answer).metadata.annotations).toEqual({ [annotation]: '1' });
  expect(owned(answer)).toMatchObject({ 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } });
  const status = await server.call('PUT', `${path}/d/status`, { body: { metadata: { name: 'd' }, spec, status: {} } });
  expect(written(status).metadata.annotations).toEqual({ [annotation]: '1' });
});

describe('an empty list', () => {
  it('of rules is owned by a Role that PUT creates', async () => {
    const answer = await server.call('PUT', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r', {
      body: { metadata: { name: 'r' }, rules: [] },
    });
    expect([answer.status, owned(answer)]).toEqual([201, { 'f:rules': {} }]);
  });

  const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  it('of rules is shown in the refusal of an Ingress, and not stored', async () => {
    const refused = await server.call('POST', ingresses, { body: { metadata: { name: 'i' }, spec: { rules: [] } } });
    expect(refused.body).toMatchObject({
      code: 422,
      details: { causes: [{ message: 'Invalid value: []: either `defaultBackend` or `rules` must be specified' }] },
    });
    const backend = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
    const stored = await server.call('POST', ingresses, {
      body: { metadata: { name: 'i' }, spec: { ...backend, rules: [] } },
    });
    expect([
      stored.status,
      written(stored).spec,
      Object.keys((owned(stored) as Record<string, object>)['f:spec']!),
    ]).toEqual([201, backend, ['f:defaultBackend']]);
    const again = await server.call('PUT', `${ingresses}/i`, {
      body: { metadata: { name: 'i' }, spec: { ...backend, rules: [] } },
    });
    expect([again.status, written(again).metadata.generation]).toEqual([200, 1]);
  });

  it('of policies is not usable for an autoscaler', async () => {
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      behavior: { scaleUp: { policies: [] } },
    };
    const answer = await server.call('POST', AUTOSCALERS.replace('v1', 'v2'), {
      body: { metadata: { name: 'p' }, spec },
    });
    expect(answer.body).toMatchObject({
      code: 422,
      details: {
        causes: [
          { field: 'spec.behavior.scaleUp.policies', message: 'Required value: must specify at least one Policy' },
        ],
      },
    });
  });
});

describe('the table of autoscaling/v1', () => {
  it('shows the metrics in their stored order', async () => {
    const target = (utilization: object): object => ({
      type: 'Resource',
      resource: { name: 'cpu', target: utilization },
    });
    const metrics = [
      target({ type: 'Utilization', averageUtilization: 200 }),
      target({ type: 'AverageValue', averageValue: '1Gi' }),
    ];
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
    await server.call('POST', AUTOSCALERS.replace('v1', 'v2'), {
      body: { metadata: { name: 'ordered' }, spec: { scaleTargetRef, maxReplicas: 3, metrics } },
    });
    const shown = async (path: string): Promise<unknown> => {
      const { body } = await server.call('GET', path, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
      return (body['rows'] as { cells: unknown[] }[])
        .map(({ cells }) => cells)
        .find(([name]) => name === 'ordered')?.[2];
    };
    const ordered = 'cpu: <unknown>/200%, cpu: <unknown>/1Gi';
    expect([await shown(`${AUTOSCALERS}/ordered`), await shown(AUTOSCALERS)]).toEqual([ordered, ordered]);
  });

  it('shows the status of a dry run', async () => {
    await server.call('POST', AUTOSCALERS, { body: scaler('dry') });
    const { body } = await server.call('PATCH', `${AUTOSCALERS}/dry/status?dryRun=All`, {
      body: { status: { currentReplicas: 2, currentCPUUtilizationPercentage: 7 } },
      contentType: 'application/merge-patch+json',
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    const [{ cells } = { cells: [] }] = body['rows'] as { cells: unknown[] }[];
    expect([cells[2], cells[5]]).toEqual(['cpu: 7%/50%', 2]);
  });

  it('shows metrics that were written as an annotation', async () => {
    const annotations = { [METRICS]: '[{"type":"Pods","pods":{"metricName":"p","targetAverageValue":"5"}}]' };
    await server.call('POST', AUTOSCALERS, { body: scaler('annotated', { annotations }) });
    const { body } = await server.call('GET', `${AUTOSCALERS}/annotated`, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    expect((body['rows'] as { cells: unknown[] }[])[0]!.cells[2]).toBe('<unknown>/5, cpu: <unknown>/50%');
  });
});
