export type { CatchUpOptions, CaughtUp } from './catch-up.ts'
export { openTraceState, type TraceState, type TraceStateOptions, type TraceStateSize } from './trace-state.ts'
