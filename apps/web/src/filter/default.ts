// The filter of a page whose address has no filter.
/** By default, the page shows only roots of traces. */
export const defaultFilter = 'root:true'
