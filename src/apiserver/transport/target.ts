export { splitTarget } from '../../net/http/index.ts';
