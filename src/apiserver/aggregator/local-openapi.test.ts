import { expect, it } from 'vitest';
import type { LocalApi } from './local-api.ts';
import { localOpenApiV2, localOpenApiV3 } from './local-openapi.ts';

const API = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resources: [
    { resource: 'nodes', scope: 'Cluster', verbs: ['get', 'list'], responseKind: { kind: 'NodeMetrics' } },
    { resource: 'pods', scope: 'Namespaced', verbs: ['get', 'list'], responseKind: { kind: 'PodMetrics' } },
  ],
} as unknown as LocalApi;

/** A client that reads a document and writes it again leaves empty lists out, and then finds a difference. */
it.each([localOpenApiV2, localOpenApiV3])('has no empty lists: %o', (document) => {
  expect(JSON.stringify(document(API))).toContain('/apis/metrics.k8s.io/v1beta1/nodes');
  expect(JSON.stringify(document(API))).not.toContain('[]');
});
