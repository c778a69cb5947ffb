import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { asDeclared, toView, type View } from '../versioned-objects.ts';
import type { EvaluationInput } from './expressions.ts';
import { namespaceVariable, requestVariable } from './request-variables.ts';

/** The variables of a request in the version that the policy asked for. Match conditions see no namespace. */
export async function evaluationInput(
  attributes: AdmissionAttributes,
  view: View,
  params: KubeObject | undefined,
  sees = { namespace: true },
): Promise<EvaluationInput> {
  return {
    attributes,
    object: asDeclared(view, await toView(attributes, view, attributes.object)),
    oldObject: asDeclared(view, await toView(attributes, view, attributes.oldObject)),
    request: requestVariable(attributes, view),
    params: params ?? null,
    namespaceObject: sees.namespace ? await namespaceVariable(attributes) : null,
  };
}
