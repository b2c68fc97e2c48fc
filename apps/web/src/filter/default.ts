// The filter of an address without one.
/** Shows only roots of traces by default. */
export const defaultFilter = 'root:true'
