import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { servedVersions, type EmulationOptions } from './served-versions.ts';

function served(runtimeConfig: Record<string, string>, options: EmulationOptions): string[] {
  const serves = servedVersions(runtimeConfig, options);
  return schema.resources
    .filter(({ group, version, plural }) => serves?.(group, version, plural))
    .map(({ group, version, plural }) => `${group}/${version}/${plural}`);
}

const MUTATING = 'admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const CLAIMS = 'resource.k8s.io/v1/resourceclaims';

describe('resources of an emulated version', () => {
  it.each([
    [35, [CLAIMS], [MUTATING]],
    [34, [CLAIMS, 'storage.k8s.io/v1/volumeattributesclasses'], [MUTATING]],
    [33, ['/v1/pods'], [CLAIMS, MUTATING, 'storage.k8s.io/v1/volumeattributesclasses']],
  ])('1.%i', (emulation, present, absent) => {
    const names = served({}, { emulation });
    expect(names).toEqual(expect.arrayContaining(present));
    for (const name of absent) expect(names).not.toContain(name);
  });

  it('include those that a later version removed', () => {
    const policies = 'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies';
    const beta = { 'admissionregistration.k8s.io/v1beta1': 'true' };
    expect(served(beta, { emulation: 33 })).toContain(policies);
    expect(served({}, { emulation: 33 })).not.toContain(policies);
    for (const emulation of [34, 36]) {
      expect(served(beta, { emulation })).not.toContain(policies);
      expect(served({ 'api/all': 'true', [policies]: 'true' }, { emulation })).not.toContain(policies);
    }
  });

  it('include newer versions of beta ones when forward compatible', () => {
    const beta = { 'resource.k8s.io/v1beta1': 'true' };
    expect(served(beta, { emulation: 33 })).not.toContain(CLAIMS);
    const names = served(beta, { emulation: 33, forwardCompatible: true });
    expect(names).toEqual(expect.arrayContaining([CLAIMS, 'resource.k8s.io/v1beta2/resourceclaims']));
    expect(names).not.toContain('resource.k8s.io/v1beta2/devicetaintrules');
    expect(names).not.toContain('resource.k8s.io/v1alpha3/devicetaintrules');
    const off = { ...beta, 'resource.k8s.io/v1': 'false' };
    expect(served(off, { emulation: 33, forwardCompatible: true })).not.toContain(CLAIMS);
  });

  it('include what --runtime-config names when it may', () => {
    const config = { 'resource.k8s.io/v1': 'true' };
    expect(served(config, { emulation: 33, runtimeConfigForwardCompatible: true })).toContain(CLAIMS);
    expect(() => served(config, { emulation: 33 })).toThrow(
      'cannot enable version resource.k8s.io/v1 in runtime-config because all the resources have been introduced after the current version 1.33. Consider setting --runtime-config-emulation-forward-compatible=true',
    );
    expect(() => served({ [MUTATING]: 'true' }, { emulation: 35 })).toThrow(
      'cannot enable resource admissionregistration.k8s.io/v1, Resource=mutatingadmissionpolicies in runtime-config because it is introduced at 1.36 after the current version 1.35.',
    );
  });
});
