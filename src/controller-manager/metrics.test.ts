/** The counts of controllers, under the names that dashboards for Kubernetes ask for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job, JobSpec } from '../api/generated/batch-v1.ts';
import { formatTime } from '../base/index.ts';
import { startFixture, type ControllerFixture } from './testing/index.ts';
import { TestKubelet } from './testing/pods.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({
    controllers: [
      'job-controller',
      'cronjob-controller',
      'ttl-after-finished-controller',
      'endpointslice-controller',
      'endpointslice-mirroring-controller',
      'node-ipam-controller',
      'node-lifecycle-controller',
      'taint-eviction-controller',
      'pod-garbage-collector-controller',
      'ephemeral-volume-controller',
      'root-ca-certificate-publisher-controller',
      'horizontal-pod-autoscaler-controller',
      'replicaset-controller',
      'persistentvolume-binder-controller',
    ],
    config: { clusterCidr: '10.244.0.0/22', serviceClusterIpRange: '', rootCa: 'CA' },
  });
  kubelet = new TestKubelet(fixture.client, namespace);
  await fixture.start();
});
afterAll(() => fixture.stop());

/** The samples of a metric, without buckets and the time that something took. */
const samplesOf = (prefix: string): string[] =>
  fixture.server.ctx.metrics
    .expose()
    .split('\n')
    .filter((line) => line.startsWith(prefix) && !/_bucket\{|_sum[ {]/.test(line));

const template: JobSpec['template'] = {
  spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
};
const jobs = () => fixture.client.resource('batch/v1/jobs');
const isFinished = async (name: string): Promise<boolean> =>
  (await jobs().get({ namespace, name })).status?.conditions?.some(
    ({ type }) => type === 'Complete' || type === 'Failed',
  ) ?? false;

async function endPods(job: string, phase: 'Succeeded' | 'Failed', exitCode: number): Promise<void> {
  for (const pod of await kubelet.list(`batch.kubernetes.io/job-name=${job}`)) {
    if (pod.status?.phase !== 'Pending') continue;
    const terminated = { exitCode, finishedAt: formatTime(fixture.clock.now()) };
    const status = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated } };
    await kubelet.setStatus(pod.metadata.name!, { phase, containerStatuses: [status] });
  }
}

async function runJob(
  name: string,
  spec: Partial<JobSpec>,
  phase: 'Succeeded' | 'Failed',
  exitCode = 0,
): Promise<void> {
  const job: Job = { metadata: { name, namespace }, spec: { template, ...spec } };
  await jobs().create(job);
  await fixture.until(`${name} has finished`, async () => {
    await endPods(name, phase, exitCode);
    return isFinished(name);
  });
}

