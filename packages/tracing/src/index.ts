// Records an LLM application's work as OpenTelemetry spans.
export { type PropagateAttributesParams, type PropagatedPromptInput, propagateAttributes, SvcOtelSpanAttributes } from '@svc/core'
export { getActiveSpanId, getActiveTraceId, setActiveTraceAsPublic, updateActiveObservation } from './active.ts'
export { createObservationAttributes } from './attributes.ts'
export {
  SvcAgent,
  SvcChain,
  SvcEmbedding,
  SvcEvaluator,
  SvcEvent,
  SvcGeneration,
  SvcGuardrail,
  type SvcObservation,
  SvcRetriever,
  SvcSpan,
  SvcTool,
} from './observations.ts'
export { observe } from './observe.ts'
export { startActiveObservation, startObservation } from './start.ts'
export { createTraceId } from './trace-id.ts'
export { getSvcTracer, getSvcTracerProvider, setSvcTracerProvider } from './tracer-provider.ts'
export type {
  ObservationLevel,
  ObserveOptions,
  StartActiveObservationContext,
  StartActiveObservationOpts,
  StartObservationOptions,
  StartObservationOpts,
  SvcEventAttributes,
  SvcGenerationAttributes,
  SvcObservationAttributes,
  SvcObservationType,
  SvcSpanAttributes,
} from './types.ts'
