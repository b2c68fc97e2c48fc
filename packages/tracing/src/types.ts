// Types of observations and their attributes.
import type { SpanContext } from '@opentelemetry/api'

export type SvcObservationType =
  | 'span'
  | 'generation'
  | 'event'
  | 'embedding'
  | 'agent'
  | 'tool'
  | 'chain'
  | 'retriever'
  | 'evaluator'
  | 'guardrail'

export type ObservationLevel = 'DEBUG' | 'DEFAULT' | 'WARNING' | 'ERROR'

export interface SvcSpanAttributes {
  /** Any value. A text is recorded unchanged, any other value as JSON. */
  input?: unknown
  output?: unknown
  /** Each top-level key is recorded separately; numbers and booleans keep their type. */
  metadata?: unknown
  level?: ObservationLevel | undefined
  statusMessage?: string | undefined
  version?: string | undefined
  environment?: string | undefined
}

export interface SvcGenerationAttributes extends SvcSpanAttributes {
  /** When the first token arrived. */
  completionStartTime?: Date | undefined
  model?: string | undefined
  modelParameters?: Readonly<Record<string, string | number>> | undefined
  /** Tokens by kind. */
  usageDetails?: Readonly<Record<string, number>> | { promptTokens?: number; completionTokens?: number; totalTokens?: number } | undefined
  /** Costs by kind, in US dollars. */
  costDetails?: Readonly<Record<string, number>> | undefined
  /** A prompt client, or a prompt's name and version. A fallback is not linked. */
  prompt?: { readonly name: string; readonly version: number; readonly isFallback?: boolean | undefined } | undefined
}

export type SvcEventAttributes = SvcSpanAttributes
export type SvcObservationAttributes = SvcGenerationAttributes

/** Attributes of each type of observation. */
export interface AttributesByType {
  span: SvcSpanAttributes
  generation: SvcGenerationAttributes
  event: SvcEventAttributes
  embedding: SvcGenerationAttributes
  agent: SvcSpanAttributes
  tool: SvcSpanAttributes
  chain: SvcSpanAttributes
  retriever: SvcSpanAttributes
  evaluator: SvcSpanAttributes
  guardrail: SvcSpanAttributes
}

export interface StartObservationOptions {
  startTime?: Date | undefined
  /**
   * Parent of the observation, used instead of the active span. To continue a trace give its `traceId`, any `spanId` of 16 hexadecimal
   * characters and `traceFlags: 1`.
   */
  parentSpanContext?: SpanContext | undefined
}

export interface StartObservationOpts<T extends SvcObservationType = SvcObservationType> extends StartObservationOptions {
  /** `span` by default. */
  asType?: T | undefined
}

export interface StartActiveObservationContext extends StartObservationOptions {
  /** Whether the observation ends with the function; true by default. */
  endOnExit?: boolean | undefined
}

export interface StartActiveObservationOpts<T extends SvcObservationType = SvcObservationType> extends StartActiveObservationContext {
  /** `span` by default. */
  asType?: T | undefined
}

export interface ObserveOptions {
  /** The function's name by default. */
  name?: string | undefined
  /** `span` by default. */
  asType?: SvcObservationType | undefined
  /** Whether the arguments are recorded; true by default. */
  captureInput?: boolean | undefined
  /** Whether the result is recorded; true by default. */
  captureOutput?: boolean | undefined
  parentSpanContext?: SpanContext | undefined
  /** Whether the observation ends with the function; true by default. */
  endOnExit?: boolean | undefined
}
