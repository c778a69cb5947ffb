/** What a new object of a kind begins with. */
import { stringify } from 'yaml';
import { apiVersionOf, type ResourceType } from '../api/resources.ts';

const IMAGE = 'registry.k8s.io/pause:3.10';
const pod = { containers: [{ name: 'main', image: IMAGE }] };
const labels = { app: 'example' };
const template = { metadata: { labels }, spec: pod };

const BODIES: ReadonlyMap<string, object> = new Map(
  Object.entries<object>({
    pods: { spec: pod },
    'deployments.apps': { spec: { replicas: 2, selector: { matchLabels: labels }, template } },
    'statefulsets.apps': { spec: { serviceName: 'example', replicas: 1, selector: { matchLabels: labels }, template } },
    'daemonsets.apps': { spec: { selector: { matchLabels: labels }, template } },
    'jobs.batch': { spec: { template: { spec: { restartPolicy: 'Never', ...pod } } } },
    'cronjobs.batch': {
      spec: {
        schedule: '0 * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...pod } } } },
      },
    },
    services: { spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] } },
    configmaps: { data: { key: 'value' } },
    secrets: { stringData: { key: 'value' } },
    'ingresses.networking.k8s.io': {
      spec: {
        rules: [
          {
            host: 'example.local',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 'example', port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
    'networkpolicies.networking.k8s.io': {
      spec: {
        podSelector: { matchLabels: labels },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      },
    },
    persistentvolumeclaims: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    'horizontalpodautoscalers.autoscaling': {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'example' },
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
    },
  }),
);

export function templateOf(type: ResourceType, namespace: string): string {
  const template = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name: 'example', ...(type.namespaced ? { namespace: namespace || 'default' } : {}) },
    ...BODIES.get(type.key),
  };
  // Labels that are the same would become anchors.
  return stringify(template, { aliasDuplicateObjects: false });
}
