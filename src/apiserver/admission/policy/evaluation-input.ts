import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { asDeclared, toMatchedVersion, type MatchedVersion } from '../versioned-objects.ts';
import type { EvaluationInput } from './expressions.ts';
import { namespaceVariable, requestVariable } from './request-variables.ts';

/** The CEL variables of a request, in the version that the policy matched. Match conditions do not see `namespaceObject`. */
export async function evaluationInput(
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  params: KubeObject | undefined,
  sees = { namespace: true },
): Promise<EvaluationInput> {
  return {
    attributes,
    object: asDeclared(matched, await toMatchedVersion(attributes, matched, attributes.object)),
    oldObject: asDeclared(matched, await toMatchedVersion(attributes, matched, attributes.oldObject)),
    request: requestVariable(attributes, matched),
    params: params ?? null,
    namespaceObject: sees.namespace ? await namespaceVariable(attributes) : null,
  };
}
