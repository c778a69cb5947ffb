export { splitTarget } from '../../kernel/http/index.ts';
