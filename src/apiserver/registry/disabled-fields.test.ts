import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { CONSULTED_GATES, featureEnabled } from '../../machinery/index.ts';
import { dropDisabledFields } from './disabled-fields.ts';

const lease = schema.resource('coordination.k8s.io', 'v1', 'leases')!.message;

describe('fields behind feature gates', () => {
  it('are dropped when the gate is off', () => {
    const object = { metadata: { name: 'l' }, spec: { preferredHolder: 'x', holderIdentity: 'y' } };
    dropDisabledFields(lease, object, undefined, {});
    expect(object).toEqual({ metadata: { name: 'l' }, spec: { holderIdentity: 'y' } });
  });

  it('stay when the stored object uses the feature', () => {
    const object = { metadata: {}, spec: { preferredHolder: 'x' } };
    dropDisabledFields(lease, object, { metadata: {}, spec: { preferredHolder: 'z' } }, {});
    expect(object.spec.preferredHolder).toBe('x');
  });

  it('stay when the operator turned the gate on', () => {
    const object = { metadata: {}, spec: { preferredHolder: 'x' } };
    dropDisabledFields(lease, object, undefined, { CoordinatedLeaderElection: true });
    expect(object.spec.preferredHolder).toBe('x');
  });

  it('are found in lists deep down', () => {
    const pods = schema.resource('', 'v1', 'pods')!.message;
    const object = {
      metadata: {},
      spec: { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } }] },
    };
    dropDisabledFields(pods, object, undefined, {});
    expect(object.spec.volumes[0]!.projected.sources).toEqual([{}]);
  });

  it('are dropped with an emptied lifecycle', () => {
    const pods = schema.resource('', 'v1', 'pods')!.message;
    const object = {
      metadata: {},
      spec: {
        containers: [{ name: 'c', lifecycle: { stopSignal: 'SIGTERM' } }],
        initContainers: [{ name: 'i', lifecycle: {} }],
        ephemeralContainers: [{ name: 'e', lifecycle: {} }],
      },
    };
    dropDisabledFields(pods, object, undefined, {});
    expect(object.spec.containers).toEqual([{ name: 'c' }]);
    expect(object.spec.initContainers, 'which were sent with an empty one').toEqual([{ name: 'i', lifecycle: {} }]);
    expect(object.spec.ephemeralContainers, 'which may have none, and are refused with one').toEqual([
      { name: 'e', lifecycle: {} },
    ]);
  });

  it('stay in a status that tells of them', () => {
    const pods = schema.resource('', 'v1', 'pods')!.message;
    const object = { metadata: {}, status: { containerStatuses: [{ name: 'c', stopSignal: 'SIGTERM' }] } };
    dropDisabledFields(pods, object, undefined, {});
    expect(object.status.containerStatuses).toEqual([{ name: 'c', stopSignal: 'SIGTERM' }]);
  });

  it('stay in claims that another kind describes', () => {
    const dataSourceRef = { kind: 'ConfigMap', name: 'n', namespace: 'other' };
    const claim = { metadata: {}, spec: { dataSourceRef } };
    const set = { metadata: {}, spec: { volumeClaimTemplates: [structuredClone(claim)] } };
    dropDisabledFields(schema.resource('apps', 'v1', 'statefulsets')!.message, set, undefined, {});
    expect(set.spec.volumeClaimTemplates).toEqual([claim]);
    dropDisabledFields(schema.resource('', 'v1', 'persistentvolumeclaims')!.message, claim, undefined, {});
    expect(claim.spec).toEqual({});
  });

  it('have a gate with a known default', () => {
    const gates = new Set(
      [...schema.messages.values()].flatMap((message) =>
        message.fields.flatMap((field) => field.gate?.split(',') ?? []),
      ),
    );
    expect([...gates].filter((gate) => !(CONSULTED_GATES as readonly string[]).includes(gate))).toEqual([]);
    expect(() => featureEnabled('NoSuchGate')).toThrow('not in CONSULTED_GATES');
  });
});
