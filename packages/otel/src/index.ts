// Exports OpenTelemetry spans to the service.
export type { MaskFunction } from './attributes/masking.ts'
export {
  isDefaultExportSpan,
  isGenAISpan,
  isKnownLLMInstrumentor,
  isSvcSpan,
  KNOWN_LLM_INSTRUMENTATION_SCOPE_PREFIXES,
} from './span-filter.ts'
export { type ShouldExportSpan, SvcSpanProcessor, type SvcSpanProcessorParams } from './span-processor.ts'
