/**
 * From bytes to objects and back. `decodeObject` reads a request body strictly, in upstream's words when it is wrong, into
 * the canonical form that the rest of the system works on; `encodeJson` writes it. The common case takes one JSON.parse and
 * one pass of functions compiled from the schema (`conform.ts`); anything out of the ordinary is decoded again, slowly, from
 * the document as it was written (`exact-decode.ts`).
 *
 * Integers: an int64 field is a number; beyond 2^53 it is the nearest double that is a valid int64. Inside raw values
 * (RawExtension, custom resources) an integer that a double cannot hold is a bigint, which `encodeJson` and `stringifyJson`
 * write and JSON.stringify does not.
 */
export { canonicalize, conform, type Conformed } from './conform-value.ts';
export { countKeys } from './count-keys.ts';
export { decodeObject, strictErrorWarnings, type DecodedObject, type DecodeRequest } from './decode-object.ts';
export { plainValue, readDocument, unfitNumber } from './document.ts';
export { encodeYaml } from './encode-yaml.ts';
export { checkNesting } from './nesting.ts';
export { parseJson } from './parse-json.ts';
export { noteYaml } from './known-yaml.ts';
export { parseYaml, readsAsJson, type ParsedYaml } from './parse-yaml.ts';
export { type KnownYaml } from './known-yaml.ts';
export { yamlToJson } from './parse-yaml.ts';
