/** Which images a simulated node cannot pull: it has no registry, so their names must say it. */
const REFERENCE =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
const MISSING =
  /(?:^|[./:_-])(?:invalid|404|non-?existent|not-?found|(?:does-?not|doesnt)-?exist|no-?such-?image)(?:$|[./:_-])/;

interface ImageProblem {
  readonly reason: 'InvalidImageName' | 'ErrImagePull';
  readonly message: string;
}

/** Undefined for an image that can be pulled. */
export function imageProblem(image: string): ImageProblem | undefined {
  if (!REFERENCE.test(image)) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
    return { reason: 'InvalidImageName', message };
  }
  if (!MISSING.test(image)) return undefined;
  return { reason: 'ErrImagePull', message: `failed to pull and unpack image "${image}": not found` };
}
