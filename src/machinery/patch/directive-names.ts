/** The directives of strategic merge patches. */
export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
/** `$setElementOrder/<field>` */
export const SET_ORDER = '$setElementOrder';
/** `$deleteFromPrimitiveList/<field>` */
export const DELETE_LIST = '$deleteFromPrimitiveList';
