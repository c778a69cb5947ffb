/**
 * Every metric of upstream's API server and controller manager has one of the same name and type here, or stands below with the
 * reason why not.
 */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../src/controller-manager/testing/index.ts';
import { PrometheusRegistry } from '../src/kernel/index.ts';

const MISSING: readonly (readonly [names: RegExp, reason: string])[] = [
  [
    /^aggregator_discovery_(?:nopeer|peer)_|^aggregator_discovery_aggregation_count/,
    'discovery of peers is not merged',
  ],
  [/_x509_(?:insecure_sha1|missing_san)_total$/, 'OpenSSL refuses such certificates at the handshake'],
  [/^apiserver_tls_handshake_errors_total$/, 'the port counts them, which the fixture does not have'],
  [/^apiserver_validation_|^apiextensions_apiserver_validation_ratcheting/, 'there is one way to validate'],
  [
    /^apiserver_(?:envelope_encryption_dek_cache|storage_data_key_generation|storage_envelope_transformation)/,
    'KMS v1 has a cache of data keys; only KMS v2 is supported',
  ],
  [/^registered_metrics_total$|_duration_seconds_summary$/, 'how the other registry works'],
  [
    /^apiserver_flowcontrol_(?:current_r|dispatch_r|latest_s|next_s_bounds|next_discounted_s_bounds)$/,
    'progress of another way to queue fairly',
  ],
  [
    /^apiserver_flowcontrol_(?:demand_seats|target_seats|priority_level_\w+_utilization|read_vs_write|watch_count_samples)/,
    'averages of time by which seats are lent; here the highest demand decides',
  ],
  [/^authentication_token_cache_/, 'there is no cache of results; parsed tokens are kept'],
  [/^etcd_bookmark_total$|^etcd_lease_object_counts$|^grpc_client_/, "the client of etcd is not upstream's"],
  [
    /^apiserver_storage_consistency_checks|^apiserver_watch_cache_read_wait|^watch_cache_capacity_/,
    'the cache has no such step',
  ],
  [
    /^apiserver_(?:request_timestamp_comparison_time|request_post_timeout_total)$/,
    'requests are not handled in two goroutines',
  ],
  [
    /^apiserver_nodeport_repair_reconcile_errors_total$/,
    'node ports need no repair: they are reserved in the transaction',
  ],
  [
    /^rest_client_(?:exec_plugin|transport)_/,
    'the client has no exec plugins in components and no cache of transports',
  ],
  [/^apiserver_certificates_registry_csr_\w+_duration/, 'strategies have no step after a write that could count'],
  [/^informer_/, 'informers handle events at once and queue none'],
  [/^daemonset_controller_stale_sync_skips_total$/, 'the controller waits for its expectations only'],
  [
    /^rest_client_|^leader_election_master_status$|^etcd_request_errors_total$|^kube_apiserver_pod_logs_|^cronjob_controller_|^ephemeral_volume_controller_/,
    'exists from the first use on',
  ],
];

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['*'],
    config: { clusterCidr: '10.244.0.0/22', serviceClusterIpRange: '', rootCa: 'CA' },
  });
  await fixture.start();
  await fixture.advance(1_000);
});
afterAll(() => fixture.stop());

const upstream = fs
  .readFileSync(new URL('data/metric-names.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as [name: string, type: string, component: string]);

it('all metrics exist with their type, or are missing for a reason', () => {
  const { metrics } = fixture.server.ctx;
  if (!(metrics instanceof PrometheusRegistry)) throw new Error('the fixture has another registry');
  const types = metrics.types();
  const different = upstream.filter(([name, type]) => types.get(name) !== type);
  const unexplained = different.filter(([name]) => types.has(name) || !MISSING.some(([names]) => names.test(name)));
  expect(unexplained).toEqual([]);
  const unneeded = MISSING.filter(([names]) => !different.some(([name]) => names.test(name)));
  expect(unneeded).toEqual([]);
});
