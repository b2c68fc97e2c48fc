// Options for an observed client's calls.
import type { StartObservationOptions, SvcGenerationAttributes } from '@svc/tracing'

export interface SvcConfig {
  /** Name of each generation; by default, the client's class and the first property of the call, such as `OpenAI.chat`. */
  readonly generationName?: string | undefined
  readonly generationMetadata?: Readonly<Record<string, unknown>> | undefined
  /** The prompt of the calls. The generations link to this prompt. A fallback prompt is not linked. */
  readonly svcPrompt?: SvcGenerationAttributes['prompt']
  readonly traceName?: string | undefined
  readonly sessionId?: string | undefined
  readonly userId?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** Parent of the generations. By default, the active span is the parent. */
  readonly parentSpanContext?: StartObservationOptions['parentSpanContext']
}
