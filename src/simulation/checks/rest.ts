/** Checks of a world at rest: autoscalers, definitions, and queues that are empty. */
import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import type { Deployment } from '../../api/generated/apps-v1.ts';
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { firstWrong, type Check } from './check.ts';
import { all, isDeleted } from './workloads.ts';

const DEPTHS = new Set(['workqueue_depth']);

export const restChecks = {
  'autoscalers-converge': {
    because: 'an autoscaled Deployment has between the least and the most replicas that its autoscaler allows',
    settled: ({ log, looked }) =>
      firstWrong(all<HorizontalPodAutoscaler>(log, 'HorizontalPodAutoscaler'), ({ metadata, spec }) => {
        const id = `${metadata.namespace}/${spec?.scaleTargetRef.name}`;
        const target = log.object('Deployment', id) as unknown as Deployment | undefined;
        const replicas = target?.spec?.replicas ?? 1;
        // Zero switches an autoscaler off.
        if (!target || isDeleted(target) || replicas === 0) return undefined;
        looked();
        const { minReplicas = 1, maxReplicas = 0 } = spec ?? {};
        return replicas >= minReplicas && replicas <= maxReplicas
          ? undefined
          : `Deployment ${id} has ${replicas} replicas, and its autoscaler allows ${minReplicas} to ${maxReplicas}`;
      }),
  },
  'definitions-converge': {
    because: 'a CustomResourceDefinition that was deleted is gone with its objects, and every other one is established',
    settled: ({ log, looked }) => {
      const kinds = new Set<string>();
      const wrong = firstWrong(all<CustomResourceDefinition>(log, 'CustomResourceDefinition'), (definition) => {
        const { metadata, spec, status } = definition;
        looked();
        kinds.add(spec.names.kind);
        if (isDeleted(definition)) return `definition ${metadata.name} is still being deleted`;
        const established = status?.conditions?.find(({ type }) => type === 'Established')?.status;
        if (established !== 'True') return `definition ${metadata.name} is not established`;
        const stored = spec.versions.find(({ storage }) => storage)?.name ?? '';
        const versions = [stored, ...log.objects(spec.names.kind).map(({ apiVersion }) => apiVersion.split('/')[1]!)];
        const unknown = versions.find((version) => !status?.storedVersions?.includes(version));
        return (
          unknown &&
          `definition ${metadata.name} has stored ${unknown}, and its status says ${status?.storedVersions?.join()}`
        );
      });
      if (wrong !== undefined || kinds.has('Gadget')) return wrong;
      const [left] = log.objects('Gadget');
      return left && `Gadget ${left.metadata.name} is still there, and its definition is gone`;
    },
  },
  'queues-are-empty': {
    because: 'when everything is as it should be, no controller has work left',
    settled: ({ processes, looked }) =>
      firstWrong(processes, ([name, { metrics, isRunning }]) => {
        if (!isRunning || !metrics) return undefined;
        return firstWrong(
          metrics.expose(DEPTHS).matchAll(/^workqueue_depth\{name="([^"]+)"\} (\d+)$/gm),
          ([, queue, depth]) => {
            looked();
            return depth === '0' ? undefined : `the queue ${queue} of ${name} has ${depth} items`;
          },
        );
      }),
  },
} satisfies Record<string, Check>;
