/** spec.finalizers hold a namespace until the namespace controller has emptied it. */
import type { Namespace } from '../../../api/generated/core-v1.ts';
import { cloneJson } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

const KUBERNETES_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaces: Strategy<ObjectOf<Namespace>> = {
  deleteReturnsObject: true,
  prepareForCreate(namespace) {
    const spec = (namespace.spec ??= {});
    if (!spec.finalizers?.includes(KUBERNETES_FINALIZER))
      spec.finalizers = [...(spec.finalizers ?? []), KUBERNETES_FINALIZER];
    namespace.status = { phase: 'Active' };
    labelWithName(namespace);
  },
  prepareForUpdate(namespace, old) {
    const spec = (namespace.spec ??= {});
    if (old.spec?.finalizers) spec.finalizers = [...old.spec.finalizers];
    else delete spec.finalizers;
    labelWithName(namespace);
  },
  prepareForDelete(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
  },
  deletionHeld: (namespace) => (namespace.spec?.finalizers?.length ?? 0) > 0,
  subresources: {
    finalize: {
      prepareForUpdate(namespace, old) {
        if (old.status) namespace.status = cloneJson(old.status);
        else delete namespace.status;
      },
      resetFields: ['status'],
    },
  },
};

function labelWithName({ metadata }: Namespace): void {
  if (metadata.name) (metadata.labels ??= {})[NAME_LABEL] = metadata.name;
}
