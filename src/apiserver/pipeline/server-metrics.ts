/** Metrics about the server itself, under upstream's names. */
import { VERSION } from '../../api/kubernetes-version.ts';
import type { Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';

export function registerServerMetrics({ metrics }: Pick<Context, 'metrics'>, gitVersion: string): void {
  const info = metrics.gauge({
    name: 'kubernetes_build_info',
    help: 'Always 1, with the version of the program in its labels.',
    labels: [
      'build_date',
      'compiler',
      'git_commit',
      'git_tree_state',
      'git_version',
      'go_version',
      'major',
      'minor',
      'platform',
    ],
  });
  info.set(1, {
    build_date: VERSION.buildDate,
    compiler: VERSION.compiler,
    git_commit: VERSION.gitCommit,
    git_tree_state: VERSION.gitTreeState,
    git_version: gitVersion,
    go_version: VERSION.goVersion,
    major: VERSION.major,
    minor: VERSION.minor,
    platform: VERSION.platform,
  });
  metrics
    .gauge({
      name: 'version_info',
      help: 'Always 1, with the versions that the component is compatible with in its labels.',
      labels: ['binary', 'component', 'emulation', 'min_compat'],
    })
    .set(1, {
      binary: `${VERSION.major}.${VERSION.minor}`,
      component: 'kube',
      emulation: `${VERSION.emulationMajor}.${VERSION.emulationMinor}`,
      min_compat: `${VERSION.minCompatibilityMajor}.${VERSION.minCompatibilityMinor}`,
    });
  // A server without an audit policy sends no events; no request is rejected because auditing fails.
  metrics.counter({ name: 'apiserver_audit_event_total', help: 'Counter of audit events sent to the backends.' });
  metrics.counter({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Counter of requests that were rejected because they could not be audited.',
  });
}

export const STORAGE_SIZE = 'apiserver_storage_size_bytes';

/** The size of the store is asked for when the metrics are read. */
export function storageSizeReader({ metrics }: Pick<Context, 'metrics'>, store: Store): () => Promise<void> {
  const size = metrics.gauge({
    name: STORAGE_SIZE,
    help: 'Size of the database file of the store.',
    labels: ['storage_cluster_id'],
  });
  const labels = { storage_cluster_id: 'etcd-0' };
  return async () => {
    try {
      size.set((await store.status()).dbSize, labels);
    } catch {
      // A store that does not answer has no size; the other metrics tell why.
      size.remove(labels);
    }
  };
}
