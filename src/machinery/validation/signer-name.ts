/** Validates names of certificate signers: `example.com/signer-name`. */
import { quote } from '../../base/index.ts';
import { type FieldError, invalidValue, type Path, required, tooLong } from '../errors/index.ts';
import { dns1123Label, dns1123Subdomain, type Messages, utf8Longer } from '../names/index.ts';

const DOMAIN_MAX = 253;
/** A namespace, a dot and the name of an object in it. */
const PATH_MAX = 63 + 1 + 253;

export function validateSignerName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  const [domain, path, ...more] = name.split('/');
  if (domain === undefined || path === undefined || more.length > 0) {
    errors.push(
      invalidValue(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    );
    return;
  }
  if (utf8Longer(domain, DOMAIN_MAX)) errors.push(tooLong(at, DOMAIN_MAX));
  validateLabels(errors, domain, at, dns1123Label);
  if (!domain.includes('.'))
    errors.push(invalidValue(at, domain, 'should be a domain with at least two segments separated by dots'));
  validateLabels(errors, path, at, dns1123Subdomain);
  if (utf8Longer(name, DOMAIN_MAX + PATH_MAX + 1)) errors.push(tooLong(at, DOMAIN_MAX + PATH_MAX + 1));
}

/** Reports only the first invalid label. */
function validateLabels(errors: FieldError[], text: string, at: Path, syntax: (label: string) => Messages): void {
  const wrong = text.split('.').find((label) => syntax(label).length > 0);
  if (wrong === undefined) return;
  for (const message of syntax(wrong))
    errors.push(invalidValue(at, text, `validating label ${quote(wrong)}: ${message}`));
}

/** The name of a ClusterTrustBundle has its signer as a prefix; without a signer it has no colon. */
export function clusterTrustBundleName(name: string, signerName: string): Messages {
  if (signerName === '') {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return dns1123Subdomain(name);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix))
    return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
  return dns1123Subdomain(name.slice(prefix.length));
}
