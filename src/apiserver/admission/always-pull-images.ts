/** AlwaysPullImages: sets imagePullPolicy Always, so that a pod cannot use a private image that another pod pulled. */
import type { PodSpec } from '../../api/generated/core-v1.ts';
import { allContainers } from '../../component-helpers/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForPods, oldPodOf, podOf, specOf } from './request-objects.ts';

const ALWAYS = 'Always';
const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  operations: ['CREATE', 'UPDATE'],
  matches: (attributes) => isForPods(attributes) && addsImages(attributes),
  admit(attributes) {
    const spec = specOf(podOf(attributes));
    for (const container of allContainers(spec)) {
      if (container.imagePullPolicy === ALWAYS) continue;
      container.imagePullPolicy = ALWAYS;
      attributes.record?.changed(`imagePullPolicy of container ${container.name}`);
    }
    for (const { name, image } of spec.volumes ?? []) {
      if (!image || image.pullPolicy === ALWAYS) continue;
      image.pullPolicy = ALWAYS;
      attributes.record?.changed(`pullPolicy of volume ${name}`);
    }
  },
  validate(attributes) {
    const spec = specOf(podOf(attributes));
    for (const list of CONTAINER_LISTS) {
      for (const [i, { imagePullPolicy = '' }] of (spec[list] ?? []).entries()) {
        if (imagePullPolicy !== ALWAYS)
          throw newForbidden(
            attributes,
            `spec.${list}[${i}].imagePullPolicy: Unsupported value: "${imagePullPolicy}": supported values: "${ALWAYS}"`,
          );
      }
    }
  },
};

function addsImages(attributes: AdmissionAttributes): boolean {
  if (attributes.operation === 'CREATE') return true;
  const old = imagesOf(specOf(oldPodOf(attributes)));
  return [...imagesOf(specOf(podOf(attributes)))].some((image) => !old.has(image));
}

const imagesOf = (spec: PodSpec): Set<string> =>
  new Set([
    ...allContainers(spec).map(({ image }) => image ?? ''),
    ...(spec.volumes ?? []).flatMap(({ image }) => (image?.reference ? [image.reference] : [])),
  ]);
