/** Validation of the node group: RuntimeClasses. */
import type { Toleration } from '../../../api/generated/core-v1.ts';
import type { RuntimeClass } from '../../../api/generated/node-v1.ts';
import { duplicate, type FieldError, invalidValue, path, type Path, required } from '../../errors/index.ts';
import { dns1123Label, nameIsDnsSubdomain } from '../../names/index.ts';
import { deprecatedNodeLabel } from '../core/node/node-labels.ts';
import { validateTolerations } from '../core/pod/tolerations.ts';
import { validateContainerResources } from '../core/resources.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabels } from '../label-selector.ts';
import { anyMetadataUpdate, metadata, metadataAgain } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';

const HANDLER = path('handler');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain, unqualifiedFinalizers: true } as const;
const OVERHEAD_RULES = { claimNames: new Set<string>(), allowIndivisibleHugePages: false } as const;

const runtimeClass: KindValidation<RuntimeClass> = {
  warnings: [
    (warnings, { scheduling }) => {
      for (const key of Object.keys(scheduling?.nodeSelector ?? {}).sort()) {
        const message = deprecatedNodeLabel(key);
        if (message) warnings.push(`scheduling.nodeSelector: ${message}`);
      }
    },
  ],
  create: [metadata(META_RULES), (errors, object) => validateRuntimeClass(errors, object)],
  update: [
    metadataAgain(META_RULES),
    (errors, object) => validateRuntimeClass(errors, object),
    anyMetadataUpdate,
    (errors, object, old) => validateImmutable(errors, object.handler ?? '', old.handler ?? '', HANDLER),
  ],
};

function validateRuntimeClass(errors: FieldError[], object: RuntimeClass): void {
  validateHandler(errors, object.handler ?? '');
  const podFixed = object.overhead?.podFixed;
  if (podFixed) validateContainerResources(errors, { limits: podFixed }, path('overhead'), OVERHEAD_RULES);
  validateScheduling(errors, object, path('scheduling'));
}

function validateHandler(errors: FieldError[], handler: string): void {
  if (handler === '') errors.push(required(HANDLER));
  else for (const message of dns1123Label(handler)) errors.push(invalidValue(HANDLER, handler, message));
}

function validateScheduling(errors: FieldError[], { scheduling }: RuntimeClass, at: Path): void {
  if (!scheduling) return;
  if (scheduling.nodeSelector) validateLabels(errors, scheduling.nodeSelector, at.child('nodeSelector'));
  const tolerations = scheduling.tolerations ?? [];
  validateTolerations(errors, tolerations, at.child('tolerations'));
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const key = identityOf(toleration);
    if (seen.has(key)) {
      errors.push(duplicate(at.child('tolerations').index(i), goStruct('io.k8s.api.core.v1.Toleration', toleration)));
    }
    seen.add(key);
  }
}

const identityOf = ({ key, operator, value, effect }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

export const nodeValidations: Readonly<Record<string, KindValidation>> = {
  'node.k8s.io/runtimeclasses': runtimeClass,
};
