/** AlwaysPullImages: nobody runs an image that another one pulled; every start needs the right to pull it. */
import type { PodSpec } from '../../api/generated/core-v1.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { allContainers, isForPods, oldPodOf, podOf, specOf } from './kinds.ts';
import { refuse } from './refuse.ts';

const ALWAYS = 'Always';
const PARTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  operations: ['CREATE', 'UPDATE'],
  matches: (attributes) => isForPods(attributes) && bringsImages(attributes),
  admit(attributes) {
    const spec = specOf(podOf(attributes));
    for (const container of allContainers(spec)) container.imagePullPolicy = ALWAYS;
    for (const { image } of spec.volumes ?? []) if (image) image.pullPolicy = ALWAYS;
  },
  validate(attributes) {
    const spec = specOf(podOf(attributes));
    for (const part of PARTS) {
      for (const [i, { imagePullPolicy = '' }] of (spec[part] ?? []).entries()) {
        if (imagePullPolicy !== ALWAYS)
          throw refuse(
            attributes,
            `spec.${part}[${i}].imagePullPolicy: Unsupported value: "${imagePullPolicy}": supported values: "${ALWAYS}"`,
          );
      }
    }
  },
};

function bringsImages(attributes: AdmissionAttributes): boolean {
  if (attributes.operation === 'CREATE') return true;
  const known = imagesOf(specOf(oldPodOf(attributes)));
  return [...imagesOf(specOf(podOf(attributes)))].some((image) => !known.has(image));
}

const imagesOf = (spec: PodSpec): Set<string> =>
  new Set([
    ...allContainers(spec).map(({ image }) => image ?? ''),
    ...(spec.volumes ?? []).flatMap(({ image }) => (image?.reference ? [image.reference] : [])),
  ]);
