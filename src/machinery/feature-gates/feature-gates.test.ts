import { describe, expect, it } from 'vitest';
import { BINARY_MINOR, effectiveVersionOf, OLDEST_MINOR } from '../../api/kubernetes-version.ts';
import { parseEffectiveVersion } from './effective-version.ts';
import { featureEnabled, gateIn } from './feature-gates.ts';
import { GATE_DEPENDENCIES, KNOWN_GATES } from './known-gates.ts';
import { gateStates, gatesWithoutEffect, setFeatureGates } from './set-gates.ts';

const SPEC = /^1\.\d+ (?:alpha|beta|GA|deprecated) (?:on|off)(?: locked)?$/;

describe('the table of feature gates', () => {
  it.each(Object.entries(KNOWN_GATES))('%s is well formed and in order', (_, text) => {
    const specs = text.split(', ');
    for (const spec of specs) expect(spec).toMatch(SPEC);
    const minors = specs.map((spec) => Number(/\.(\d+)/.exec(spec)?.[1]));
    expect(minors).toEqual([...new Set(minors)].sort((a, b) => a - b));
    expect(minors.filter((minor) => minor <= OLDEST_MINOR).length).toBeLessThanOrEqual(1);
  });

  it('has the dependencies of gates', () => {
    for (const [name, needed] of Object.entries(GATE_DEPENDENCIES))
      for (const gate of [name, ...needed]) expect(KNOWN_GATES).toHaveProperty(gate);
  });
});

describe('feature gates', () => {
  it('have the defaults of the emulated version', () => {
    expect(gateIn('MutableCSINodeAllocatableCount', 33)).toMatchObject({ stage: 'alpha', enabled: false });
    const overrides = setFeatureGates({}, effectiveVersionOf(33));
    expect(featureEnabled('DynamicResourceAllocation')).toBe(true);
    expect(featureEnabled('DynamicResourceAllocation', overrides)).toBe(false);
    expect(setFeatureGates({})).toEqual({});
  });

  it('are switched by stage, unless they are set themselves', () => {
    const alpha = setFeatureGates({ AllAlpha: 'true', HPAScaleToZero: 'false' });
    expect(alpha).toMatchObject({ GenericWorkload: true });
    expect(alpha).not.toHaveProperty('HPAScaleToZero');
    // Gates that need another one are refused without it, also when a stage is switched.
    expect(() => setFeatureGates({ AllBeta: 'false' })).not.toThrow();
    expect(setFeatureGates({ AllBeta: 'false' })).toMatchObject({ NodeDeclaredFeatures: false });
  });

  it.each([
    [{ NoSuchGate: 'true' }, 36, 'unrecognized feature gate: NoSuchGate'],
    [{ HPAScaleToZero: 'yes' }, 36, 'invalid value of HPAScaleToZero: yes, err: strconv.ParseBool: parsing "yes"'],
    [
      { VolumeAttributesClass: 'false' },
      36,
      'cannot set feature gate VolumeAttributesClass to false, feature is locked to true',
    ],
    [
      { GenericWorkload: 'true' },
      33,
      'cannot set feature gate GenericWorkload to true, feature is PreAlpha at emulated version 1.33, min compatibility version 1.33',
    ],
    [
      { ClusterTrustBundleProjection: 'true' },
      36,
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
  ])('%j are refused', (given, emulation, message) =>
    expect(() => setFeatureGates(given as Record<string, string>, effectiveVersionOf(emulation))).toThrow(message),
  );

  it('without effect are named when they get another value', () => {
    expect(gatesWithoutEffect({ APIResponseCompression: 'false', CBORServingAndStorage: 'false' })).toEqual([
      'APIResponseCompression',
    ]);
  });

  it('are told with their stage', () => {
    const stateOf = (name: string, emulation = BINARY_MINOR) =>
      gateStates(setFeatureGates({}, effectiveVersionOf(emulation)), effectiveVersionOf(emulation)).find(
        (state) => state.name === name,
      );
    expect(stateOf('VolumeAttributesClass')).toEqual({ name: 'VolumeAttributesClass', stage: '', enabled: true });
    expect(stateOf('VolumeAttributesClass', 33)).toMatchObject({ stage: 'BETA', enabled: false });
    expect(stateOf('GenericWorkload', 33)).toBeUndefined();
  });
});

describe('the effective version', () => {
  it.each([
    [[], [], { emulation: 36, minCompatibility: 35 }],
    [['1.34'], [], { emulation: 34, minCompatibility: 33 }],
    [['kube=v1.33'], [], { emulation: 33, minCompatibility: 33 }],
    [['1.36'], ['1.34'], { emulation: 36, minCompatibility: 34 }],
  ])('of %j and %j', (emulated, compatible, version) =>
    expect(parseEffectiveVersion(emulated, compatible)).toEqual(version),
  );

  it.each([
    [
      ['1.30'],
      [],
      '[emulation version 1.30 is not between [1.33, 1.36.0], minCompatibilityVersion version 1.33 is not between [1.33, 1.30]]',
    ],
    [['1.37'], [], 'emulation version 1.37 is not between [1.33, 1.36.0]'],
    [['1.34'], ['1.35'], 'minCompatibilityVersion version 1.35 is not between [1.33, 1.34]'],
    [['wardle=1.2'], [], 'component not registered: wardle'],
    [['1.34.1'], [], 'patch version not allowed, got: kube=1.34.1'],
    [['1.34', 'kube=1.35'], [], 'duplicate version flag, kube=1.34 and kube=1.35'],
    [['x'], [], 'could not parse "x" as version'],
  ])('is refused: %j %j', (emulated, compatible, message) =>
    expect(() => parseEffectiveVersion(emulated, compatible)).toThrow(message),
  );
});
