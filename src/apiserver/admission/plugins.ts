/** The admission plugins that are on, in the order in which they run. */
import type { Context } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from './admission.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

export function admissionPlugins(_ctx: Context, _registry: Registry): readonly AdmissionPlugin[] {
  return [namespaceLifecycle];
}
