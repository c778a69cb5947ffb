/** The CEL libraries that Kubernetes enables for every expression, one file per library. It does not enable `math`. */
import type { Library } from '../function-table.ts';
import { authorizerLibrary } from './authorizer.ts';
import { conversions } from './conversions.ts';
import { formatLibrary } from './format.ts';
import { cidrLibrary, ipLibrary } from './ip.ts';
import { celGoListLibrary, listLibrary } from './lists.ts';
import { operators } from './operators.ts';
import { optionalLibrary } from './optional.ts';
import { quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { setLibrary } from './sets.ts';
import { stringLibrary } from './strings.ts';
import { timeLibrary } from './time.ts';
import { urlLibrary } from './url.ts';

export const kubernetesLibraries: readonly Library[] = [
  operators,
  conversions,
  timeLibrary,
  stringLibrary,
  listLibrary,
  celGoListLibrary,
  setLibrary,
  regexLibrary,
  urlLibrary,
  quantityLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  semverLibrary,
  optionalLibrary,
  authorizerLibrary,
];
