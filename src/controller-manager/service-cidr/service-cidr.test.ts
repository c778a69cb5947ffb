import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['service-cidr-controller', 'validatingadmissionpolicy-status-controller'],
  });
  await fixture.start();
});
afterAll(() => fixture.stop());

const ranges = () => fixture.client.resource('networking.k8s.io/v1/servicecidrs');
const addresses = () => fixture.client.resource('networking.k8s.io/v1/ipaddresses');
const ready = async (name: string) =>
  (await ranges().get({ name })).status?.conditions?.find(({ type }) => type === 'Ready');
const isGone = async (name: string) => !(await ranges().list()).items.some(({ metadata }) => metadata.name === name);

describe('service-cidr-controller', () => {
  it('protects a range and sets the condition Ready', async () => {
    await ranges().create({ metadata: { name: 'r' }, spec: { cidrs: ['10.200.0.0/24'] } });
    await fixture.advance(100);
    expect(await ready('r')).toMatchObject({ status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' });
    expect((await ranges().get({ name: 'r' })).metadata.finalizers).toEqual([
      'networking.k8s.io/service-cidr-finalizer',
    ]);
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });

  it('keeps the range while it has an address that is in no other range', async () => {
    await addresses().create({
      metadata: { name: '10.200.0.7' },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'x' } },
    });
    await ranges().delete({ name: 'r' });
    await fixture.advance(60_000);
    expect(await ready('r')).toMatchObject({
      status: 'False',
      reason: 'Terminating',
      message:
        'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
    });
    await addresses().delete({ name: '10.200.0.7' });
    await fixture.until('gone', () => isGone('r'), 15_000);
  });

  it('releases the range when another range has its addresses', async () => {
    await ranges().create({ metadata: { name: 'small' }, spec: { cidrs: ['10.201.0.0/24'] } });
    await ranges().create({ metadata: { name: 'large' }, spec: { cidrs: ['10.201.0.0/16'] } });
    await addresses().create({
      metadata: { name: '10.201.0.7' },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'x' } },
    });
    await fixture.advance(100);
    await ranges().delete({ name: 'small' });
    await fixture.until('gone', () => isGone('small'), 15_000);
  });
});

describe('validatingadmissionpolicy-status-controller', () => {
  it('follows the generation', async () => {
    const policies = fixture.client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies');
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    await policies.create({
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
    });
    await fixture.advance(100);
    expect((await policies.get({ name: 'p' })).status).toEqual({ observedGeneration: 1, typeChecking: {} });
    await policies.patch({ name: 'p' }, { spec: { validations: [{ expression: '1 == 1' }] } }, { type: 'merge' });
    await fixture.advance(100);
    expect((await policies.get({ name: 'p' })).status?.observedGeneration).toBe(2);
  });
});
