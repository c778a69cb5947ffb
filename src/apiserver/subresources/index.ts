/**
 * Subresources, by `plural/subresource` and verb; `*` stands for every resource. Those that carry the object itself
 * (status, finalize, approval, ephemeralcontainers, resize) use the ordinary verbs with the subresource's strategy; the
 * others have a kind and a file of their own.
 */
import { get } from '../verbs/get.ts';
import { patch } from '../verbs/patch.ts';
import type { Verb } from '../verbs/scope.ts';
import { update } from '../verbs/update.ts';
import { bindPod, createBinding } from './binding.ts';
import { getComponentStatus, listComponentStatuses } from './component-statuses.ts';
import { evictPod } from './eviction.ts';
import { readLog } from './pod-log.ts';
import { connectStream } from './pod-streams.ts';
import { proxyTo } from './proxy.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { createToken } from './token.ts';

type Handlers = Partial<Record<string, Verb>>;

const ordinary: Handlers = { get, update, patch };
const connected = (verb: Verb): Handlers => ({ get: verb, create: verb, update: verb, patch: verb, delete: verb });

export const subresourceHandlers: Record<string, Handlers | undefined> = {
  '*/status': ordinary,
  '*/scale': { get: getScale, update: updateScale, patch: patchScale },
  'certificatesigningrequests/approval': ordinary,
  'namespaces/finalize': { update },
  'nodes/proxy': connected(proxyTo('node')),
  'pods/attach': connected(connectStream('attach')),
  'pods/binding': { create: bindPod },
  'pods/ephemeralcontainers': ordinary,
  'pods/eviction': { create: evictPod },
  'pods/exec': connected(connectStream('exec')),
  'pods/log': { get: readLog },
  'pods/portforward': connected(connectStream('portforward')),
  'pods/proxy': connected(proxyTo('pod')),
  'pods/resize': ordinary,
  'serviceaccounts/token': { create: createToken },
  'services/proxy': connected(proxyTo('service')),
};

/** Resources without storage, by `group/plural`. */
export const unstoredHandlers: Record<string, Record<string, Verb> | undefined> = {
  '/bindings': { create: createBinding },
  '/componentstatuses': { get: getComponentStatus, list: listComponentStatuses },
};
