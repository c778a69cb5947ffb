/** DefaultIngressClass: an Ingress without a class gets the default IngressClass; the newest if there are several. */
import type { Ingress } from '../../api/generated/networking-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from './admission.ts';
import { derivedFrom } from './derived.ts';
import { newest } from './newest.ts';
import { isForResource } from './request-objects.ts';

const GROUP = 'networking.k8s.io';
const IS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class';
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export function defaultIngressClassPlugin(registry: Registry): AdmissionPlugin {
  const classes = registry.require(GROUP, 'v1', 'ingressclasses');
  const defaultClass = derivedFrom(classes, () =>
    newest(
      classes.cache
        .list()
        .map((entry) => entry.object)
        .filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true'),
    ),
  );
  return {
    name: 'DefaultIngressClass',
    operations: ['CREATE'],
    matches: (attributes) => isForResource(attributes, GROUP, 'ingresses') && attributes.subresource === '',
    admit({ object, record }) {
      const ingress = object as Ingress & KubeObject;
      if (
        ingress.spec?.ingressClassName !== undefined ||
        ingress.metadata.annotations?.[CLASS_ANNOTATION] !== undefined
      )
        return;
      const found = defaultClass();
      if (!found) return;
      (ingress.spec ??= {}).ingressClassName = found.metadata.name!;
      record?.changed('spec.ingressClassName');
    },
  };
}
