// The default export filter, which keeps LLM spans.
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { SVC_TRACER_NAME } from '@svc/core'

/**
 * Scopes of instrumentations that record LLM calls. The scope `ai` must match exactly. Other entries also match scopes that continue with a
 * dot and more text.
 */
export const KNOWN_LLM_INSTRUMENTATION_SCOPE_PREFIXES: readonly string[] = [
  'svc-sdk',
  'agent_framework',
  'ai',
  'haystack',
  'langsmith',
  'litellm',
  'openinference',
  'opentelemetry.instrumentation.anthropic',
  'opentelemetry.instrumentation.aws_bedrock',
  'opentelemetry.instrumentation.bedrock',
  'opentelemetry.instrumentation.gemini',
  'opentelemetry.instrumentation.google_genai',
  'opentelemetry.instrumentation.google_generativeai',
  'opentelemetry.instrumentation.openai',
  'opentelemetry.instrumentation.openai_v2',
  'opentelemetry.instrumentation.vertex_ai',
  'opentelemetry.instrumentation.vertexai',
  'strands-agents',
  'vllm',
]

/** True if this SDK has created the span. */
export function isSvcSpan(span: ReadableSpan): boolean {
  return span.instrumentationScope.name === SVC_TRACER_NAME
}

/** True if the span has an attribute of the GenAI conventions. */
export function isGenAISpan(span: ReadableSpan): boolean {
  for (const key in span.attributes) if (key.startsWith('gen_ai.')) return true
  return false
}

/** True if a known instrumentation of LLM calls created the span. */
export function isKnownLLMInstrumentor(span: ReadableSpan): boolean {
  const scope = span.instrumentationScope.name
  return KNOWN_LLM_INSTRUMENTATION_SCOPE_PREFIXES.some(
    prefix => scope === prefix || (prefix !== 'ai' && scope.startsWith(prefix) && scope[prefix.length] === '.'),
  )
}

/** The filter without `shouldExportSpan`. */
export function isDefaultExportSpan(span: ReadableSpan): boolean {
  return isSvcSpan(span) || isGenAISpan(span) || isKnownLLMInstrumentor(span)
}
