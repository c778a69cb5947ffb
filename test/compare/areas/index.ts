/** Every area, by its name on the command line. */
import type { Area } from '../conversation.ts';
import { apply } from './apply.ts';
import { celValues } from './cel-values.ts';
import { crds } from './crd.ts';
import { create } from './create.ts';
import { deletion } from './delete.ts';
import { discovery } from './discovery.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { negotiation } from './negotiation.ts';
import { objects } from './objects.ts';
import { openapi } from './openapi.ts';
import { patch } from './patch.ts';
import { policies } from './policies.ts';
import { query } from './query.ts';
import { rbac } from './rbac.ts';
import { requests } from './requests.ts';
import { rules } from './rules.ts';
import { scenarios } from './scenarios.ts';
import { selectors } from './selectors.ts';
import { situations } from './situations.ts';
import { status } from './status.ts';
import { subresources } from './subresources.ts';
import { tables } from './tables.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import { webhooks } from './webhooks.ts';

export const areas = {
  create,
  objects,
  update,
  status,
  patch,
  apply,
  delete: deletion,
  query,
  negotiation,
  selectors,
  watch,
  tables,
  subresources,
  requests,
  crd: crds,
  rules,
  policies,
  webhooks,
  celValues,
  situations,
  scenarios,
  rbac,
  discovery,
  openapi,
  health,
  metrics,
} as const satisfies Readonly<Record<string, Area>>;
