import { BINARY_MINOR } from './kubernetes-version.ts';
import type { Resource } from './schema.ts';

/** When resources came: only what not every version has that can be emulated. */
const introduced: ReadonlyMap<string, number> = new Map([
  ['admissionregistration.k8s.io/v1/mutatingadmissionpolicies', 36],
  ['admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings', 36],
  ['admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies', 34],
  ['admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings', 34],
  ['certificates.k8s.io/v1beta1/podcertificaterequests', 35],
  ['resource.k8s.io/v1/deviceclasses', 34],
  ['resource.k8s.io/v1/resourceclaims', 34],
  ['resource.k8s.io/v1/resourceclaimtemplates', 34],
  ['resource.k8s.io/v1/resourceslices', 34],
  ['resource.k8s.io/v1alpha3/resourcepoolstatusrequests', 36],
  ['resource.k8s.io/v1beta2/devicetaintrules', 36],
  ['storage.k8s.io/v1/volumeattributesclasses', 34],
  ['storagemigration.k8s.io/v1beta1/storageversionmigrations', 35],
]);

/** A version is served for three more releases after the one that deprecates it. */
const RELEASES_AFTER_DEPRECATION = 3;

/** The first minor version that does not serve a deprecated resource any more. */
export const removedIn = ({ since }: NonNullable<Resource['deprecated']>): number =>
  Number(since.split('.')[1]) + RELEASES_AFTER_DEPRECATION;

/** Whether a version serves the resource no more; without one, this release. */
export const isRemoved = ({ deprecated }: Pick<Resource, 'deprecated'>, minor = BINARY_MINOR): boolean =>
  deprecated !== undefined && removedIn(deprecated) <= minor;

/** The minor version in which a resource came. */
export const introducedIn = (group: string, version: string, plural: string): number =>
  introduced.get(`${group}/${version}/${plural}`) ?? 0;
