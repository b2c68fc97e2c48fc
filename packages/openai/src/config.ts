// Options for the calls of an observed client.
import type { StartObservationOptions, SvcGenerationAttributes } from '@svc/tracing'

export interface SvcConfig {
  /** Name of each generation; by default, the client's class and the first property, for example `OpenAI.chat`. */
  readonly generationName?: string | undefined
  readonly generationMetadata?: Readonly<Record<string, unknown>> | undefined
  /** The prompt that the calls use. Generations are linked to this prompt. A fallback prompt is not linked. */
  readonly svcPrompt?: SvcGenerationAttributes['prompt']
  readonly traceName?: string | undefined
  readonly sessionId?: string | undefined
  readonly userId?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** Parent of the generations, used instead of the active span. */
  readonly parentSpanContext?: StartObservationOptions['parentSpanContext']
}
