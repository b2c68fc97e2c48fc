// The filter that a page uses if its address has no filter.
/** Shows only roots of traces by default. */
export const defaultFilter = 'root:true'
