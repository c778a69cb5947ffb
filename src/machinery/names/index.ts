/**
 * Syntax checks of names, keys and label values (DNS labels and subdomains, qualified names), with upstream's
 * messages.
 */
export {
  cIdentifier,
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  dns1123SubdomainWithUnderscore,
  groupId,
  httpHeaderName,
  IMMUTABLE_MESSAGE,
  labelValue,
  type Messages,
  type NameCheck,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  NEGATIVE_MESSAGE,
  NO_MESSAGES,
  pathSegmentName,
  percent,
  portName,
  portNumber,
  qualifiedName,
  rangeMessage,
  regexMessage,
  relaxedEnvVarName,
  userId,
  wildcardDns1123Subdomain,
} from './names.ts';
export { base64Length, compareBytes, utf8Length, utf8Longer } from './text.ts';
