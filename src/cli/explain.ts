/** `k8ts explain pod NAME`: the old name of `k8ts why pod/NAME`. */
export { flags, run } from './why.ts';
export const verbs = ['pod'] as const;
