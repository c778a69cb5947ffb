/** The users of a world's processes. */
export { ADMIN as adminUser, componentUser, nodeUser, serviceAccountUser } from '../../cluster/index.ts';
