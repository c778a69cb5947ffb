import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['clusterrole-aggregation-controller'] });
  await fixture.start();
});
afterAll(() => fixture.stop());

const roles = () => fixture.client.resource('rbac.authorization.k8s.io/v1/clusterroles');
const rule = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const make = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]) =>
  roles().create({ metadata: { name, labels }, rules });
const resources = async (name: string) => ((await roles().get({ name })).rules ?? []).map((r) => r.resources?.[0]);

describe('clusterrole-aggregation-controller', () => {
  it('keeps the union of the selected roles in order of name, each rule once', async () => {
    await make('b', { agg: 'x' }, rule('pods'), rule('nodes'));
    await make('a', { agg: 'x' }, rule('nodes'));
    await make('c', { agg: 'y' }, rule('secrets'));
    await roles().create({
      metadata: { name: 'all' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { agg: 'x' } }] },
      rules: [rule('events')],
    });
    await fixture.advance(100);
    expect(await resources('all')).toEqual(['nodes', 'pods']);

    await roles().patch({ name: 'c' }, { metadata: { labels: { agg: 'x' } } }, { type: 'merge' });
    await fixture.advance(100);
    expect(await resources('all')).toEqual(['nodes', 'pods', 'secrets']);

    await roles().delete({ name: 'b' });
    await roles().patch({ name: 'all' }, { rules: [] }, { type: 'merge' });
    await fixture.advance(100);
    expect(await resources('all')).toEqual(['nodes', 'secrets']);
  });

  it('writes nothing when nothing changes', async () => {
    const { length } = fixture.writes;
    await roles().patch({ name: 'a' }, { metadata: { annotations: { x: 'y' } } }, { type: 'merge' });
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });
});
