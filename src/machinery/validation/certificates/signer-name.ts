/** Names of signers: a domain, a slash and a path of names. */
import { quote } from '../../quote.ts';
import { invalidValue, required, tooLong, type FieldError, type Path } from '../field-error.ts';
import { dns1123Label, dns1123Subdomain } from '../names.ts';
import { utf8Longer } from '../text.ts';

const MAX_DOMAIN = 253;
/** A domain, a slash, a namespace, a dot and a resource's name. */
const MAX_NAME = 253 + 1 + 63 + 1 + 253;

export function validateSignerName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  const segments = name.split('/');
  const [domain = '', rest] = segments;
  if (segments.length !== 2 || rest === undefined) {
    errors.push(invalidValue(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
    return;
  }
  if (utf8Longer(domain, MAX_DOMAIN)) errors.push(tooLong(at, MAX_DOMAIN));
  validateLabels(errors, domain, at, dns1123Label);
  if (!domain.includes('.')) {
    errors.push(invalidValue(at, domain, 'should be a domain with at least two segments separated by dots'));
  }
  validateLabels(errors, rest, at, dns1123Subdomain);
  if (utf8Longer(name, MAX_NAME)) errors.push(tooLong(at, MAX_NAME));
}

/** Only the first label that is wrong is told of. */
function validateLabels(errors: FieldError[], segment: string, at: Path, check: typeof dns1123Label): void {
  for (const label of segment.split('.')) {
    const messages = check(label);
    for (const message of messages) errors.push(invalidValue(at, segment, `validating label ${quote(label)}: ${message}`));
    if (messages.length > 0) return;
  }
}
