/** Of a request, and the first of them where none is asked for (semantics §1). */
export const ipFamilies = ['IPv4', 'IPv6'] as const
