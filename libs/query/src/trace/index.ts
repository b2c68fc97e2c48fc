export { readObservation, readSlice } from './detail.ts'
export { isPublicTrace } from './public.ts'
export { searchTrace } from './search.ts'
export { readTraceTree } from './tree.ts'
