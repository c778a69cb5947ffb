import { expect, it } from 'vitest';
import { startTestServer } from '../testing/index.ts';

it('creates no series from values that clients invent', async () => {
  const server = await startTestServer();
  const text = async (): Promise<string> => (await server.call('GET', '/metrics')).text;
  try {
    await server.call('GET', '/api/v1/namespaces/default/configmaps?dryRun=All');
    const invent = async (word: string): Promise<void> => {
      await server.call('GET', `/api/v1/namespaces/default/${word}`);
      await server.call('GET', `/apis/${word}/v1/things`);
      await server.call('GET', `/${word}`);
      await server.call('GET', `/api/v1/namespaces/default/pods/x/${word}`);
      await server.call(word.toUpperCase(), '/api/v1/namespaces/default/pods/x');
      await server.call('DELETE', `/api/v1/namespaces/default/pods/x?dryRun=${word}`);
      await server.call('POST', `/api/v1/namespaces/default/pods?fieldValidation=${word}`, { body: {} });
    };
    await invent('made-up');
    await text();
    const before = (await text()).split('\n').length;
    for (let i = 0; i < 50; i++) await invent(`made-up-${i}`);
    const after = await text();
    expect(after).not.toContain('made-up');
    expect(after.split('\n').length - before).toBeLessThan(50);
    expect(after).toMatch(/apiserver_request_total\{.*resource="configmaps".*code="200"\} 1/);
  } finally {
    await server.stop();
  }
});

const MERGE_PATCH = 'application/merge-patch+json';
const TEMPLATE = { spec: { containers: [{ name: 'a', image: 'a' }] } };

it('counts what is stored, listed, watched, queued and allocated', async () => {
  const server = await startTestServer();
  const templates = '/api/v1/namespaces/default/podtemplates';
  try {
    await server.call('POST', templates, { body: { metadata: { name: 'a' }, template: TEMPLATE } });
    await server.call('POST', '/api/v1/namespaces/default/services', {
      body: { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
    });
    await server.call('GET', `${templates}?labelSelector=none`);
    await server.call('GET', '/api/v1/namespaces/default/endpoints');
    await server.call('POST', templates, { body: { metadata: { name: 'gone' }, template: TEMPLATE } });
    await server.call('DELETE', `${templates}/gone`);
    const { text } = await server.call('GET', '/metrics');
    for (const sample of [
      'apiserver_storage_objects{resource="podtemplates"} 1',
      'apiserver_resource_objects{group="",resource="podtemplates"} 1',
      'apiserver_watch_cache_events_received_total{group="",resource="podtemplates"} 3',
      'apiserver_cache_list_total{group="",index="",resource="podtemplates"} 1',
      'apiserver_cache_list_fetched_objects_total{group="",index="",resource="podtemplates"} 1',
      'kube_apiserver_nodeport_allocator_allocated_ports 1',
      'kube_apiserver_nodeport_allocator_allocation_total{scope="dynamic"} 1',
      'apiserver_request_body_size_bytes_count{resource="podtemplates",verb="create",group=""} 2',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
      'apiserver_current_inqueue_requests{request_kind="readOnly"} 0',
      'apiserver_storage_list_total{group="",resource="podtemplates"} 1',
      'etcd_requests_total{operation="create",group="",resource="podtemplates"} 2',
      'etcd_requests_total{operation="delete",group="",resource="podtemplates"} 1',
      'etcd_request_duration_seconds_count{operation="create",group="",resource="podtemplates"} 2',
      'apiserver_requested_deprecated_apis{group="",version="v1",resource="endpoints",subresource="",removed_release=""} 1',
    ])
      expect(text.split('\n')).toContain(sample);
    expect(text).not.toContain('apiserver_cache_list_returned_objects_total{group="",resource="podtemplates"}');
    expect(text).toMatch(/^apiserver_resource_size_estimate_bytes\{group="",resource="podtemplates"\} [1-9]/m);
    expect(text).toMatch(/^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} \d/m);
    expect(text).toMatch(/^version_info\{binary="1.36.4",component="kube",emulation="1.36",min_compat="1.35"\} 1$/m);
  } finally {
    await server.stop();
  }
});

it('names the methods of requests as upstream does', async () => {
  const server = await startTestServer();
  const configMaps = '/api/v1/namespaces/default/configmaps';
  try {
    const made = { metadata: { name: 'a' } };
    await server.call('POST', configMaps, { body: made });
    await server.call('PUT', `${configMaps}/a`, { body: made });
    await server.call('PATCH', `${configMaps}/a`, { body: {}, headers: { 'content-type': MERGE_PATCH } });
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...made };
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    await server.call('PATCH', `${configMaps}/a?fieldManager=test`, { body: applied, headers: apply });
    await server.call('GET', `${configMaps}/a`);
    await server.call('GET', configMaps);
    await server.call('DELETE', `${configMaps}/a`);
    await server.call('DELETE', configMaps);
    await server.call('GET', '/api/v1/namespaces/default/pods/a/log');
    const { text } = await server.call('GET', '/metrics?name[]=apiserver_request_total');
    const counted = (resource: string): string[] =>
      [...text.matchAll(/verb="(\w+)".*?resource="(\w*)".*?scope="(\w+)"/g)]
        .filter((match) => match[2] === resource)
        .map(([, verb, , scope]) => `${verb} ${scope}`)
        .sort();
    expect(counted('configmaps')).toEqual([
      'APPLY resource',
      'DELETE namespace',
      'DELETE resource',
      'GET resource',
      'LIST namespace',
      'PATCH resource',
      'POST namespace',
      'PUT resource',
    ]);
    expect(counted('pods')).toEqual(['CONNECT resource']);
  } finally {
    await server.stop();
  }
});

it('sends only the samples that a reader names', async () => {
  const server = await startTestServer();
  try {
    await server.call('GET', '/api/v1/namespaces/default/configmaps');
    const query = 'name[]=apiserver_request_total&name[]=apiserver_request_duration_seconds_sum&name[]=invented';
    const { status, text } = await server.call('GET', `/metrics?${query}`);
    expect(status).toBe(200);
    const names = new Set([...text.matchAll(/^(\w+)\{/gm)].map(([, name]) => name));
    expect([...names]).toEqual(['apiserver_request_duration_seconds_sum', 'apiserver_request_total']);
  } finally {
    await server.stop();
  }
});
