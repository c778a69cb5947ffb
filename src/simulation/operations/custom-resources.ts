/** Work on custom resources, which an operator looks after. */
import { widgets } from '../world/operator.ts';
import { name, namespace, operation } from './operation.ts';

export const customResources = {
  'create-widget': operation({
    weight: 3,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'w'), size: random.integer(10) }),
    run: (client, { namespace, name, size }) =>
      client.resource(widgets).create({ metadata: { namespace, name }, spec: { size } }),
  }),
  'resize-widget': operation({
    weight: 4,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'w'), size: random.integer(10) }),
    run: (client, { namespace, name, size }) =>
      client.resource(widgets).patch({ namespace, name }, { spec: { size } }, { type: 'merge' }),
  }),
  'delete-widget': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'w') }),
    run: (client, { namespace, name }) => client.resource(widgets).delete({ namespace, name }),
  }),
};
