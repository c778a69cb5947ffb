import { stringifyIndented } from '../../base/index.ts';
import type { OperatorPage } from '../../component-server/index.ts';
import { encodeYaml } from '../../machinery/decode/index.ts';
/** In which form a page for operators is wanted: text, or an object of config.k8s.io for programs. */
import { notAcceptable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { parseAccept } from '../request/negotiate.ts';
import { headerOf, type ApiRequest, type ApiResponse } from '../request/request.ts';
import { respondText } from '../request/responses.ts';

const GROUP = 'config.k8s.io';
const OBJECT_TYPES = ['application/json', 'application/yaml'];
const DEPRECATED_VERSION = 'v1alpha1';
const VERSIONS = [DEPRECATED_VERSION, 'v1beta1'];

export function respondPage(request: ApiRequest, page: OperatorPage): ApiResponse {
  const accept = headerOf(request, 'accept') ?? '';
  if (accept.trim() === '') return respondText(200, page.text());
  for (const { type, params } of parseAccept(accept)) {
    const [as, group, version = ''] = [params.get('as'), params.get('g'), params.get('v')];
    const isPlain = as === undefined && group === undefined && version === '';
    if (isPlain && ['*/*', 'text/*', 'text/plain'].includes(type)) return respondText(200, page.text());
    if (as !== page.kind || group !== GROUP || !VERSIONS.includes(version)) continue;
    const mediaType = type === '*/*' || type === 'application/*' ? OBJECT_TYPES[0]! : type;
    if (OBJECT_TYPES.includes(mediaType)) return respondObject(page, mediaType, version);
  }
  throw notAcceptable(`only the following media types are accepted: ${[...OBJECT_TYPES, 'text/plain'].join(', ')}`);
}

function respondObject({ component, kind, fields }: OperatorPage, mediaType: string, version: string): ApiResponse {
  const object = { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: component }, ...fields() };
  const warning = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`;
  return {
    status: 200,
    headers: {
      'content-type': `${mediaType};g=${GROUP};v=${version};as=${kind}`,
      ...(version === DEPRECATED_VERSION ? { warning } : {}),
    },
    body: mediaType === 'application/json' ? stringifyIndented(object) : encodeYaml(object as unknown as KubeObject),
  };
}
