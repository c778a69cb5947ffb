/** PodNodeSelector: adds a namespace's node selector (from its annotation or the cluster default) to its pods. */
import { ownValue } from '../../base/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

/** The default selector under `clusterDefaultNodeSelector`; every other key is a namespace with the labels its pods may select. */
export type PodNodeSelectorConfiguration = Readonly<Record<string, string>>;

type Labels = Readonly<Record<string, string>>;

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

export function podNodeSelectorPlugin(
  registry: Registry,
  configuration: PodNodeSelectorConfiguration = {},
): AdmissionPlugin {
  function selectorOf({ namespace }: AdmissionAttributes): Labels {
    const annotation = registry.lookup('', 'v1', 'namespaces', '', namespace)?.metadata.annotations?.[ANNOTATION];
    return parseSelector(annotation ?? configuration[CLUSTER_DEFAULT] ?? '');
  }

  function check(attributes: AdmissionAttributes): void {
    const own = specOf(podOf(attributes)).nodeSelector ?? {};
    const required = selectorOf(attributes);
    if (Object.keys(required).some((key) => own[key] !== undefined && own[key] !== required[key])) {
      throw newForbidden(attributes, 'pod node label selector conflicts with its namespace node label selector');
    }
    const allowed = parseSelector(configuration[attributes.namespace] ?? '');
    if (Object.keys(allowed).length > 0 && Object.entries(own).some(([key, value]) => allowed[key] !== value)) {
      throw newForbidden(attributes, 'pod node label selector labels conflict with its namespace whitelist');
    }
  }

  return {
    name: 'PodNodeSelector',
    operations: ['CREATE'],
    matches: isForPods,
    admit(attributes) {
      check(attributes);
      const required = selectorOf(attributes);
      const spec = specOf(podOf(attributes));
      if (Object.keys(required).some((key) => ownValue(spec.nodeSelector, key) === undefined)) {
        spec.nodeSelector = { ...required, ...spec.nodeSelector };
        attributes.record?.changed('spec.nodeSelector');
      }
      check(attributes);
    },
    validate: check,
  };
}

/** `a=b,c=d` */
function parseSelector(text: string): Labels {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, value, ...rest] = pair.split('=');
      if (value === undefined || rest.length > 0) throw new Error(`invalid selector: [${pair}]`);
      return [key!.trim(), value.trim()];
    }),
  );
}
