export { openTraceState, type TraceState, type TraceStateOptions } from './trace-state.ts'
