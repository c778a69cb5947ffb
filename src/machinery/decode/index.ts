/**
 * Decoding and encoding of objects as JSON and YAML. `decodeObject` decodes a request body strictly, with upstream's error
 * messages, into the canonical form that the rest of the system works on. A valid body takes one JSON.parse and one pass of
 * functions compiled from the schema (`conform.ts`); any other is decoded again from its text (`exact-decode.ts`).
 *
 * Integers: an int64 field is a number; beyond 2^53 it is the nearest double that is a valid int64. In raw values
 * (RawExtension, custom resources) an integer that a double cannot hold is a bigint, which `encodeJson` and `stringifyJson`
 * write and JSON.stringify does not.
 */
export { canonicalize, conform, tryConform, type Conformed } from './conform-value.ts';
export {
  cannotBeHandledAs,
  type DecodedObject,
  decodeObject,
  type DecodeRequest,
  notRegistered,
  orElse,
  strictErrorWarnings,
  unknownConversion,
  unrecognizedBody,
} from './decode-object.ts';
export { numberRangeError } from './document.ts';
export { encodeYaml } from './encode-yaml.ts';
export { checkNesting } from './nesting.ts';
export { parseExactJson, parseJson } from './parse-json.ts';
export { parseYaml, readsAsJson, yamlToJson } from './parse-yaml.ts';
export { type CachedYaml, cacheYaml } from './yaml-cache.ts';
export { Growth } from './growth.ts';
