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
  /** Any value. Texts are recorded unchanged, and other values as JSON. */
  input?: unknown
  output?: unknown
  /** Each top-level key of the metadata is recorded separately. Numbers and booleans keep their type. */
  metadata?: unknown
  level?: ObservationLevel | undefined
  statusMessage?: string | undefined
  version?: string | undefined
  environment?: string | undefined
}

export interface SvcGenerationAttributes extends SvcSpanAttributes {
  /** Arrival time of the first token. */
  completionStartTime?: Date | undefined
  model?: string | undefined
  modelParameters?: Readonly<Record<string, string | number>> | undefined
  /** Tokens by kind. */
  usageDetails?: Readonly<Record<string, number>> | { promptTokens?: number; completionTokens?: number; totalTokens?: number } | undefined
  /** Costs in US dollars, by kind. */
  costDetails?: Readonly<Record<string, number>> | undefined
  /** A prompt client, or the name and version of a prompt. If `isFallback` is true, the observation is not linked to the prompt. */
  prompt?: { readonly name: string; readonly version: number; readonly isFallback?: boolean | undefined } | undefined
}

export type SvcEventAttributes = SvcSpanAttributes
export type SvcObservationAttributes = SvcGenerationAttributes

/** Attributes of each observation type. */
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
   * The observation gets this parent instead of the active span. To continue a trace, pass its `traceId`, any `spanId` of 16 hexadecimal
   * characters, and `traceFlags: 1`.
   */
  parentSpanContext?: SpanContext | undefined
}

export interface StartObservationOpts<T extends SvcObservationType = SvcObservationType> extends StartObservationOptions {
  /** `span` by default. */
  asType?: T | undefined
}

export interface StartActiveObservationContext extends StartObservationOptions {
  /** True (the default) if the observation ends when the function's result has settled. */
  endOnExit?: boolean | undefined
}

export interface StartActiveObservationOpts<T extends SvcObservationType = SvcObservationType> extends StartActiveObservationContext {
  /** `span` by default. */
  asType?: T | undefined
}

export interface ObserveOptions {
  /** Name of the observation; by default, the function's name. */
  name?: string | undefined
  /** `span` by default. */
  asType?: SvcObservationType | undefined
  /** True (the default) if the arguments are recorded. */
  captureInput?: boolean | undefined
  /** True (the default) if the result is recorded. */
  captureOutput?: boolean | undefined
  parentSpanContext?: SpanContext | undefined
  /** True (the default) if the observation ends when the function's result has settled. */
  endOnExit?: boolean | undefined
}
