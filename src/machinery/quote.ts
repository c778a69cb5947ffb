export { quote } from '../base/index.ts';