describe('metrics of controllers', () => {
  it('count Jobs, their pods and indexes', async () => {
    await runJob('plain', { completions: 2, parallelism: 2, ttlSecondsAfterFinished: 0 }, 'Succeeded');
    await runJob('indexed', { completions: 3, parallelism: 3, completionMode: 'Indexed' }, 'Succeeded');
    const onExitCodes = { operator: 'In', values: [7] };
    await runJob('policy', { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] } }, 'Failed', 7);
    await jobs().create({ metadata: { name: 'foreign', namespace }, spec: { template, managedBy: 'example.com/x' } });
    await fixture.advance(1_000);
    expect(samplesOf('job_controller_').filter((line) => !/job_sync|stale/.test(line))).toEqual([
      'job_controller_job_finished_indexes_total{status="succeeded",backoffLimit="global"} 3',
      'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 6',
      'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"} 0',
      'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 3',
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
      'job_controller_jobs_by_external_controller_total{controller_name="example.com/x"} 1',
      'job_controller_jobs_finished_total{completion_mode="Indexed",result="succeeded",reason="CompletionsReached"} 1',
      'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="PodFailurePolicy"} 1',
      'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"} 1',
      'job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"} 1',
      'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 6',
      'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 6',
    ]);
    const syncs = samplesOf('job_controller_job_syncs_total');
    for (const action of ['pods_created', 'tracking', 'reconciling'])
      expect(syncs.some((line) => line.includes(`result="success",action="${action}"`))).toBe(true);
    expect(samplesOf('ttl_after_finished_controller_')).toEqual([
      'ttl_after_finished_controller_job_deletion_duration_seconds_count 1',
    ]);
  });

  it('count the endpoints and slices of Services', async () => {
    const services = fixture.client.resource('v1/services');
    const ports = [{ port: 80 }];
    await services.create({
      metadata: { name: 'near', namespace },
      spec: { selector: { app: 'a' }, ports, trafficDistribution: 'PreferSameZone' },
    });
    await services.create({ metadata: { name: 'bare', namespace }, spec: { ports } });
    await fixture.client.resource('v1/endpoints').create({
      metadata: { name: 'bare', namespace },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: [{ port: 80 }] }],
    });
    await fixture.advance(2_000);
    const of = (name: string) => samplesOf(`endpoint_slice_${name}`);
    expect(of('mirroring_controller_')).toEqual(
      expect.arrayContaining([
        'endpoint_slice_mirroring_controller_changes{operation="create"} 1',
        'endpoint_slice_mirroring_controller_desired_endpoint_slices 1',
        'endpoint_slice_mirroring_controller_endpoints_desired 2',
        'endpoint_slice_mirroring_controller_num_endpoint_slices 1',
      ]),
    );
    const distribution = 'endpoint_slice_controller_services_count_by_traffic_distribution';
    expect(of('controller_services_count')).toEqual([`${distribution}{traffic_distribution="PreferSameZone"} 1`]);
    expect(of('controller_changes')).toEqual(['endpoint_slice_controller_changes{operation="create"} 1']);
    expect(of('controller_num_endpoint_slices')).toEqual(['endpoint_slice_controller_num_endpoint_slices 1']);
    await services.delete({ namespace, name: 'near' });
    await fixture.advance(2_000);
    expect(of('controller_services_count')).toEqual([`${distribution}{traffic_distribution="PreferSameZone"} 0`]);
    expect(of('controller_num_endpoint_slices')).toEqual(['endpoint_slice_controller_num_endpoint_slices 0']);
    expect(of('controller_syncs').join()).toMatch(/result="success"/);
  });

  it('count the CIDRs of nodes, zones and evicted pods', async () => {
    const nodes = fixture.client.resource('v1/nodes');
    await nodes.create({ metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } } });
    await nodes.create({ metadata: { name: 'm', labels: { 'topology.kubernetes.io/zone': 'z' } } });
    await fixture.advance(6_000);
    expect(samplesOf('node_ipam_controller_')).toEqual([
      'node_ipam_controller_cidrset_allocation_tries_per_request_count{clusterCIDR="10.244.0.0/22"} 2',
      'node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR="10.244.0.0/22"} 2',
      'node_ipam_controller_cidrset_usage_cidrs{clusterCIDR="10.244.0.0/22"} 0.5',
      'node_ipam_controller_cirdset_max_cidrs{clusterCIDR="10.244.0.0/22"} 4',
    ]);
    expect(samplesOf('running_managed_controllers')).toEqual([
      'running_managed_controllers{name="nodeipam",manager="kube-controller-manager"} 1',
    ]);
    expect(samplesOf('node_collector_zone_size')).toEqual(['node_collector_zone_size{zone=":\u0000:z"} 2']);
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'p', namespace },
      spec: { nodeName: 'n', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
    });
    await nodes.patch({ name: 'n' }, { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } }, { type: 'merge' });
    await fixture.advance(1_000);
    expect(samplesOf('taint_eviction_controller_pod_deletion')).toEqual([
      'taint_eviction_controller_pod_deletion_duration_seconds_count 1',
      'taint_eviction_controller_pod_deletions_total 1',
    ]);
    await nodes.delete({ name: 'm' });
    await fixture.advance(1_000);
    expect(samplesOf('node_ipam_controller_cidrset_cidrs_releases')).toEqual([
      'node_ipam_controller_cidrset_cidrs_releases_total{clusterCIDR="10.244.0.0/22"} 1',
    ]);
  });

  it('compare the ages of pods that a ReplicaSet deletes with its youngest', async () => {
    const labels = { app: 'aged' };
    const sets = fixture.client.resource('apps/v1/replicasets');
    await sets.create({
      metadata: { name: 'aged', namespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });
    await fixture.advance(1_000);
    await kubelet.startAll('app=aged');
    await fixture.advance(29_000);
    await sets.patch({ name: 'aged', namespace }, { spec: { replicas: 2 } }, { type: 'merge' });
    await fixture.advance(1_000);
    await kubelet.startAll('app=aged');
    await fixture.advance(9_000);
    await sets.patch({ name: 'aged', namespace }, { spec: { replicas: 1 } }, { type: 'merge' });
    await fixture.advance(1_000);
    expect(samplesOf('replicaset_controller_sorting_deletion_age_ratio')).toEqual([
      'replicaset_controller_sorting_deletion_age_ratio_count 1',
    ]);
    await sets.delete({ name: 'aged', namespace });
  });

  it('count claims that get the default StorageClass late', async () => {
    const claim = (name: string) => ({
      metadata: { name, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await fixture.client.resource('v1/persistentvolumeclaims').create(claim('early'));
    await fixture.advance(1_000);
    expect(samplesOf('retroactive_storageclass')).toEqual([
      'retroactive_storageclass_errors_total 0',
      'retroactive_storageclass_total 0',
    ]);
    const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await fixture.client
      .resource('storage.k8s.io/v1/storageclasses')
      .create({ metadata: { name: 'default', annotations: isDefault }, provisioner: 'example.com/p' });
    await fixture.client
      .resource('v1/persistentvolumeclaims')
      .patch({ name: 'early', namespace }, { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    await fixture.advance(20_000);
    expect(samplesOf('retroactive_storageclass_total')).toEqual(['retroactive_storageclass_total 1']);
  });

  it('count claims of pods, collected pods and published certificates', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'ephemeral', namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec } } }],
      },
    });
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'orphan', namespace },
      spec: { nodeName: 'gone', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
    });
    await fixture.advance(120_000);
    expect(samplesOf('ephemeral_volume_controller_')).toEqual([
      'ephemeral_volume_controller_create_failures_total 0',
      'ephemeral_volume_controller_create_total 1',
    ]);
    expect(samplesOf('pod_gc_collector_')).toEqual([
      'pod_gc_collector_force_delete_pods_total{namespace="default",reason="orphaned"} 1',
    ]);
    expect(samplesOf('root_ca_cert_publisher_sync_total')[0]).toMatch(/\{code="200"\} \d+$/);
    expect(samplesOf('horizontal_pod_autoscaler_controller_num')[0]).toMatch(/ 0$/);
  });
});
